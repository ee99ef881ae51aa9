import { endOfLine, type SourceText } from "./source-text.ts";
import type { Entry, Scalar } from "./tree.ts";

export const space = 32;
const doubleQuote = 34;
export const hash = 35;
const singleQuote = 39;
const hyphen = 45;
export const colon = 58;
const greater = 62;
const backslash = 92;

/** Characters that this reader leaves to the parser: tabs, other line ends, marks, and characters that YAML does not allow. */
export const foreign = /\r(?!\n)|[^\n\r -~\u00a1-\u2027\u2030-\ufefe\uff00-\uffef]/;

/** Returns a class of characters, as a table of the codes below 128; every code above is a letter. */
function characters(pattern: RegExp): readonly boolean[] {
  return Array.from({ length: 128 }, (_none, code) => pattern.test(String.fromCharCode(code)));
}

const inName = characters(/[\w$./-]/);
/** Characters that unquoted text can begin with here; the parser accepts more. */
export const beginsText = characters(/[\w$./+<=^;\\(-]/);
/** Characters that it begins with if it might not be text. */
const beginsWord = characters(/[-+.\dfntFNT]/);
const inFlow = characters(/[\w$./+<=^;\\()@%&*'"|!~ -]/);

/** Words of the core schema that are values. */
const words: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);
/** Numbers that every reader understands in the same way. */
const number = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/;
/** Other spellings of words and numbers, which are left to the parser. */
const oddValue =
  /^(?:true|false|null|[-+]?(?:\d+|0o[0-7]+|0x[\da-f]+|\.inf|\.nan|(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?))$/i;
/** Quotes of a word processor, an error that is reported after parsing. */
const curly = /[\u2018\u2019\u201c-\u201e]/;

/** Whether a character code is in a class. */
export function isOf(kind: readonly boolean[], code: number): boolean {
  return code >= 128 || kind[code] === true;
}

export function isQuote(sign: number): boolean {
  return sign === singleQuote || sign === doubleQuote;
}

/** Whether a name could be a word or a number, which is not a name. */
export function isValue(name: string): boolean {
  return beginsWord[name.charCodeAt(0)] === true && (words.has(name) || oddValue.test(name));
}

/** Returns the value of unquoted text; undefined if the parser should decide. */
export function plainValue(written: string): Scalar["value"] | undefined {
  const sign = written.charCodeAt(0);
  if (sign >= 128) return curly.test(written) ? undefined : written;
  if (beginsWord[sign] !== true) return written;
  const word = words.get(written);
  if (word !== undefined) return word;
  if (number.test(written)) return Number(written);
  return sign === hyphen || oddValue.test(written) ? undefined : written;
}

/** The maximum number of names in one mapping that are read here: each is compared with those before it. */
const mostNames = 100;

/** Whether a name cannot be added, because it is a duplicate or there are too many to compare. */
export function hasName(entries: readonly Entry[], name: string): boolean {
  if (entries.length >= mostNames) return true;
  for (const { key } of entries) if (key.name === name) return true;
  return false;
}

/** Returns the offset of the first character from a place on that is not a space. */
export function afterSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === space) at++;
  return at;
}

/** Whether an entry of a list begins at a place. */
export function isItem(text: string, at: number): boolean {
  return text.charCodeAt(at) === hyphen && text.charCodeAt(at + 1) === space;
}

/** Returns where an unquoted name ends, at the latest at the end of its line; the start if none begins there. */
export function endOfName(text: string, start: number, end: number): number {
  const sign = text.charCodeAt(start);
  if (sign === hyphen || !isOf(beginsText, sign)) return start;
  let stop = start;
  while (stop < end && isOf(inName, text.charCodeAt(stop))) stop++;
  return stop;
}

/** Returns where unquoted text ends: before a comment, or at the end of its line. Undefined if it has a colon like a name. */
export function endOfText(text: string, start: number, end: number): number | undefined {
  let stop = start;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === space) continue;
    if (code === hash && stop < at) break;
    if (code === colon && (at + 1 === end || text.charCodeAt(at + 1) === space)) return undefined;
    stop = at + 1;
  }
  return stop;
}

