import type { PlainCursor } from "./plain-cursor.ts";
import { afterSpaces, beginsText, endInFlow, hash, hasName, isOf, isQuote, space } from "./plain-scalars.ts";
import type { Entry, Tree } from "./tree.ts";

const comma = 44;
const openBracket = 91;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/** Whether a list or a mapping in brackets begins with a character. */
export function beginsFlow(sign: number): boolean {
  return sign === openBracket || sign === openBrace;
}

/**
 * Reads a list or a mapping in brackets, with values that end on their line. Further lines must be indented further than
 * `column`. Undefined if the parser should read it.
 */
export function readFlow(cursor: PlainCursor, start: number, column: number, levels: number): Tree | undefined {
  if (levels <= 0) return undefined;
  cursor.values++;
  cursor.words += 6;
  return cursor.source.text.charCodeAt(start) === openBracket
    ? flowList(cursor, start, column, levels)
    : flowMapping(cursor, start, column, levels);
}

function flowList(cursor: PlainCursor, start: number, column: number, levels: number): Tree | undefined {
  const { source, end } = cursor;
  const entries: Tree[] = [];
  let from = skipped(cursor, start + 1, column);
  while (source.text.charCodeAt(from) !== closeBracket) {
    const value = valueAt(cursor, from, column, levels);
    if (value === undefined || !separates(cursor, value.end, column, closeBracket)) return undefined;
    entries.push(value);
    from = cursor.next;
  }
  return { is: "list", source, start, end: Math.min(from + 1, end), entries };
}

function flowMapping(cursor: PlainCursor, start: number, column: number, levels: number): Tree | undefined {
  const { source, end } = cursor;
  const entries: Entry[] = [];
  let from = skipped(cursor, start + 1, column);
  while (source.text.charCodeAt(from) !== closeBrace) {
    const key = from < 0 ? undefined : cursor.keyAt(from);
    if (key === undefined || hasName(entries, key.name)) return undefined;
    const value = valueAt(cursor, afterSpaces(source.text, cursor.next), column, levels);
    if (value === undefined || !separates(cursor, value.end, column, closeBrace)) return undefined;
    entries.push({ key, value });
    from = cursor.next;
  }
  return { is: "mapping", source, start, end: Math.min(from + 1, end), entries };
}

function valueAt(cursor: PlainCursor, start: number, column: number, levels: number): Tree | undefined {
  const { text } = cursor.source;
  if (start < 0 || start >= cursor.end) return undefined;
  const sign = text.charCodeAt(start);
  if (beginsFlow(sign)) return readFlow(cursor, start, column, levels - 1);
  if (isQuote(sign)) return cursor.quoted(start);
  return isOf(beginsText, sign) ? cursor.scalar(start, endInFlow(text, start, cursor.end)) : undefined;
}

/** Whether a comma and a space or the closing bracket follow a value. Reading continues behind the comma or at the bracket. */
function separates(cursor: PlainCursor, from: number, column: number, closing: number): boolean {
  const { text } = cursor.source;
  cursor.words += 3;
  cursor.next = skipped(cursor, from, column);
  if (text.charCodeAt(cursor.next) === closing) return true;
  const after = cursor.next + 1;
  if (text.charCodeAt(cursor.next) !== comma || (text.charCodeAt(after) !== space && after !== cursor.end))
    return false;
  cursor.next = skipped(cursor, after, column);
  return true;
}

/** Returns where text follows on this line, or on another one that is indented further than `column`. Negative if none does. */
function skipped(cursor: PlainCursor, from: number, column: number): number {
  const { text } = cursor.source;
  let at = afterSpaces(text, from);
  while (at === cursor.end || (text.charCodeAt(at) === hash && at > from)) {
    cursor.words += 3;
    cursor.advance();
    if (cursor.indent <= column) return -1;
    at = cursor.at;
  }
  return at;
}
