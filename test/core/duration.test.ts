import { describe, expect, test } from "vitest";
import { Duration, milliseconds } from "../../src/core/duration.ts";

describe("a duration", () => {
  test.each([
    ["45s", 45_000],
    ["1h", 3_600_000],
    ["90d", 90 * 86_400_000],
    ["2w", 14 * 86_400_000],
  ])("%s is %i milliseconds", (text, expected) => {
    expect(Duration.parse(text)).toBe(text);
    expect(milliseconds(text)).toBe(expected);
  });

  test.each(["", "90", "0d", "1.5d", "-1d", "1 d", "1D", "1y", "P1D", "1000000000d"])("%j is none", (text) => {
    expect(Duration.safeParse(text).success).toBe(false);
    expect(() => milliseconds(text)).toThrow(RangeError);
  });
});