/** Returns where unquoted text in brackets ends, at the latest at the end of its line. */
export function endInFlow(text: string, start: number, end: number): number {
  let stop = start;
  for (let at = start; at < end && isOf(inFlow, text.charCodeAt(at)); at++)
    if (text.charCodeAt(at) !== space) stop = at + 1;
  return stop;
}

/** Returns the offset of the quote that ends a quoted text on its line. */
export function closingQuote(text: string, start: number, end: number): number | undefined {
  const sign = text.charCodeAt(start);
  for (let at = start + 1; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash && sign === doubleQuote) at++;
    else if (code !== sign) continue;
    else if (sign === singleQuote && text.charCodeAt(at + 1) === singleQuote) at++;
    else return at;
  }
  return undefined;
}

/** Escapes that every reader understands in the same way. */
const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ['"', '"'],
  ["/", "/"],
  ["\\", "\\"],
]);

/** Returns the value of what is between two quotes; undefined if it has escapes that are left to the parser. */
export function unquoted(sign: number, inner: string): string | undefined {
  if (sign === singleQuote) return inner.includes("''") ? inner.replaceAll("''", "'") : inner;
  if (!inner.includes("\\")) return inner;
  let isKnown = true;
  const value = inner.replace(/\\(.)/gs, (_escape, name: string) => {
    const character = escapes.get(name);
    isKnown &&= character !== undefined;
    return character ?? "";
  });
  return isKnown ? value : undefined;
}

/**
 * Reads the text below a `|`, `|-`, `>` or `>-` at a place, whose lines are indented further than `column`. It ends where the
 * next line begins. Undefined if the parser should read it: another header, lines of only spaces, lines of a `>` that are
 * indented further than the first, no final line break, or an error.
 */
export function readBlock(source: SourceText, start: number, column: number): Scalar | undefined {
  const { text } = source;
  const isFolded = text.charCodeAt(start) === greater;
  const isStripped = text.charCodeAt(start + 1) === hyphen;
  const header = text.indexOf("\n", start);
  if (header === -1 || endOfLine(text, header) !== start + (isStripped ? 2 : 1)) return undefined;
  const found = blockLines(text, header + 1, column);
  if (found === undefined || (isFolded && found.lines.some((line) => line.startsWith(" ")))) return undefined;
  const joined = found.lines.join("\n");
  const value = `${isFolded ? folded(joined) : joined}${isStripped ? "" : "\n"}`;
  return { is: "scalar", source, start, end: found.end, value, written: value };
}

/** Returns the lines of a block without their indent, up to the last one that is not empty, and where the line after it begins. */
function blockLines(text: string, from: number, column: number) {
  const lines: string[] = [];
  let [indent, end, kept] = [0, from, 0];
  for (let at = from; at < text.length; ) {
    const lineBreak = text.indexOf("\n", at);
    const stop = endOfLine(text, lineBreak);
    const first = afterSpaces(text, at);
    if (lineBreak === -1 || (first === stop && first > at)) return undefined;
    if (first === stop) lines.push("");
    else {
      indent ||= first - at > column ? first - at : Number.POSITIVE_INFINITY;
      if (first - at < indent) break;
      kept = lines.push(text.slice(at + indent, stop));
      end = lineBreak + 1;
    }
    at = lineBreak + 1;
  }
  return kept === 0 ? undefined : { lines: lines.slice(0, kept), end };
}

/** Turns each line break between two lines into a space. With empty lines between them, only those are line breaks. */
function folded(lines: string): string {
  return lines.replace(/(?<=[^\n])\n(\n*)/g, (_breaks, empty: string) => empty || " ");
}
