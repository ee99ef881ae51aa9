import { endOfLine, type SourceText } from "./source-text.ts";
import type { Scalar } from "./tree.ts";

/** Characters that this reader leaves to the parser: tabs, other line ends, marks, and characters that YAML does not allow. */
export const foreign = /\r(?!\n)|[^\n\r -~\u00a1-\u2027\u2030-\ufefe\uff00-\uffef]/;

/** The words and signs that this reader can read at a place in a line. */
export const forms = {
  /** An unquoted name and its colon. */
  name: /[\w$./\u0080-\uffff][\w$./\u0080-\uffff-]*(?=:(?:[ \r\n]|$))/y,
  /** Unquoted text, up to the end of its line, a comment, or a colon like that of a name. The parser accepts more beginnings. */
  text: /[\w$./+<=^;\\(\u0080-\uffff-][^ :\r\n]*(?:(?::(?![ \r\n]|$)| +(?![ #\r\n]|$))[^ :\r\n]*)*/y,
  /** Unquoted text in brackets. */
  textInFlow:
    /[\w$./+<=^;\\(\u0080-\uffff-][\w$./+<=^;\\()@%&*'"|!~\u0080-\uffff-]*(?: +[\w$./+<=^;\\()@%&*'"|!~\u0080-\uffff-]+)*/y,
  /** Quoted text that ends on its line, with the escapes that every reader understands in the same way. */
  quoted: /"[^"\\\r\n]*(?:\\[nrt"\\/][^"\\\r\n]*)*"|'[^'\r\n]*(?:''[^'\r\n]*)*'/y,
} as const;

/** Returns where a form ends that begins at a place; -1 if it does not begin there. */
export function endOfForm(form: RegExp, text: string, start: number): number {
  form.lastIndex = start;
  return form.test(text) ? form.lastIndex : -1;
}

/** How text begins that might be another value. */
const beginsValue = /^[-+.\dfnt\u0080-\uffff]/i;
/** Words of the core schema that are values. */
const words: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);
/** Numbers that every reader understands in the same way. */
const number = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/;
/** Words and numbers in any spelling. */
const anyValue =
  /^(?:true|false|null|[-+]?(?:\d+|0o[0-7]+|0x[\da-f]+|\.inf|\.nan|(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?))$/i;
/** What the parser decides about: a hyphen, and quotes of a word processor, an error that is reported after parsing. */
const undecided = /^-|^(?=[^\0-\x7f]).*[\u2018\u2019\u201c-\u201e]/;

/** Whether a name could be a word or a number, which is not a name. */
export function isValue(name: string): boolean {
  return beginsValue.test(name) && anyValue.test(name);
}

/** Returns the value of unquoted text; undefined if the parser should decide. */
export function plainValue(written: string): Scalar["value"] | undefined {
  if (!beginsValue.test(written)) return written;
  const word = words.get(written);
  if (word !== undefined) return word;
  if (number.test(written)) return Number(written);
  return undecided.test(written) || anyValue.test(written) ? undefined : written;
}

/** Returns the value of quoted text. Its escapes are those of JSON. */
export function unquoted(written: string): string {
  if (written.startsWith("'")) return written.slice(1, -1).replaceAll("''", "'");
  return written.includes("\\") ? JSON.parse(written) : written.slice(1, -1);
}

/**
 * Reads the text below a `|`, `|-`, `>` or `>-` at a place, whose lines are indented further than `column`. It ends where the
 * next line begins. Undefined if the parser should read it: another header, lines of only spaces, lines of a `>` that are
 * indented further than the first, no final line break, or an error.
 */
export function readBlock(source: SourceText, start: number, column: number): Scalar | undefined {
  const { text } = source;
  blockHeader.lastIndex = start;
  const [header, sign, chomping] = blockHeader.exec(text) ?? [];
  const found = header === undefined ? undefined : blockLines(text, start + header.length, column);
  if (found === undefined || (sign === ">" && found.lines.some((line) => line.startsWith(" ")))) return undefined;
  const joined = found.lines.join("\n");
  const value = `${sign === ">" ? folded(joined) : joined}${chomping === "-" ? "" : "\n"}`;
  return { is: "scalar", source, start, end: found.end, value, written: value };
}

const blockHeader = /([|>])(-?)\r?\n/y;

/** Returns the lines of a block without their indent, up to the last one that is not empty, and where the line after it begins. */
function blockLines(text: string, from: number, column: number) {
  const lines: string[] = [];
  let [indent, end, kept] = [0, from, 0];
  for (let at = from; at < text.length; ) {
    const lineBreak = text.indexOf("\n", at);
    const line = text.slice(at, endOfLine(text, lineBreak));
    const spaces = line.search(/[^ ]|$/);
    if (lineBreak === -1 || (spaces === line.length && spaces > 0)) return undefined;
    if (line !== "") indent ||= spaces > column ? spaces : Number.POSITIVE_INFINITY;
    if (line !== "" && spaces < indent) break;
    at = lineBreak + 1;
    lines.push(line.slice(indent));
    if (line !== "") [kept, end] = [lines.length, at];
  }
  return kept === 0 ? undefined : { lines: lines.slice(0, kept), end };
}

/** Turns each line break between two lines into a space. With empty lines between them, only those are line breaks. */
function folded(lines: string): string {
  return lines.replace(/(?<=[^\n])\n(\n*)/g, (_breaks, empty: string) => empty || " ");
}
