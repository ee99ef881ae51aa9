import { endOfForm, foreign, forms, isValue, plainValue, readBlock, unquoted } from "./plain-text.ts";
import { endOfLine, type SourceText } from "./source-text.ts";
import { type Entry, forbiddenNames, type Key, type Scalar, type Tree } from "./tree.ts";

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
}

/** The maximum number of nested lists and mappings that are read here. */
const mostLevels = 20;
/** The maximum number of names in one mapping that are read here: each is compared with those before it. */
const mostNames = 100;
/** The maximum length of a name that is read here. */
const longestName = 200;

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
  const reader = new Reader(source, 0);
  let start = 0;
  do {
    const { at, values } = reader;
    const isPart = isForeign && foreign.test(text.slice(start, endOfDocument(text, at)));
    const document = isPart ? undefined : reader.document(levels);
    if (document === undefined) {
      const end = endOfDocument(text, at);
      documents.push({ is: "part", start, end });
      reader.values = values;
      reader.moveTo(end);
    } else if (document.is !== "scalar") documents.push(document);
    start = reader.at;
  } while (reader.at < text.length);
  const isDivided = documents.some(({ is }) => is === "part") && divides.test(text);
  return isDivided ? undefined : { documents, values: reader.values };
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
  const document = new Reader(source, start).document(mostLevels);
  if (document === undefined) throw new Error(`${source.file} has no document at ${start}`);
  return document;
}

/** Reads a file line by line. What it leaves to the parser is undefined. */
class Reader {
  private readonly source: SourceText;
  private readonly text: string;
  /** The number of values so far. */
  values = 0;
  /** The offset of the current line's first character. */
  at = 0;
  /** That character's column; -1 at a separator of documents and at the end of the file. */
  private column = -1;
  /** Where the text of the current line ends, and where the next line starts. */
  private end = 0;
  private nextLine = 0;
  private isSeparator = false;
  /** Where reading continues behind a name, or in brackets. */
  private next = 0;

  constructor(source: SourceText, from: number) {
    this.source = source;
    this.text = source.text;
    this.moveTo(from);
  }

  /** Moves to the first line from a place on that has more than a comment. */
  moveTo(from: number): void {
    const { text } = this;
    let [start, at] = [from, this.afterSpaces(from)];
    // At the end of the file there is no character, which is in any text.
    while (start < text.length && "#\r\n".includes(text.charAt(at))) {
      start = text.indexOf("\n", at) + 1 || text.length;
      at = this.afterSpaces(start);
    }
    const lineBreak = text.indexOf("\n", start);
    this.nextLine = lineBreak === -1 ? text.length : lineBreak + 1;
    this.end = lineBreak === -1 ? text.length : endOfLine(text, lineBreak);
    this.at = at;
    this.isSeparator = text.startsWith("---", start) && this.isGap(start + 3);
    this.column = this.isSeparator || start === text.length ? -1 : at - start;
  }

  private advance(): void {
    this.moveTo(this.nextLine);
  }

  /** Returns the offset of the first character from a place on that is not a space. */
  private afterSpaces(from: number): number {
    let at = from;
    while (this.text.charAt(at) === " ") at++;
    return at;
  }

  /** Whether a space or the end of the line is at a place. */
  private isGap(at: number): boolean {
    return at === this.end || this.text.charAt(at) === " ";
  }

  /** Whether the rest of the line is empty, apart from a comment. */
  private isOver(from: number): boolean {
    const rest = this.afterSpaces(from);
    return rest === this.end || (rest > from && this.text.charAt(rest) === "#");
  }

  /** Whether an entry of a list begins at a place. */
  private isItem(at: number): boolean {
    return this.text.startsWith("- ", at);
  }

  /** Reads a document and the separator before it. An empty document is a scalar. Undefined if more text of it follows. */
  document(levels: number): Tree | undefined {
    if (this.isSeparator) {
      const from = this.at + 3;
      if (!this.isOver(from)) return undefined;
      this.advance();
      if (this.column === -1) return this.scalar(from, from, null);
    }
    if (this.column !== 0) return undefined;
    const document = this.isItem(this.at) ? this.list(0, levels) : this.mapping(0, levels);
    return this.column < 0 ? document : undefined;
  }

  private mapping(column: number, levels: number): Tree | undefined {
    if (levels <= 0) return undefined;
    const { source, at: start, end } = this;
    const entries: Entry[] = [];
    this.values++;
    for (;;) {
      const key = this.key(this.at, entries);
      if (key === undefined) return undefined;
      const from = this.afterSpaces(this.next);
      const value = this.isOver(this.next) ? this.below(from, column, levels) : this.inline(from, column, levels);
      if (value === undefined) return undefined;
      entries.push({ key, value });
      if (this.column < column) return { is: "mapping", source, start, end, entries };
      if (this.column > column) return undefined;
    }
  }

