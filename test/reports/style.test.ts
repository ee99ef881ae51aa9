import { expect, test } from "vitest";
import { styleOf, visibleStrings } from "../../src/reports/text/style.ts";

test("only the options of a screen decide whether it is painted", () => {
  const painted = (color: boolean) => styleOf({ width: 80, color }).paint("red", "gone");
  expect([painted(true), painted(false)]).toEqual(["\u001b[31mgone\u001b[39m", "gone"]);
});

test("painted text can be nested", () => {
  const { paint } = styleOf({ width: 80, color: true });
  expect(paint("dim", `a ${paint("bold", "b")} c`)).toBe("\u001b[2ma \u001b[1mb\u001b[22m\u001b[2m c\u001b[22m");
  expect(paint("red", "")).toBe("");
});

test("JSON is shown with the invisible characters of every string and name escaped, except newlines in strings", () => {
  const value = { "a\nb\u202e": [["\u001b[31m\nred"], { deep: "\u200b", n: 1, none: null }], same: ["ü"] };
  const shown = { "a\\nb\\u{202e}": [["\\u{1b}[31m\nred"], { deep: "\\u{200b}", n: 1, none: null }], same: ["ü"] };
  expect(visibleStrings(value)).toEqual(shown);
  expect(visibleStrings([{ "\u202e": 1 }])).toEqual([{ "\\u{202e}": 1 }]);
});

test("signs that are drawn as nothing, such as the empty Braille pattern, are escaped", () => {
  expect(visibleStrings("admins\u2800\u{1d159}")).toBe("admins\\u{2800}\\u{1d159}");
});

test("values without invisible characters are not copied", () => {
  const seen = { list: ["plain", "Grüße", { n: 1 }] };
  const value = { seen, other: ["\u200b"] };
  const shown = visibleStrings(value);
  expect(shown.seen).toBe(seen);
  expect(visibleStrings(seen)).toBe(seen);
});
