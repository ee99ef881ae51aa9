/** Characters that take two columns. @see Unicode Standard Annex 11, East Asian Width */
const wide =
  /^(?![\uFF61-\uFFDC])[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Bopo}\p{sc=Yiii}\p{sc=Tang}\u3000-\u303E\uFF01-\uFFE6\p{Emoji_Presentation}]/u;
const ascii = /^[\x20-\x7e]*$/;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Columns that a text takes on a terminal. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  return wide.test(grapheme) ? 2 : 1;
}

/** Never part of text from outside: see `visible`. */
export const noBreak = "\u00a0";

/**
 * Lines of at most `width` columns, broken at spaces and never in a word: a word that is longer stands on a line of its
 * own. The first line starts with `first`, the others with `rest`. Newlines count as spaces; `noBreak` is a space that
 * stays within its line.
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

/** As many parts on a line as fit, `gap` between them. */
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

/** Where a line goes on that did not fit. */
export const continuation = "      ";

/** A line with `left` and `right` at its ends where both fit; else `right` stands below. `paint` is laid over `right`. */
export function row(left: string, right: string, width: number, paint: (right: string) => string): readonly string[] {
  const gap = width - displayWidth(left) - displayWidth(right);
  if (right !== "" && gap >= 2 && !`${left}${right}`.includes("\n"))
    return [`${left}${" ".repeat(gap)}${paint(right)}`];
  const indent = /^ */.exec(left)?.[0] ?? "";
  const below = right === "" ? [] : wrap(right, width, continuation);
  return [...wrap(left.trimStart(), width, indent, continuation), ...below.map(paint)];
}

/** A part of a line, and the column at which the character at offset `at` of the line stands in it. */
export interface Cut {
  readonly text: string;
  readonly column: number;
}

/** Cuts one line to `width` columns so that the character at offset `at` is to be seen; an ellipsis says where. */
export function cut(text: string, width: number, ellipsis: string, at = 0): Cut {
  return cutFrom(text, startOfCut(text, width, at), width, ellipsis, at);
}

/** The offset from which a line must be shown so that the character at offset `at` is to be seen in `width` columns. */
export function startOfCut(text: string, width: number, at: number): number {
  const context = Math.floor(width / 4);
  if (displayWidth(text) <= width || displayWidth(text.slice(0, at)) + context <= width) return 0;
  const start = Math.max(0, at - context);
  const splitsCharacter = /[\uDC00-\uDFFF]/.test(text.charAt(start));
  return splitsCharacter ? start - 1 : start;
}

/** What fits of a line from offset `start` on. */
export function cutFrom(line: string, start: number, width: number, ellipsis: string, at = start): Cut {
  const text = line.replaceAll("\n", " ");
  const before = start > 0 ? ellipsis : "";
  const column = displayWidth(`${before}${text.slice(start, at)}`);
  let shown = before;
  let used = displayWidth(before);
  if (used + displayWidth(text.slice(start)) <= width) return { text: `${before}${text.slice(start)}`, column };
  for (const { segment } of graphemes.segment(text.slice(start))) {
    used += graphemeWidth(segment);
    if (used + displayWidth(ellipsis) > width) break;
    shown += segment;
  }
  return { text: `${shown}${ellipsis}`, column };
}
