import { readBlock } from "./plain-block.ts";
import { beginsText, foreign, hasName, inFlow, inName, isOf, isValue, plainValue } from "./plain-scalars.ts";
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

const space = 32;
const doubleQuote = 34;
const hash = 35;
const quote = 39;
const comma = 44;
const hyphen = 45;
const colon = 58;
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
      while (at < end && text.charCodeAt(at) === space) at++;
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
    let rest = from;
    while (rest < end && text.charCodeAt(rest) === space) rest++;
    if (rest > from) tokens += 2;
    return rest === end || (rest > from && text.charCodeAt(rest) === hash);
  }

  function isItem(from: number): boolean {
    return text.charCodeAt(from) === hyphen && text.charCodeAt(from + 1) === space;
  }

  /** Reads the name at a place, if a colon follows it. */
  function keyAt(start: number): Key | undefined {
    const sign = text.charCodeAt(start);
    let stop = start;
    let name: string | undefined;
    if (sign === quote || sign === doubleQuote) {
      const scalar = quoted(start);
      if (typeof scalar?.value !== "string") return undefined;
      values--;
      stop = scalar.end;
      name = scalar.value;
    } else {
      while (stop < end && isOf(inName, text.charCodeAt(stop))) stop++;
      if (stop === start || sign === hyphen || !isOf(beginsText, sign)) return undefined;
      name = text.slice(start, stop);
      if (isValue(name)) return undefined;
    }
    if (text.charCodeAt(stop) !== colon || stop - start > longestName || forbiddenNames.has(name)) return undefined;
    const after = text.charCodeAt(stop + 1);
    if (stop + 1 < end && after !== space) return undefined;
    next = stop + 1;
    tokens += 4;
    return { source, start, end: stop, name };
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
      const value = isOver(next) ? below(column, level) : inline(skipped(next), column, level);
      if (value === undefined) return undefined;
      entries.push({ key, value });
      if (indent < column) return { is: "mapping", source, start, end: lineEnd, entries };
      if (indent > column) return undefined;
    }
  }

  /** Reads the value below a name: indented further, or a list in the same column. */
  function below(column: number, level: number): Tree | undefined {
    advance();
    if (indent > column) return isItem(at) ? list(indent, level + 1) : mapping(indent, level + 1);
    return indent === column && isItem(at) ? list(indent, level + 1) : undefined;
  }

  function list(column: number, level: number): Tree | undefined {
    if (level > deepest) return undefined;
    const start = at;
    const lineEnd = end;
    const entries: Tree[] = [];
    values++;
    while (indent === column && isItem(at)) {
      tokens += 2;
      const from = skipped(at + 1);
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
    const value = isFlow ? flow(from, level + 1) : sign === quote || sign === doubleQuote ? quoted(from) : plain(from);
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

  function skipped(from: number): number {
    let rest = from;
    while (rest < end && text.charCodeAt(rest) === space) rest++;
    return rest;
  }

  /** Reads unquoted text, up to the end of the line or a comment. */
  function plain(start: number): Scalar | undefined {
    const sign = text.charCodeAt(start);
    if (start >= end || !isOf(beginsText, sign)) return undefined;
    let stop = start;
    let rest = start;
    for (; rest < end; rest++) {
      const code = text.charCodeAt(rest);
      if (code === space) continue;
      if (code === hash && stop < rest) break;
      if (code === colon && (rest + 1 === end || text.charCodeAt(rest + 1) === space)) return undefined;
      stop = rest + 1;
    }
    return scalarOf(start, stop);
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
    const sign = text.charAt(start);
    let stop = text.indexOf(sign, start + 1);
    if (sign === "'")
      while (stop !== -1 && stop < end && text.charCodeAt(stop + 1) === quote) stop = text.indexOf(sign, stop + 2);
    if (stop === -1 || stop >= end) return undefined;
    const inner = text.slice(start + 1, stop);
    // Escapes are left to the parser.
    if (sign === '"' && inner.includes("\\")) return undefined;
    const value = sign === "'" && inner.includes("''") ? inner.replaceAll("''", "'") : inner;
    values++;
    tokens += 3;
    return { is: "scalar", source, start, end: stop + 1, value, written: value };
  }

  /** Reads a list or a mapping in brackets on one line, with values that end before a comma or a bracket. */
  function flow(start: number, level: number): Tree | undefined {
    if (level > deepest) return undefined;
    const isList = text.charCodeAt(start) === openBracket;
    const closing = isList ? closeBracket : closeBrace;
    const parts: Tree[] = [];
    const entries: Entry[] = [];
    values++;
    tokens += 6;
    let from = skipped(start + 1);
    while (text.charCodeAt(from) !== closing) {
      const key = isList ? undefined : keyAt(from);
      if (!isList && (key === undefined || hasName(entries, key.name))) return undefined;
      const value = inFlowAt(key === undefined ? from : skipped(next), level);
      if (value === undefined) return undefined;
      if (key === undefined) parts.push(value);
      else entries.push({ key, value });
      from = skipped(value.end);
      tokens += 3;
      if (text.charCodeAt(from) === comma) {
        if (text.charCodeAt(from + 1) !== space) return undefined;
        from = skipped(from + 1);
      } else if (text.charCodeAt(from) !== closing) return undefined;
    }
    const range = { source, start, end: from + 1 };
    return isList ? { is: "list", ...range, entries: parts } : { is: "mapping", ...range, entries };
  }

  function inFlowAt(start: number, level: number): Tree | undefined {
    const sign = text.charCodeAt(start);
    if (start >= end) return undefined;
    if (sign === openBracket || sign === openBrace) return flow(start, level + 1);
    if (sign === quote || sign === doubleQuote) return quoted(start);
    if (!isOf(beginsText, sign)) return undefined;
    let stop = start;
    let rest = start;
    for (; rest < end && isOf(inFlow, text.charCodeAt(rest)); rest++)
      if (text.charCodeAt(rest) !== space) stop = rest + 1;
    return scalarOf(start, stop);
  }

  /** Reads a document. Undefined if more text of it follows, or if it is empty: the parser counts empty documents. */
  function documentHere(): Tree | undefined {
    const document = indent !== 0 ? undefined : isItem(at) ? list(0, 1) : mapping(0, 1);
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
