import { z } from "zod";

const unitHours = { h: 1, d: 24, w: 7 * 24 };
const pattern = /^([1-9]\d{0,4})([hdw])$/;

/** A length of time as a manifest states it: whole hours, days or weeks, such as `12h`, `90d` or `2w`. */
export const Duration = z
  .string()
  .regex(pattern, "expected a duration in hours, days or weeks, such as 12h, 90d or 2w")
  .meta({ description: "Hours, days or weeks: `12h`, `90d`, `2w`." });

/** The length of a `Duration` in milliseconds. Throws `RangeError` for other text. */
export function milliseconds(duration: string): number {
  const [, count, unit] = pattern.exec(duration) ?? [];
  if (unit !== "h" && unit !== "d" && unit !== "w") throw new RangeError(`${duration} is not a duration.`);
  return Number(count) * unitHours[unit] * 3_600_000;
}
