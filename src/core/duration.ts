import { z } from "zod";

const unitSeconds = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
const pattern = /^([1-9]\d{0,8})([smhdw])$/;

/** A length of time as a manifest states it: `45s`, `90m`, `12h`, `30d` or `2w`. */
export const Duration = z
  .string()
  .regex(pattern, { abort: true, error: "expected a duration such as 90d, 12h or 2w" })
  .meta({ description: "A length of time: `45s`, `90m`, `12h`, `30d` or `2w`." });

/** The seconds of a duration. Throws `RangeError` for other text. */
export function durationSeconds(text: string): number {
  const [, count, unit] = pattern.exec(text) ?? [];
  if (unit !== "s" && unit !== "m" && unit !== "h" && unit !== "d" && unit !== "w")
    throw new RangeError(`${text} is not a duration.`);
  return Number(count) * unitSeconds[unit];
}

/** The milliseconds of a duration. Throws `RangeError` for other text. */
export function milliseconds(text: string): number {
  return durationSeconds(text) * 1000;
}

/** Seconds, more than 0, in the largest unit up to days that divides them, so that equal durations have equal text. */
export function durationText(total: number): string {
  const units = ["d", "h", "m", "s"] as const;
  const unit = units.find((one) => total % unitSeconds[one] === 0) ?? "s";
  return `${total / unitSeconds[unit]}${unit}`;
}
