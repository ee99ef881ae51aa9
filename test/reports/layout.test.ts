import { expect, test } from "vitest";
import { cut, displayWidth, flow, row, wrap } from "../../src/reports/layout.ts";

test("widths are those of a terminal", () => {
  expect(["abc", "日本", "ｶﾅ", "é", "e\u0301", "🙂", "Ω"].map(displayWidth)).toEqual([3, 4, 2, 1, 1, 2, 1]);
});

test("text is broken at spaces only", () => {
  expect(wrap("one two extraordinarily three", 9, "- ", "  ")).toEqual(["- one two", "  extraordinarily", "  three"]);
  expect(wrap("one\ntwo", 20)).toEqual(["one two"]);
  expect(wrap("1\u00a0call of many", 7)).toEqual(["1 call", "of many"]);
});

test("the right end of a line goes below where it does not fit", () => {
  const paint = (text: string) => text.toUpperCase();
  expect(row("  left", "right", 13, paint)).toEqual(["  left  RIGHT"]);
  expect(row("  left", "right", 12, paint)).toEqual(["  left", "      RIGHT"]);
  expect(row("  two words", "", 8, paint)).toEqual(["  two", "      words"]);
});

test("parts stay whole", () => {
  expect(flow(["1 in sync", "2 pending", "3 unknown"], 21, "   ")).toEqual(["1 in sync   2 pending", "3 unknown"]);
});

test("a cut line shows the wanted character and says where it was cut", () => {
  expect(cut("abcdefghij", 10, "…")).toEqual({ text: "abcdefghij", column: 0 });
  expect(cut("abcdefghijk", 10, "…")).toEqual({ text: "abcdefghi…", column: 0 });
  expect(cut("abcdefghijklmnopqrstuvwxyz", 10, "…", 13)).toEqual({ text: "…lmnopqrs…", column: 3 });
  expect(cut("🙂".repeat(20), 10, "…", 21)).toEqual({ text: "…🙂🙂🙂🙂…", column: 4 });
});
