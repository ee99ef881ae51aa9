import { z } from "zod";

/** A time in UTC, as JSON writes it. */
export const Moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .refine((text) => !Number.isNaN(Date.parse(text)), "expected a time");

/**
 * Parses a time with its zone, such as `2027-01-13T18:04:00.000+0100`, to milliseconds since 1970; NaN for any other
 * text. JavaScript's own parser would read `build 7` as a time, and would read text without a zone in the zone of the
 * machine.
 */
export function timeOf(text: string): number {
  const [, time = "", zone = ""] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)$/.exec(text) ?? [];
  return Date.parse(time + zone.replace(/(\d\d)(\d\d)/, "$1:$2"));
}

/** A time with a zone offset without a colon, as several products write it. @see docs/api/artifacts.md, build record */
export function zonedTime(at: string | number): string {
  return new Date(at).toISOString().replace("Z", "+0000");
}

/** A time in a form for people, such as `2027-01-13 18:04 UTC`. */
export function momentText(at: string): string {
  return `${at.slice(0, 16).replace("T", " ")} UTC`;
}
