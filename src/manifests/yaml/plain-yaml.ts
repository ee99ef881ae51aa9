import {
  afterSpaces,
  beginsText,
  closingQuote,
  colon,
  endInFlow,
  endOfName,
  endOfText,
  foreign,
  hash,
  hasName,
  isItem,
  isOf,
  isQuote,
  isValue,
  plainValue,
  readBlock,
  space,
  unquoted,
} from "./plain-scalars.ts";
import type { SourceText } from "./source-text.ts";
import { type Entry, forbiddenNames, type Key, type Mapping, type Scalar, type Tree } from "./tree.ts";

/** The documents of a file, and what the parser would have spent to read them. */
export interface PlainDocuments {
  readonly documents: readonly Tree[];
  /** The number of values in all documents. */
  readonly values: number;
  /** An upper bound on the parser's words and signs. */
  readonly words: number;
}

/** The maximum number of nested lists and mappings that are read here. */
const mostLevels = 20;

/** The maximum length of a name that is read here. */
const longestName = 200;

const comma = 44;
const openBracket = 91;
const closeBracket = 93;
const openBrace = 123;
const bar = 124;
const closeBrace = 125;

/**
 * Reads a file in the plain subset of YAML that most manifests use: mappings and lists in block style, text on one line or
 * below a `|`, short lists and mappings in brackets. The trees are identical to those that the parser would produce.
 * Undefined for anything else, including errors: the parser reads it, and says what is wrong.
 *
 * @see docs/decisions/plain-yaml.md
 */
export function readPlain(source: SourceText, mostDepth: number): PlainDocuments | undefined {
  if (foreign.test(source.text)) return undefined;
  return read(source, { from: 0, most: Number.POSITIVE_INFINITY, deepest: Math.min(mostDepth, mostLevels) });
}

/** Reads the document at a place again, where `readPlain` found it. */
export function readPlainAgain(source: SourceText, start: number): Tree {
  const [document] = read(source, { from: start, most: 1, deepest: mostLevels })?.documents ?? [];
  if (document === undefined) throw new Error(`${source.file} has no document at ${start}`);
  return document;
}

interface Extent {
  /** The start of the first line, and the maximum number of documents to read. */
  readonly from: number;
  readonly most: number;
  readonly deepest: number;
}

