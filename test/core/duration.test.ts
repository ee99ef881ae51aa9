import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Duration, durationText, milliseconds } from "../../src/core/text/duration.ts";

describe("a duration", () => {
  test.each([
    ["500ms", 500],
    ["45s", 45_000],
    ["1h", 3_600_000],
    ["90d", 90 * 86_400_000],
    ["2w", 14 * 86_400_000],
  ])("%s is %i milliseconds", (text, expected) => {
    expect(Duration.parse(text)).toBe(text);
    expect(milliseconds(text)).toBe(expected);
  });

  test.each(["", "90", "0d", "1.5d", "-1d", "1 d", "1D", "1y", "P1D", "10000000000000s", "ms", "1h30m", "1dd"])(
    "%j is not a duration",
    (text) => {
      const said = "expected a duration such as 500ms, 12h, 90d or 2w";
      expect(Duration.safeParse(text).error?.issues).toMatchObject([{ message: said }]);
      expect(() => milliseconds(text)).toThrow(new RangeError(`${text} is not a duration.`));
    },
  );

  test("has a limit, so that a moment that long ago can still be written as a date", () => {
    expect(Duration.safeParse("365000d").success).toBe(true);
    expect(Duration.safeParse("365001d").error?.issues).toMatchObject([{ message: "expected at most 365000d" }]);
  });

  test("has one text for each length, whatever the unit in which it was stated", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.constantFrom("ms", "s", "m", "h", "d", "w"), (count, unit) => {
        const text = durationText(milliseconds(`${count}${unit}`));
        expect(milliseconds(Duration.parse(text))).toBe(milliseconds(`${count}${unit}`));
        expect(durationText(milliseconds(text))).toBe(text);
      }),
    );
    expect([durationText(milliseconds("2w")), durationText(milliseconds("336h"))]).toEqual(["14d", "14d"]);
  });
});
