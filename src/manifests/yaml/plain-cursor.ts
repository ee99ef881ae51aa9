import {
  afterSpaces,
  beginsText,
  closingQuote,
  colon,
  endOfName,
  endOfText,
  hash,
  isOf,
  isQuote,
  isValue,
  plainValue,
  readBlock,
  space,
  unquoted,
} from "./plain-scalars.ts";
import { endOfLine, type SourceText } from "./source-text.ts";
import { forbiddenNames, type Key, type Scalar } from "./tree.ts";

/** The maximum length of a name that is read here. */
const longestName = 200;

/** Reads the lines of a file in the plain subset, and the names and texts in them. */
export class PlainCursor {
  readonly source: SourceText;
  private readonly text: string;
  /** The number of values so far. */
  values = 0;
  /** An upper bound on the parser's words and signs so far. */
  words = 0;
  /** The offset of the current line's first character. */
  at = 0;
  /** That character's column; -1 at a separator of documents and at the end of the file. */
  indent = -1;
  /** Where the text of the current line ends. */
  end = 0;
  /** Where its line break ends: at the last character of it, or at the end of the file. */
  private lineEnd = 0;
  isMark = false;
  /** Where reading continues in the line. */
  next = 0;

  /** Starts at the first line from a place on that has more than a comment. */
  constructor(source: SourceText, from: number) {
    this.source = source;
    this.text = source.text;
    this.moveTo(from, this);
  }

  /** Moves to the first such line from a place on. `values` and `words` count what is before it. */
  moveTo(from: number, { values, words }: Pick<PlainCursor, "values" | "words">): void {
    this.lineEnd = from - 1;
    this.values = values;
    this.words = words;
    this.advance();
  }

  /** Moves to the next line that has more than a comment. */
  advance(): void {
    const { text } = this;
    for (;;) {
      const start = this.lineEnd + 1;
      this.isMark = false;
      this.indent = -1;
      this.at = start;
      if (start >= text.length) return;
      const lineBreak = text.indexOf("\n", start);
      this.lineEnd = lineBreak === -1 ? text.length : lineBreak;
      this.end = endOfLine(text, this.lineEnd);
      this.words += 2;
      const at = afterSpaces(text, start);
      this.at = at;
      if (at === this.end || text.charCodeAt(at) === hash) {
        this.words += 2;
        continue;
      }
      this.isMark = at === start && isSeparator(text, at, this.end);
      this.indent = this.isMark ? -1 : at - start;
      return;
    }
  }

  /** Whether the rest of the line is empty, apart from a comment. */
  isOver(from: number): boolean {
    const rest = afterSpaces(this.text, from);
    if (rest > from) this.words += 2;
    return rest === this.end || (rest > from && this.text.charCodeAt(rest) === hash);
  }

  /** Reads the name at a place, if a colon follows it. */
  keyAt(start: number): Key | undefined {
    const sign = this.text.charCodeAt(start);
    const name = isQuote(sign) ? this.quotedName(start) : this.plainName(start);
    const stop = this.next;
    if (name === undefined || stop - start > longestName || forbiddenNames.has(name)) return undefined;
    if (this.text.charCodeAt(stop) !== colon) return undefined;
    if (stop + 1 < this.end && this.text.charCodeAt(stop + 1) !== space) return undefined;
    this.next = stop + 1;
    this.words += 4;
    return { source: this.source, start, end: stop, name };
  }

  private quotedName(start: number): string | undefined {
    const scalar = this.quoted(start);
    if (scalar === undefined) return undefined;
    this.values--;
    this.next = scalar.end;
    return scalar.written;
  }

  private plainName(start: number): string | undefined {
    this.next = endOfName(this.text, start, this.end);
    const name = this.text.slice(start, this.next);
    return name === "" || isValue(name) ? undefined : name;
  }

  /** Returns the value of a name that has none. */
  nothing(start: number): Scalar {
    this.values++;
    return { is: "scalar", source: this.source, start, end: start, value: null, written: "" };
  }

  /** Reads the text below a `|` or a `>`, and moves to the next line. */
  block(start: number, column: number): Scalar | undefined {
    const found = readBlock(this.source, start, column);
    if (found !== undefined) this.lineEnd = found.end - 1;
    this.values++;
    this.words += 6;
    this.advance();
    return found;
  }

  /** Reads unquoted text, up to the end of the line or a comment. */
  plain(start: number): Scalar | undefined {
    if (start >= this.end || !isOf(beginsText, this.text.charCodeAt(start))) return undefined;
    const stop = endOfText(this.text, start, this.end);
    return stop === undefined ? undefined : this.scalar(start, stop);
  }

  /** Reads what is between two places as unquoted text. */
  scalar(start: number, stop: number): Scalar | undefined {
    const written = this.text.slice(start, stop);
    const value = plainValue(written);
    this.values++;
    this.words += 3;
    return value === undefined ? undefined : { is: "scalar", source: this.source, start, end: stop, value, written };
  }

  /** Reads quoted text that ends on its line. */
  quoted(start: number): Scalar | undefined {
    const stop = closingQuote(this.text, start, this.end);
    if (stop === undefined) return undefined;
    const value = unquoted(this.text.charCodeAt(start), this.text.slice(start + 1, stop));
    if (value === undefined) return undefined;
    this.values++;
    this.words += 3;
    return { is: "scalar", source: this.source, start, end: stop + 1, value, written: value };
  }
}

function isSeparator(text: string, at: number, end: number): boolean {
  return text.startsWith("---", at) && (at + 3 === end || text.charCodeAt(at + 3) === space);
}
