import { z } from "zod";

/** A time in UTC, as JSON has it. */
export const Moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .refine((text) => !Number.isNaN(Date.parse(text)), "expected a time");

/**
 * The milliseconds since 1970 of a time with its zone, such as `2027-01-13T18:04:00.000+0100`; NaN of any other text.
 * JavaScript alone would make times of `build 7`, and of texts without a zone whatever the machine's zone is.
 */
export function timeOf(text: string): number {
  const [, time = "", zone = ""] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)$/.exec(text) ?? [];
  return Date.parse(time + zone.replace(/(\d\d)(\d\d)/, "$1:$2"));
}
