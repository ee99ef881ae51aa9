import { distance } from "fastest-levenshtein";

/** Longer words and lists are not searched: a hostile file could make it take minutes. */
const longest = 64;
const most = 1000;

/** The name nearest to a misspelt one, where one is near enough to have been meant. */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  const known = [...names];
  if (word.length > longest || known.length > most) return undefined;
  const [best] = known
    .filter((name) => Math.abs(name.length - word.length) <= Math.max(2, word.length / 3))
    .map((name) => ({ name, far: distance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1));
  const near = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
  return best !== undefined && best.far <= near ? best.name : undefined;
}

/** ` Did you mean "project"?`, or nothing. */
export function didYouMean(word: string, names: Iterable<string>): string {
  const name = nearest(word, names);
  return name === undefined ? "" : ` Did you mean ${JSON.stringify(name)}?`;
}

/** `a, b or c`. */
export function alternatives(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}
