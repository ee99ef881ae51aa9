import { expect, test } from "vitest";
import { isMet, shown } from "../../bench/harness/figures.ts";

test.each([
  [0.137, "times", "0.14 ×"],
  [2, "times", "2 ×"],
  [12.34, "times", "12.3 ×"],
  [20.4, "milliseconds", "20.4 ms"],
  [420, "milliseconds", "0.42 s"],
  [123_456, "milliseconds", "123 s"],
  [408_000, "bytes", "408 kB"],
  [23_400_000, "bytes", "23.4 MB"],
  [1_234_000_000, "bytes", "1,234 MB"],
  [1000, "count", "1,000"],
] as const)("%d %s is shown as %s", (value, unit, text) => {
  expect(shown(value, unit)).toBe(text);
});

test("a target is met on its own side of the value, and nothing is said without a target", () => {
  const target = (is: "at most" | "at least") => ({ is, value: 2 });
  expect([1, 2, 3].map((value) => isMet({ value, target: target("at most") }))).toEqual([true, true, false]);
  expect([1, 2, 3].map((value) => isMet({ value, target: target("at least") }))).toEqual([false, true, true]);
  expect(isMet({ value: 1 })).toBeUndefined();
});
