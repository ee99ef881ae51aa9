import { PlainCursor } from "./plain-cursor.ts";
import { beginsFlow, readFlow } from "./plain-flow.ts";
import { afterSpaces, foreign, hasName, isItem, isQuote } from "./plain-scalars.ts";
import type { SourceText } from "./source-text.ts";
import type { Entry, Mapping, Tree } from "./tree.ts";

/** A part of a file that the parser reads: a document, with the separator before it. */
interface Part {
  readonly is: "part";
  readonly start: number;
  readonly end: number;
}

/** The documents of a file, and what the parser would have spent to read those that are plain. */
export interface PlainDocuments {
  readonly documents: readonly (Tree | Part)[];
  /** The number of values in all plain documents. */
  readonly values: number;
  /** An upper bound on the parser's words and signs in them. */
  readonly words: number;
}

/** The maximum number of nested lists and mappings that are read here. */
const mostLevels = 20;

const bar = 124;
const greater = 62;

/**
 * What can end a document other than a line that starts with `---`, what no document may have, and a tab that the parser
 * refuses only if a separator follows.
 */
const divides = /^(?:\ufeff?%|\.\.\.(?![^ \t\r\n])| *\t)|(?![\t\n\r])\p{Cc}/mu;

/**
 * Reads a file in the plain subset of YAML that most manifests use: mappings and lists in block style, text on one line or
 * below a `|` or a `>`, lists and mappings in brackets. The trees are identical to those that the parser would produce.
 * A document with anything else, including errors, is a part: the parser reads it, and says what is wrong. Undefined if the
 * parser might divide the file otherwise.
 *
 * @see docs/decisions/plain-yaml.md
 */
export function readPlain(source: SourceText, mostDepth: number): PlainDocuments | undefined {
  const { text } = source;
  const levels = Math.min(mostDepth, mostLevels);
  const isForeign = foreign.test(text);
  const documents: (Tree | Part)[] = [];
  const cursor = new PlainCursor(source, 0);
  let start = 0;
  do {
    const { at, values, words } = cursor;
    const isPart = isForeign && foreign.test(text.slice(start, endOfDocument(text, at)));
    const document = isPart ? undefined : documentAt(cursor, levels);
    if (document === undefined) {
      const end = endOfDocument(text, at);
      documents.push({ is: "part", start, end });
      cursor.moveTo(end, { values, words });
    } else if (document.is !== "scalar") documents.push(document);
    start = cursor.at;
  } while (cursor.at < text.length);
  const isDivided = documents.some(({ is }) => is === "part") && divides.test(text);
  return isDivided ? undefined : { documents, values: cursor.values, words: cursor.words };
}

/** Returns where the line starts that separates the document at a place from the next one. */
function endOfDocument(text: string, start: number): number {
  const separator = /\n---(?![^ \t\r\n])/g;
  separator.lastIndex = start;
  const found = separator.exec(text);
  return found === null ? text.length : found.index + 1;
}

/** Reads the document at a place again, where `readPlain` found it. */
export function readPlainAgain(source: SourceText, start: number): Tree {
  const document = documentAt(new PlainCursor(source, start), mostLevels);
  if (document === undefined) throw new Error(`${source.file} has no document at ${start}`);
  return document;
}

/** Reads a document and the separator before it. An empty document is a scalar. Undefined if more text of it follows. */
function documentAt(cursor: PlainCursor, levels: number): Tree | undefined {
  cursor.words += 4;
  if (cursor.isMark) {
    const from = cursor.at + 3;
    if (!cursor.isOver(from)) return undefined;
    cursor.advance();
    if (cursor.indent === -1) return cursor.nothing(from);
  }
  const { source, at, indent: column } = cursor;
  if (column !== 0) return undefined;
  const document = isItem(source.text, at) ? list(cursor, column, levels) : mapping(cursor, column, levels);
  return cursor.indent === -1 ? document : undefined;
}

function mapping(cursor: PlainCursor, column: number, levels: number): Mapping | undefined {
  if (levels <= 0) return undefined;
  const { source, at: start, end } = cursor;
  const entries: Entry[] = [];
  cursor.values++;
  for (;;) {
    const key = cursor.keyAt(cursor.at);
    if (key === undefined || hasName(entries, key.name)) return undefined;
    const from = afterSpaces(source.text, cursor.next);
    const value = cursor.isOver(cursor.next)
      ? below(cursor, from, column, levels)
      : inline(cursor, from, column, levels);
    if (value === undefined) return undefined;
    entries.push({ key, value });
    if (cursor.indent < column) return { is: "mapping", source, start, end, entries };
    if (cursor.indent > column) return undefined;
  }
}

/** Reads the value below a name: indented further, or a list in the same column. Without one, the value ends at `from`. */
function below(cursor: PlainCursor, from: number, column: number, levels: number): Tree | undefined {
  cursor.advance();
  const { indent } = cursor;
  const isList = isItem(cursor.source.text, cursor.at);
  if (indent > column) return isList ? list(cursor, indent, levels - 1) : mapping(cursor, indent, levels - 1);
  return indent === column && isList ? list(cursor, indent, levels - 1) : cursor.nothing(from);
}

function list(cursor: PlainCursor, column: number, levels: number): Tree | undefined {
  if (levels <= 0) return undefined;
  const { source, at: start, end } = cursor;
  const entries: Tree[] = [];
  cursor.values++;
  while (cursor.indent === column && isItem(source.text, cursor.at)) {
    cursor.words += 2;
    const from = afterSpaces(source.text, cursor.at + 1);
    const inner = column + from - cursor.at;
    const { words } = cursor;
    const isMapping = cursor.keyAt(from) !== undefined;
    cursor.words = words;
    cursor.at = from;
    const entry = isMapping ? mapping(cursor, inner, levels - 1) : inline(cursor, from, column, levels);
    if (entry === undefined) return undefined;
    entries.push(entry);
  }
  return { is: "list", source, start, end, entries };
}

/** Reads a value that begins on the current line, and moves to the next line. */
function inline(cursor: PlainCursor, from: number, column: number, levels: number): Tree | undefined {
  const sign = cursor.source.text.charCodeAt(from);
  if (sign === bar || sign === greater) return cursor.block(from, column);
  const value = beginsFlow(sign)
    ? readFlow(cursor, from, column, levels - 1)
    : isQuote(sign)
      ? cursor.quoted(from)
      : cursor.plain(from);
  if (value === undefined || !cursor.isOver(value.end)) return undefined;
  cursor.advance();
  return value;
}
