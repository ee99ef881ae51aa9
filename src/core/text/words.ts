import { distance } from "fastest-levenshtein";

/** Writes a whole number with its digits in groups: `12,345`. `toLocaleString` would take 15 ms to load its language data. */
export function grouped(count: number): string {
  let [first, rest] = [String(count), ""];
  for (; first.length > 3; first = first.slice(0, -3)) rest = `,${first.slice(-3)}${rest}`;
  return first + rest;
}

/** A number with its noun: `1 call`, `2 calls`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The same abbreviation of a commit wherever one is shown, so that two of them can be compared. */
export function shortCommit(commit = "none"): string {
  return commit.slice(0, 10);
}

const quoteLength = 60;

/** A character as JSON escapes it. */
export function escapedCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Foreign text in quotes for a message: cut, and without characters that a terminal would act upon. */
export function quote(text: string): string {
  return JSON.stringify(shortened(text, quoteLength)).replace(/[\p{Cc}\p{Bidi_Control}]/gu, escapedCharacter);
}

/** Longer words, names and lists are not searched: a hostile file could make the search take minutes. */
const longest = 64;
const most = 1000;

/** The nearest name to a misspelt one, if it is near enough; if several are equally near, the first in order. */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  const known = [...names];
  if (word.length > longest || known.length > most) return undefined;
  const near = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
  const [best] = known
    .filter((name) => name.length <= longest)
    .sort(inOrder)
    .map((name) => ({ name, far: distance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ far }) => far <= near)
    .sort((a, b) => a.far - b.far);
  return best?.name;
}

/** Compares strings by their character codes, for `sort`: the same on every machine. */
export function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** ` Did you mean "project"?`, or nothing. */
export function didYouMean(word: string, names: Iterable<string>): string {
  const name = nearest(word, names);
  return name === undefined ? "" : ` Did you mean ${quote(name)}?`;
}

/** `a, b or c`. */
export function alternatives(words: readonly string[]): string {
  return enumerated(words, "or");
}

/** `a, b and c`. */
export function enumerated(words: readonly string[], between = "and"): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} ${between} ${words.at(-1)}`;
}

/** Removes certain characters from the end of a text. An expression such as `/a+$/` would start again at each of them. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes UTF-8 without its byte order mark. Undefined for other bytes, which would decode to another text. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Lists the first entries, and how many more there are. */
export function someOf(list: readonly (string | number)[], most = 10): string {
  const more = list.length - most;
  return list.slice(0, most).join(", ") + (more > 0 ? ` and ${grouped(more)} more` : "");
}

/** Returns at most `longest` characters of a text, with a mark if it is longer. Cuts no character in half. */
export function shortened(text: string, longest: number, mark = "…"): string {
  if (text.length <= longest) return text;
  const whole = text.slice(0, longest).replace(/\p{Cs}$/u, "");
  return `${whole.toWellFormed()}${mark}`;
}

/** The number of equal characters at the start of two texts, and of further ones at their end. */
export function sharedEnds(a: string, b: string): readonly [start: number, end: number] {
  const shorter = Math.min(a.length, b.length);
  let [start, end] = [0, 0];
  while (start < shorter && a[start] === b[start]) start++;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return [start, end];
}

/** Quotes a word for a shell, so that a command can be copied whatever a name contains. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Escapes a text for a regular expression that matches it alone. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