  /** Reads the value below a name: indented further, or a list in the same column. Without one, the value ends at `from`. */
  private below(from: number, column: number, levels: number): Tree | undefined {
    this.advance();
    const isList = this.isItem(this.at);
    if (this.column < column || (this.column === column && !isList)) return this.scalar(from, from, null);
    return isList ? this.list(this.column, levels - 1) : this.mapping(this.column, levels - 1);
  }

  private list(column: number, levels: number): Tree | undefined {
    if (levels <= 0) return undefined;
    const { source, at: start, end } = this;
    const entries: Tree[] = [];
    this.values++;
    while (this.column === column && this.isItem(this.at)) {
      const from = this.afterSpaces(this.at + 1);
      const inner = column + from - this.at;
      this.at = from;
      const isMapping = this.key(from, []) !== undefined;
      const entry = isMapping ? this.mapping(inner, levels - 1) : this.inline(from, column, levels);
      if (entry === undefined) return undefined;
      entries.push(entry);
    }
    return { is: "list", source, start, end, entries };
  }

  /** Reads a value that begins on the current line, and moves to the next line. */
  private inline(from: number, column: number, levels: number): Tree | undefined {
    const sign = this.text.charAt(from);
    if (sign === "|" || sign === ">") {
      const block = readBlock(this.source, from, column);
      this.values++;
      this.moveTo(block?.end ?? this.nextLine);
      return block;
    }
    const value = this.value(from, forms.text, column, levels);
    if (value === undefined || !this.isOver(value.end)) return undefined;
    this.advance();
    return value;
  }

  /** Reads a value in brackets or in quotes that begins at a place, or text of a form. */
  private value(start: number, form: RegExp, column: number, levels: number): Tree | undefined {
    switch (this.text.charAt(start)) {
      case "[":
      case "{":
        return this.flow(start, column, levels - 1);
      case '"':
      case "'": {
        const end = endOfForm(forms.quoted, this.text, start);
        return end === -1 ? undefined : this.scalar(start, end, unquoted(this.text.slice(start, end)));
      }
      default: {
        const end = endOfForm(form, this.text, start);
        return end === -1 ? undefined : this.scalar(start, end, plainValue(this.text.slice(start, end)));
      }
    }
  }

  private scalar(start: number, end: number, value: Scalar["value"] | undefined): Scalar | undefined {
    this.values++;
    const { source, text } = this;
    const written = typeof value === "string" ? value : text.slice(start, end);
    return value === undefined ? undefined : { is: "scalar", source, start, end, value, written };
  }

  /** Reads the name at a place that a colon follows, unless one of the entries has it. */
  private key(start: number, entries: readonly Entry[]): Key | undefined {
    const { source, text } = this;
    const sign = text.charAt(start);
    const isQuoted = sign === '"' || sign === "'";
    const end = endOfForm(isQuoted ? forms.quoted : forms.name, text, start);
    if (end === -1 || end - start > longestName || entries.length >= mostNames) return undefined;
    if (text.charAt(end) !== ":" || !this.isGap(end + 1)) return undefined;
    const written = text.slice(start, end);
    const name = isQuoted ? unquoted(written) : written;
    if (forbiddenNames.has(name) || (!isQuoted && isValue(name))) return undefined;
    for (const { key } of entries) if (key.name === name) return undefined;
    this.next = end + 1;
    return { source, start, end, name };
  }

  /** Reads a list or a mapping in brackets. Further lines must be indented further than `column`. */
  private flow(start: number, column: number, levels: number): Tree | undefined {
    if (levels <= 0) return undefined;
    const { source, text, end } = this;
    const is = text.charAt(start) === "[" ? "list" : "mapping";
    const closing = is === "list" ? "]" : "}";
    const [values, entries]: [Tree[], Entry[]] = [[], []];
    this.values++;
    let from = this.skipped(start + 1, column);
    while (text.charAt(from) !== closing) {
      const key = is === "mapping" && from >= 0 ? this.key(from, entries) : undefined;
      if (from < 0 || (is === "mapping" && key === undefined)) return undefined;
      const value = this.value(key ? this.afterSpaces(this.next) : from, forms.textInFlow, column, levels);
      if (value === undefined) return undefined;
      if (key === undefined) values.push(value);
      else entries.push({ key, value });
      from = this.nextInFlow(value.end, closing, column);
    }
    const range = { source, start, end: Math.min(from + 1, end) };
    return is === "list" ? { is, ...range, entries: values } : { is, ...range, entries };
  }

  /** Returns where the closing bracket is, or the next entry behind a comma. Negative if neither follows. */
  private nextInFlow(from: number, closing: string, column: number): number {
    const at = this.skipped(from, column);
    if (this.text.charAt(at) === closing) return at;
    return this.text.charAt(at) === "," && this.isGap(at + 1) ? this.skipped(at + 1, column) : -1;
  }

  /** Returns where text follows on this line, or on another one that is indented further than `column`. Negative if none does. */
  private skipped(from: number, column: number): number {
    if (!this.isOver(from)) return this.afterSpaces(from);
    this.advance();
    return this.column > column ? this.at : -1;
  }
}
