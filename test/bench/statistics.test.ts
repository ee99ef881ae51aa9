import { expect, test } from "vitest";
import { lookUp, median, mediansOf, minus, ratio } from "../../bench/harness/statistics.ts";

test("the median is the middle value, or lies between the two middle values", () => {
  expect(median([])).toBeUndefined();
  expect(median([7])).toBe(7);
  expect(median([30, 9, 100])).toBe(30);
  expect(median([10, 9, 2, 1])).toBe(5.5);
});

test("each figure has its own median, over the runs that have it", () => {
  expect(mediansOf([{ wall: 1, processor: 30 }, { wall: 3, processor: 10 }, { wall: 2 }])).toEqual({
    wall: 2,
    processor: 20,
  });
});

test("a figure that was not measured has no value, nor does anything derived from it", () => {
  const of = lookUp(
    new Map([
      ["plan", [{ wall: 10 }]],
      ["failed", []],
    ]),
  );
  expect(of("plan", "wall")).toBe(10);
  expect([of("plan", "memory"), of("failed", "wall"), of("other", "wall")]).toEqual([undefined, undefined, undefined]);
  expect(ratio(minus(of("plan", "wall"), 4), 3)).toBe(2);
  expect([ratio(1, of("failed", "wall")), minus(undefined, 1), minus(1, undefined), ratio(1, 0)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
