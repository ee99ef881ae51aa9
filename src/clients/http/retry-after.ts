import { momentText } from "../../core/text/moment.ts";
import { type Answer, header } from "./answer.ts";

/** The longest wait between two attempts, in milliseconds. @see docs/facts.md, across services */
export const longestWait = 30_000;

/** The last day whose year has four digits, in milliseconds since 1970. */
const lastDay = Date.UTC(9999, 11, 31);

/** Milliseconds to wait according to `Retry-After`, which is in seconds or a date; undefined without it. */
export function retryAfter(answer: Answer, now: number): number | undefined {
  const value = header(answer, "retry-after");
  if (value === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  // `Date.parse` also takes `-5` for a date.
  const date = value.includes(":") ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - answeredAt(answer, now));
}

/** When the service answered, by its own clock, which its dates are about: this machine's can be wrong. */
export function answeredAt(answer: Answer, now: number): number {
  return Date.parse(header(answer, "date") ?? "") || now;
}

/** Until when a service accepts no requests, or asks for a pause that is longer than any wait of ours. */
export function pauseEnd(
  { status, resumes }: { readonly status: number; readonly resumes?: number | undefined },
  answer: Answer,
  now: number,
): number | undefined {
  const asked = status === 429 || status === 503 ? (retryAfter(answer, now) ?? 0) : 0;
  return resumes ?? (asked > longestWait ? now + asked : undefined);
}

/** Says until when, if there is such a pause. */
export function pauseWords(...pause: Parameters<typeof pauseEnd>): string {
  const end = pauseEnd(...pause);
  if (end === undefined) return "";
  // To the minute, so that many requests that are told so one after the other have one message.
  const minute = Math.ceil(end / 60_000) * 60_000;
  return ` It asks to send nothing until ${momentText(new Date(Math.min(minute, lastDay)).toISOString())}.`;
}
