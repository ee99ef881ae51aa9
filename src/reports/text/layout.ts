import sliceAnsi from "slice-ansi";
import stringWidth from "string-width";
import { grouped, sharedEnds } from "../../core/text/words.ts";
import type { Paint, Style } from "./style.ts";

/**
 * Whether every character takes one column and does not combine with its neighbours: ASCII, Latin letters and our own symbols.
 * Most strings pass this test and need no further measuring.
 */
function isNarrow(text: string): boolean {
  return /^[ -~\u00a0-\u00ac\u00ae-\u02ff→…│✓✗•]*$/.test(text);
}

/** The number of columns that a string takes on a terminal. A character of ambiguous width takes one, as outside East Asian locales. */
export function displayWidth(text: string): number {
  return isNarrow(text) ? text.length : stringWidth(text);
}

/** The part of a string between two columns. */
function columnsOf(text: string, start: number, end?: number): string {
  return isNarrow(text) ? text.slice(start, end) : sliceAnsi(text, start, end);
}

/** Blocks of lines with an empty line between them; those without lines are left out. */
export function paragraphs(blocks: readonly (readonly string[])[]): string {
  return blocks.flatMap((lines) => (lines.length === 0 ? [] : [lines.join("\n")])).join("\n\n");
}

/** Pads a string with trailing spaces to `width` columns. */
export function pad(text: string, width: number): string {
  return `${text}${" ".repeat(Math.max(0, width - displayWidth(text)))}`;
}

/** The width of the widest text that is not wider than `limit`; 0 if there is none. */
export function widest<Item>(items: readonly Item[], textOf: (item: Item) => string, limit = Infinity): number {
  return items.reduce((most, item) => {
    const width = displayWidth(textOf(item));
    return width > most && width <= limit ? width : most;
  }, 0);
}

/** Rows of cells, each cell padded to the width of its column. */
export function inColumns(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const widths = (rows[0] ?? []).map((_cell, column) => widest(rows, (cells) => cells[column] ?? ""));
  return rows.map((cells) => cells.map((cell, column) => pad(cell, widths[column] ?? 0)));
}

/** The items to show, and how many are left out. The count takes a line, so the last of `most` gives way to it. */
export function firstOf<Item>(
  items: readonly Item[],
  most: number,
  all = false,
): { readonly shown: readonly Item[]; readonly more: number } {
  const shown = all || items.length <= most ? items : items.slice(0, most - 1);
  return { shown, more: items.length - shown.length };
}

/** A space at which `wrap` does not break. Text from outside never has one, because `visible` escapes it. */
const noBreak = "\u00a0";

/** A few words that `wrap` keeps on one line. */
export function together(words: string): string {
  return words.replaceAll(" ", noBreak);
}

/**
 * Wraps text into lines of at most `width` columns, at spaces and never within a word: a longer word has a line of its own.
 * The first line starts with `first`, the others with `rest`. Newlines count as spaces; `noBreak` is a space that does not
 * break. Our own code, because libraries change the text. @see docs/decisions/own-code.md
 */
export function wrap(text: string, width: number, first = "", rest = first): readonly string[] {
  const lines: string[] = [];
  let line = first;
  for (const word of text.split(/[ \n]/)) {
    const longer = line === first || line === rest ? `${line}${word}` : `${line} ${word}`;
    if (line.trim() === "" || displayWidth(longer) <= width) line = longer;
    else {
      lines.push(line.trimEnd());
      line = `${rest}${word}`;
    }
  }
  return [...lines, line.trimEnd()].map((text) => text.replaceAll(noBreak, " "));
}

/** Lines with as many parts as fit, with `gap` between them. */
export function flow(parts: readonly string[], width: number, gap: string): readonly string[] {
  const [first = "", ...others] = parts;
  const lines = [first];
  for (const part of others) {
    const longer = `${lines.at(-1)}${gap}${part}`;
    if (displayWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.flatMap((line) => wrap(line, width));
}

export const continuation = "      ";

/** A line with `left` and `right`, which is painted, at its ends if both fit; otherwise `right` goes below. */
export function row(
  left: string,
  right: string,
  style: Pick<Style, "width" | "paint">,
  paint: Paint = "dim",
): readonly string[] {
  const { width } = style;
  const gap = width - displayWidth(left) - displayWidth(right);
  if (right !== "" && gap >= 2 && !`${left}${right}`.includes("\n"))
    return [`${left}${" ".repeat(gap)}${style.paint(paint, right)}`];
  const indent = /^ */.exec(left)?.[0] ?? "";
  const below = right === "" ? [] : wrap(right, width, continuation);
  return [...wrap(left.trimStart(), width, indent, continuation), ...below.map((line) => style.paint(paint, line))];
}

/** The line that counts what is left out; none if nothing is. */
export function leftOutLine(more: number, words: string, indent: string, style: Style): readonly string[] {
  return more === 0 ? [] : [style.paint("dim", `${indent}${style.symbols.ellipsis} ${words}`)];
}

/** The lines of the first items. The rest, if there are any, are counted in a line that starts with `indent`. */
export function listLines<Item>(
  items: readonly Item[],
  { most, all, indent }: { readonly most: number; readonly all: boolean; readonly indent: string },
  style: Style,
  linesOf: (item: Item) => readonly string[],
): readonly string[] {
  const { shown, more } = firstOf(items, most, all);
  return [...shown.flatMap(linesOf), ...leftOutLine(more, `${grouped(more)} more; --all lists them`, indent, style)];
}

/** Cuts one line to `width` columns so that the character at offset `at` is visible, in `column`; an ellipsis marks each cut. */
export function cut(text: string, width: number, ellipsis: string, at: number) {
  const start = startOfCut(text, width, at);
  const before = columnsOf(text, start, displayWidth(text.slice(0, at)));
  return {
    text: cutFrom(text, start, width, ellipsis),
    column: displayWidth(start > 0 ? `${ellipsis}${before}` : before),
  };
}

/** The column from which to show a line so that the character at offset `at` is visible within `width` columns. */
function startOfCut(text: string, width: number, at: number): number {
  const context = Math.floor(width / 4);
  const column = displayWidth(text.slice(0, at));
  return displayWidth(text) <= width || column + context <= width ? 0 : Math.max(0, column - context);
}

/** The column from which to show each of two lines, the same for both, so that their first difference is visible. */
export function startOfPair(text: string, other: string, width: number): number {
  const [differsAt] = sharedEnds(text, other);
  return Math.max(startOfCut(text, width, differsAt), startOfCut(other, width, differsAt));
}

/** Cuts a line to the `width` columns from column `start` on. Newlines count as spaces. */
export function cutFrom(line: string, start: number, width: number, ellipsis: string): string {
  const text = line.replaceAll("\n", " ");
  const before = start > 0 ? ellipsis : "";
  const end = start + width - displayWidth(before);
  if (displayWidth(text) <= end) return `${before}${columnsOf(text, start)}`;
  return `${before}${columnsOf(text, start, end - displayWidth(ellipsis))}${ellipsis}`;
}
