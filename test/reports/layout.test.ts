import stringWidth from "string-width";
import { expect, test } from "vitest";
import { cut, cutFrom, displayWidth, flow, pad, row, wrap } from "../../src/reports/text/layout.ts";

test.each<readonly [what: string, text: string, columns: number]>([
  ["ASCII", "abc", 3],
  ["Han", "日本", 4],
  ["Hangul", "한글", 4],
  ["Hangul that is decomposed, as macOS writes names of files", "한글".normalize("NFD"), 4],
  ["fullwidth Latin", "Ａ", 2],
  ["halfwidth Katakana", "ｶﾅ", 2],
  ["a letter with an accent", "é", 1],
  ["a letter with a combining accent", "e\u0301", 1],
  ["an emoji", "🙂", 2],
  ["an emoji with a skin tone", "👍🏽", 2],
  ["emoji joined to one", "👨‍👩‍👧‍👦", 2],
  ["a flag", "🇩🇪", 2],
  ["a keycap", "1️⃣", 2],
  ["a character that is shown as text", "❤", 1],
  ["the same shown as emoji by a variation selector", "❤️", 2],
  ["ambiguous characters", "→…│±Ω①", 6],
  ["characters without a width", "a\u200bb\u200c\ufeff\u00ad", 2],
])("the width of %s is that on a terminal", (_, text, columns) => {
  expect(displayWidth(text)).toBe(columns);
});

test("Latin letters and symbols have the width of a terminal's table, alone and beside others", () => {
  const characters = [...Array.from({ length: 0x350 }, (_, code) => String.fromCharCode(code)), ..."→…│✓✗•×"];
  const texts = characters.flatMap((character) => [character, `1${character}a`]);
  expect(texts.filter((text) => displayWidth(text) !== stringWidth(text))).toEqual([]);
});

test("columns of a table are aligned, whatever they contain", () => {
  const names = ["main", "日本語", "e\u0301te\u0301", "👨‍👩‍👧‍👦 team", "❤️"];
  const width = Math.max(...names.map(displayWidth));
  expect(names.map((name) => displayWidth(pad(name, width)))).toEqual([7, 7, 7, 7, 7]);
  expect(pad("longer", 3)).toBe("longer");
});

test("text is wrapped only at spaces", () => {
  expect(wrap("one two extraordinarily three", 9, "- ", "  ")).toEqual(["- one two", "  extraordinarily", "  three"]);
  expect(wrap("one\ntwo", 20)).toEqual(["one two"]);
  expect(wrap("1\u00a0call of many", 7)).toEqual(["1 call", "of many"]);
  expect(wrap("日本 한글 👨‍👩‍👧‍👦 ❤️ 日本語日本語", 9)).toEqual(["日本 한글", "👨‍👩‍👧‍👦 ❤️", "日本語日本語"]);
});

test("the right end of a line moves to the next one if it does not fit", () => {
  const style = (width: number) => ({ width, paint: (_paint: string, text: string) => text.toUpperCase() });
  expect(row("  left", "right", style(13))).toEqual(["  left  RIGHT"]);
  expect(row("  left", "right", style(12))).toEqual(["  left", "      RIGHT"]);
  expect(row("  two words", "", style(8))).toEqual(["  two", "      words"]);
});

test("wrapped text keeps its characters unchanged, so that an address can be copied from it", () => {
  const decomposed = "cafe\u0301/한글".normalize("NFD");
  expect(wrap(`${decomposed} ${decomposed}`, 10)).toEqual([decomposed, decomposed]);
});

test("parts of a flow stay whole", () => {
  expect(flow(["1 in sync", "2 pending", "3 unknown"], 21, "   ")).toEqual(["1 in sync   2 pending", "3 unknown"]);
});

test("a cut line shows the requested character and marks where it was cut", () => {
  expect(cut("abcdefghij", 10, "…", 0)).toEqual({ text: "abcdefghij", column: 0 });
  expect(cut("abcdefghijk", 10, "…", 0)).toEqual({ text: "abcdefghi…", column: 0 });
  expect(cut("abcdefghijklmnopqrstuvwxyz", 10, "…", 13)).toEqual({ text: "…lmnopqrs…", column: 3 });
});

test("a cut never splits a character", () => {
  expect(cut("🙂".repeat(20), 10, "…", 20)).toEqual({ text: "…🙂🙂🙂🙂…", column: 3 });
  expect(cut(`a${"🙂".repeat(20)}`, 13, "…", 21)).toEqual({ text: "…🙂🙂🙂🙂🙂…", column: 3 });
  expect(cutFrom("e\u0301".repeat(20), 0, 5, "…")).toBe(`${"e\u0301".repeat(4)}…`);
  expect(cutFrom("👨‍👩‍👧‍👦".repeat(9), 0, 6, "…")).toBe("👨‍👩‍👧‍👦👨‍👩‍👧‍👦…");
  expect(cutFrom("日本\n日本", 0, 9, "…")).toBe("日本 日本");
});