function read(source: SourceText, { from: first, most, deepest }: Extent): PlainDocuments | undefined {
  const { text } = source;
  const size = text.length;
  let [values, tokens] = [0, 0];
  /** The current line: the offset of its first character, that character's column, and the end. */
  let [at, indent, end] = [0, -1, first - 1];
  let isMark = false;
  /** Where reading continues in the line. */
  let next = 0;

  /** Moves to the next line that has more than a comment. At a separator and at the end, the column is -1. */
  function advance(): void {
    for (;;) {
      const start = end + 1;
      isMark = false;
      indent = -1;
      at = start;
      if (start >= size) return;
      end = text.indexOf("\n", start);
      if (end === -1) end = size;
      tokens += 2;
      at = afterSpaces(text, start);
      if (at === end || text.charCodeAt(at) === hash) {
        tokens += 2;
        continue;
      }
      isMark = at === start && text.startsWith("---", at) && end === at + 3;
      indent = isMark ? -1 : at - start;
      return;
    }
  }

  /** Whether the rest of the line is empty, apart from a comment. */
  function isOver(from: number): boolean {
    const rest = afterSpaces(text, from);
    if (rest > from) tokens += 2;
    return rest === end || (rest > from && text.charCodeAt(rest) === hash);
  }

  /** Reads the name at a place, if a colon follows it. */
  function keyAt(start: number): Key | undefined {
    const sign = text.charCodeAt(start);
    const name = isQuote(sign) ? quotedName(start) : plainName(start);
    const stop = next;
    if (name === undefined || stop - start > longestName || forbiddenNames.has(name)) return undefined;
    if (text.charCodeAt(stop) !== colon || (stop + 1 < end && text.charCodeAt(stop + 1) !== space)) return undefined;
    next = stop + 1;
    tokens += 4;
    return { source, start, end: stop, name };
  }

  function quotedName(start: number): string | undefined {
    const scalar = quoted(start);
    if (scalar === undefined) return undefined;
    values--;
    next = scalar.end;
    return scalar.written;
  }

  function plainName(start: number): string | undefined {
    next = endOfName(text, start, end);
    const name = text.slice(start, next);
    return name === "" || isValue(name) ? undefined : name;
  }

  function mapping(column: number, level: number): Mapping | undefined {
    if (level > deepest) return undefined;
    const start = at;
    const lineEnd = end;
    const entries: Entry[] = [];
    values++;
    for (;;) {
      const key = keyAt(at);
      if (key === undefined || hasName(entries, key.name)) return undefined;
      const value = isOver(next) ? below(column, level) : inline(afterSpaces(text, next), column, level);
      if (value === undefined) return undefined;
      entries.push({ key, value });
      if (indent < column) return { is: "mapping", source, start, end: lineEnd, entries };
      if (indent > column) return undefined;
    }
  }

  /** Reads the value below a name: indented further, or a list in the same column. */
  function below(column: number, level: number): Tree | undefined {
    advance();
    if (indent > column) return isItem(text, at) ? list(indent, level + 1) : mapping(indent, level + 1);
    return indent === column && isItem(text, at) ? list(indent, level + 1) : undefined;
  }

  function list(column: number, level: number): Tree | undefined {
    if (level > deepest) return undefined;
    const start = at;
    const lineEnd = end;
    const entries: Tree[] = [];
    values++;
    while (indent === column && isItem(text, at)) {
      tokens += 2;
      const from = afterSpaces(text, at + 1);
      const inner = column + from - at;
      const before = [values, tokens] as const;
      const isMapping = keyAt(from) !== undefined;
      [values, tokens] = before;
      at = from;
      const entry = isMapping ? mapping(inner, level + 1) : inline(from, column, level);
      if (entry === undefined) return undefined;
      entries.push(entry);
    }
    return { is: "list", source, start, end: lineEnd, entries };
  }

  /** Reads a value that begins on the current line, and moves to the next line. */
  function inline(from: number, column: number, level: number): Tree | undefined {
    const sign = text.charCodeAt(from);
    if (sign === bar) return block(from, column);
    const isFlow = sign === openBracket || sign === openBrace;
    const value = isFlow ? flow(from, level + 1) : isQuote(sign) ? quoted(from) : plain(from);
    if (value === undefined || !isOver(value.end)) return undefined;
    advance();
    return value;
  }

  function block(start: number, column: number): Scalar | undefined {
    const found = readBlock(source, start, column);
    if (found !== undefined) end = found.end - 1;
    values++;
    tokens += 6;
    advance();
    return found;
  }

  /** Reads unquoted text, up to the end of the line or a comment. */
  function plain(start: number): Scalar | undefined {
    if (start >= end || !isOf(beginsText, text.charCodeAt(start))) return undefined;
    const stop = endOfText(text, start, end);
    return stop === undefined ? undefined : scalarOf(start, stop);
  }

  function scalarOf(start: number, stop: number): Scalar | undefined {
    const written = text.slice(start, stop);
    const value = plainValue(written);
    values++;
    tokens += 3;
    return value === undefined ? undefined : { is: "scalar", source, start, end: stop, value, written };
  }

  /** Reads quoted text that ends on its line. */
  function quoted(start: number): Scalar | undefined {
    const stop = closingQuote(text, start, end);
    if (stop === undefined) return undefined;
    const value = unquoted(text.charCodeAt(start), text.slice(start + 1, stop));
    if (value === undefined) return undefined;
    values++;
    tokens += 3;
    return { is: "scalar", source, start, end: stop + 1, value, written: value };
  }

  /** Reads a list or a mapping in brackets on one line, with values that end before a comma or a bracket. */
  function flow(start: number, level: number): Tree | undefined {
    if (level > deepest) return undefined;
    values++;
    tokens += 6;
    return text.charCodeAt(start) === openBracket ? flowList(start, level) : flowMapping(start, level);
  }

  function flowList(start: number, level: number): Tree | undefined {
    const entries: Tree[] = [];
    let from = afterSpaces(text, start + 1);
    while (text.charCodeAt(from) !== closeBracket) {
      const value = inFlowAt(from, level);
      if (value === undefined || !separates(value.end, closeBracket)) return undefined;
      entries.push(value);
      from = next;
    }
    return { is: "list", source, start, end: from + 1, entries };
  }

  function flowMapping(start: number, level: number): Tree | undefined {
    const entries: Entry[] = [];
    let from = afterSpaces(text, start + 1);
    while (text.charCodeAt(from) !== closeBrace) {
      const key = keyAt(from);
      if (key === undefined || hasName(entries, key.name)) return undefined;
      const value = inFlowAt(afterSpaces(text, next), level);
      if (value === undefined || !separates(value.end, closeBrace)) return undefined;
      entries.push({ key, value });
      from = next;
    }
    return { is: "mapping", source, start, end: from + 1, entries };
  }

  /** Whether a comma and a space or the closing bracket follow a value. Reading continues behind the comma or at the bracket. */
  function separates(from: number, closing: number): boolean {
    tokens += 3;
    next = afterSpaces(text, from);
    if (text.charCodeAt(next) === closing) return true;
    if (text.charCodeAt(next) !== comma || text.charCodeAt(next + 1) !== space) return false;
    next = afterSpaces(text, next + 1);
    return true;
  }

  function inFlowAt(start: number, level: number): Tree | undefined {
    const sign = text.charCodeAt(start);
    if (start >= end) return undefined;
    if (sign === openBracket || sign === openBrace) return flow(start, level + 1);
    if (isQuote(sign)) return quoted(start);
    if (!isOf(beginsText, sign)) return undefined;
    return scalarOf(start, endInFlow(text, start, end));
  }

  /** Reads a document. Undefined if more text of it follows, or if it is empty: the parser counts empty documents. */
  function documentHere(): Tree | undefined {
    const document = indent !== 0 ? undefined : isItem(text, at) ? list(0, 1) : mapping(0, 1);
    return indent === -1 ? document : undefined;
  }

  const documents: Tree[] = [];
  advance();
  if (isMark) advance();
  for (;;) {
    const document = documentHere();
    if (document === undefined) return undefined;
    documents.push(document);
    tokens += 4;
    if (!isMark || documents.length === most) return { documents, values, words: tokens };
    advance();
  }
}
