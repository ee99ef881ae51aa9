import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { Reply } from "../../src/sandbox/exchange.ts";

/** Who waits for an answer. */
interface Asker {
  readonly handler: Dispatcher.DispatchHandler;
  readonly controller: Dispatcher.DispatchController;
}

/** Tells an asker the whole answer; with an error, half of its body and then the error. */
export function tell({ handler, controller }: Asker, { status, headers, body }: Reply, cut?: Error): void {
  handler.onResponseStart?.(controller, status, lowered(headers));
  const bytes = Buffer.from(body);
  const sent = cut === undefined ? bytes : bytes.subarray(0, bytes.length / 2);
  if (sent.length > 0) handler.onResponseData?.(controller, sent);
  if (cut === undefined) handler.onResponseEnd?.(controller, {});
  else handler.onResponseError?.(controller, cut);
}

export function controllerOf(onAbort: (reason: Error) => void): Dispatcher.DispatchController {
  let reason: Error | null = null;
  return {
    get aborted() {
      return reason !== null;
    },
    get reason() {
      return reason;
    },
    // Answers come in one piece, so there is nothing to pause.
    paused: false,
    pause() {},
    resume() {},
    abort(why) {
      if (reason !== null) return;
      reason = why;
      onAbort(why);
    },
  };
}

/** Returns a body as it arrives at a server. */
export async function* bodyOf(body: Dispatcher.DispatchOptions["body"]): AsyncGenerator<Uint8Array> {
  if (body instanceof Readable) for await (const chunk of body) yield chunk;
  else if (typeof body === "string" && body !== "") yield Buffer.from(body);
}

/** Returns header fields as a server sees them. */
export function fieldsOf(headers: Dispatcher.DispatchOptions["headers"]): IncomingHttpHeaders {
  const pairs =
    typeof headers === "object" && headers !== null && !Array.isArray(headers) ? Object.entries(headers) : [];
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function lowered(headers: Readonly<Record<string, string>>): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
