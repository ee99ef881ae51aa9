import { counted } from "../../core/text/words.ts";
import { neutralJson, neutralLine } from "../../reports/neutral.ts";
import type { OnDropped, RequestEvent } from "../../setpoint.ts";

/** The form of the request log: text for people, or a JSON object on each line. */
export type LogForm = "text" | "json";

/**
 * One line for a request that has ended, or for a wait before the next attempt; undefined for other events. A line has no
 * header field, no body and no query values. `now` is in milliseconds since 1970.
 */
export function requestLine(event: RequestEvent, form: LogForm, now: number): string | undefined {
  const { service, request } = event;
  const { operation, method, path, query } = request;
  const time = new Date(now).toISOString();
  const about = { time, service, operation, method, path, ...(query.length === 0 ? {} : { query }) };
  const asked = `${time}  ${service}.${operation}  ${method} ${path}${query.length === 0 ? "" : `?${query.join("&")}`}`;
  switch (event.is) {
    case "sent":
    case "resumed":
      return undefined;
    case "ended": {
      const { status, result, milliseconds, attempt } = event;
      if (form === "json") return neutralJson(JSON.stringify({ ...about, status, result, milliseconds, attempt }));
      const tries = attempt === 1 ? "" : `  attempt ${attempt}`;
      return neutralLine(`${asked}  ${status ?? result}  ${milliseconds} ms${tries}`);
    }
    case "waiting": {
      const until = new Date(event.until).toISOString();
      if (form === "json") return neutralJson(JSON.stringify({ ...about, waitingUntil: until, limit: event.limit }));
      return neutralLine(`${asked}  ${event.limit ? "limit reached, continues" : "failed, retries"} at ${until}`);
    }
  }
}

/** Writes a line to standard error for each request. */
export function requestLog(form: LogForm): (event: RequestEvent) => void {
  return (event) => {
    const line = requestLine(event, form, Date.now());
    if (line !== undefined) process.stderr.write(`${line}\n`);
  };
}

/** One line for kept answers that no longer fit. `now` is in milliseconds since 1970. */
export function droppedLine(service: string, count: number, form: LogForm, now: number): string {
  const time = new Date(now).toISOString();
  if (form === "json") return neutralJson(JSON.stringify({ time, service, answersDropped: count }));
  return neutralLine(`${time}  ${service}  ${counted(count, "kept answer")} dropped for lack of room`);
}

/** Writes a line to standard error if kept answers no longer fit. */
export function droppedLog(form: LogForm): OnDropped {
  return (service, count) => process.stderr.write(`${droppedLine(service, count, form, Date.now())}\n`);
}
