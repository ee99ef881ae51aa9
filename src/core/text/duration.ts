import { z } from "zod";
import { own } from "./json.ts";

const unitLengths = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const pattern = /^([1-9]\d{0,12})(ms|[smhdw])$/;

/** A thousand years: times much longer ago cannot be written as dates. */
const longest = "365000d";

/**
 * A length of time as users write it: `500ms`, `45s`, `90m`, `12h`, `30d` or `2w`, and no longer than a thousand years.
 * The form is the same in every field; a field for which a unit makes no sense sets a bound of its own.
 */
export const Duration = z
  .string()
  .regex(pattern, { abort: true, error: "expected a duration such as 500ms, 12h, 90d or 2w" })
  .refine((text) => milliseconds(text) <= milliseconds(longest), `expected at most ${longest}`)
  .describe("A length of time: `500ms`, `45s`, `90m`, `12h`, `30d` or `2w`.");

/** The milliseconds of a duration. Throws `RangeError` for other text. */
export function milliseconds(text: string): number {
  const [, count, unit = ""] = pattern.exec(text) ?? [];
  const length = own<number>(unitLengths, unit);
  if (length === undefined) throw new RangeError(`${text} is not a duration.`);
  return Number(count) * length;
}

/** Writes milliseconds, more than 0, in the largest unit up to days that divides them: equal durations have equal text. */
export function durationText(total: number): string {
  const units = ["d", "h", "m", "s"] as const;
  const unit = units.find((one) => total % unitLengths[one] === 0) ?? "ms";
  return `${total / unitLengths[unit]}${unit}`;
}
