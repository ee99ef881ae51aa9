import { describe, expect, test } from "vitest";
import {
  alternatives,
  counted,
  didYouMean,
  inOrder,
  nearest,
  quote,
  sharedEnds,
  shortened,
  someOf,
} from "../../src/core/text/words.ts";

test("a count has its noun in singular or plural, and long numbers are grouped", () => {
  expect([0, 1, 2, 1234].map((count) => counted(count, "call"))).toEqual([
    "0 calls",
    "1 call",
    "2 calls",
    "1,234 calls",
  ]);
});

test("alternatives read as in a sentence", () => {
  expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(alternatives)).toEqual(["", "a", "a or b", "a, b or c"]);
});

test("the first ten of a long list are named and the others counted", () => {
  const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
  expect(someOf(numbers)).toBe("1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more");
  expect(someOf(numbers.slice(0, 10))).toBe("1, 2, 3, 4, 5, 6, 7, 8, 9, 10");
  expect(someOf(["a", "b", "c"], 2)).toBe("a, b and 1 more");
  expect(
    someOf(
      Array.from({ length: 1502 }, () => "a"),
      2,
    ),
  ).toBe("a, a and 1,500 more");
});

test("texts are sorted by code unit, and equal ones keep their order", () => {
  expect(["b", "a", "B", "ä"].sort(inOrder)).toEqual(["B", "a", "b", "ä"]);
  expect([inOrder("a", "a"), inOrder("a", "b"), inOrder("b", "a")]).toEqual([0, -1, 1]);
});

test("a shortened text ends between two characters and with an ellipsis", () => {
  expect([3, 4].map((longest) => shortened("abc🪁", longest))).toEqual(["abc…", "abc…"]);
  expect(shortened("\ud83ea🪁", 3)).toBe("\ufffda…");
  expect(shortened("abc🪁", 5)).toBe("abc🪁");
});

describe("a quotation", () => {
  test("shows sixty characters and marks where it was cut", () => {
    const sixty = "x".repeat(60);
    expect(quote(sixty)).toBe(`"${sixty}"`);
    expect(quote(`${sixty}x`)).toBe(`"${sixty}…"`);
  });

  test("contains no character that a terminal would interpret", () => {
    expect(quote('a"b\n\u001b[31m')).toBe('"a\\"b\\n\\u001b[31m"');
    expect(quote("\u007f\u009b2J\u202eab\u2066")).toBe('"\\u007f\\u009b2J\\u202eab\\u2066"');
  });
});

describe("the nearest name", () => {
  test.each([
    ["abc", "abd", true],
    ["abc", "add", false],
    ["abcd", "abxx", true],
    ["abcd", "axxx", false],
    ["abcdefgh", "abcdefxx", true],
    ["abcdefgh", "abcdexxx", false],
    ["abcdefghi", "abcdefxxx", true],
    ["abcdefghi", "abcdexxxx", false],
    ["Project", "pROJECT", true],
    ["rules", "rule", true],
  ])("to %s can be %s: %s", (word, name, isNear) => {
    expect(nearest(word, [name])).toBe(isNear ? name : undefined);
    expect(didYouMean(word, [name])).toBe(isNear ? ` Did you mean "${name}"?` : "");
  });

  test("is the one with the fewest differences, and the first in order of several such", () => {
    expect(nearest("branch", ["brunhc", "branhc", "brench"])).toBe("brench");
    expect(nearest("branch", ["branca", "brancz", "branck"])).toBe("branca");
    expect(nearest("branch", ["brancz", "branck", "branca"])).toBe("branca");
  });

  test("is not searched if a hostile file could make that slow", () => {
    const word = "x".repeat(64);
    expect(nearest(word, [word])).toBe(word);
    expect(nearest(`${word}x`, [word])).toBeUndefined();
    expect(nearest(word, [`${word}x`])).toBeUndefined();
    const names = Array.from({ length: 1000 }, (_, index) => `n${index}`);
    expect(nearest("n0", names)).toBe("n0");
    expect(nearest("n0", [...names, "n"])).toBeUndefined();
  });
});

test.each([
  ["<td>1 March</td>", "<td>15 March</td>", [5, 11]],
  ["aaa", "aaaaa", [3, 0]],
  ["abc", "abc", [3, 0]],
  ["abc", "xyz", [0, 0]],
  ["", "abc", [0, 0]],
])("the equal ends of %j and %j do not overlap", (a, b, ends) => {
  expect(sharedEnds(a, b)).toEqual(ends);
  expect(sharedEnds(b, a)).toEqual(ends);
});
