import type { Entry, Scalar } from "./tree.ts";

const hyphen = 45;

/** What the parser knows more about than this reader: tabs, line ends of other systems, marks, and characters that are no YAML. */
export const foreign = /[^\n -~\u00a1-\u2027\u2030-\ufefe\uff00-\uffef]/;

/** A kind of characters, by their numbers below 128; what is above is a letter. */
function characters(pattern: RegExp): readonly boolean[] {
  return Array.from({ length: 128 }, (_none, code) => pattern.test(String.fromCharCode(code)));
}

export const inName = characters(/[\w$./-]/);
/** What a text without quotes begins with here; the parser knows more. */
export const beginsText = characters(/[\w$./+<=^;\\(-]/);
/** What it begins with if it may be no text at all. */
const beginsWord = characters(/[-+.\dfntFNT]/);
export const inFlow = characters(/[\w$./+<=^;\\()@%&*'"|!~ -]/);

/** Words of the core schema that are values, and numbers that have one spelling everywhere. */
const words: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const number = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/;
/** Other spellings of words and numbers, which are left to the parser. */
const oddValue =
  /^(?:true|false|null|[-+]?(?:\d+|0o[0-7]+|0x[\da-f]+|\.inf|\.nan|(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?))$/i;
/** Quotes of a word processor around a text, a mistake that the parser's tree reports. */
const curly = /[\u2018\u2019\u201c-\u201e]/;

/** Whether a character, by its number, is of a kind. */
export function isOf(kind: readonly boolean[], code: number): boolean {
  return code >= 128 || kind[code] === true;
}

/** Whether a name could be a word or a number, which is no name. */
export function isValue(name: string): boolean {
  return beginsWord[name.charCodeAt(0)] === true && (words.has(name) || oddValue.test(name));
}

/** What a text without quotes stands for; undefined if the parser should say it. */
export function plainValue(written: string): Scalar["value"] | undefined {
  const sign = written.charCodeAt(0);
  if (sign >= 128) return curly.test(written) ? undefined : written;
  if (beginsWord[sign] !== true) return written;
  const word = words.get(written);
  if (word !== undefined) return word;
  if (number.test(written)) return Number(written);
  return sign === hyphen || oddValue.test(written) ? undefined : written;
}

/** Names beside each other that are read here: each is compared with those before it. */
const mostNames = 100;

/** Whether a name is not to be added: it is there already, or there are too many to compare. */
export function hasName(entries: readonly Entry[], name: string): boolean {
  if (entries.length >= mostNames) return true;
  for (const { key } of entries) if (key.name === name) return true;
  return false;
}
