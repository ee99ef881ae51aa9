/*
 * Services report versions that Maven made. The CI server orders its own versions and its plugins' in Maven's way, with
 * its own rank of qualifiers: `-rc` and `-SNAPSHOT` come before the release, a fourth number or a hash after it. That
 * order is used for every product. Ranges of releases, which users write in npm's grammar, are semver's.
 * @see hudson.util.VersionNumber
 */

import { inOrder } from "./words.ts";

type Part = number | string | readonly Part[];

/** Words that come before and after the release, which is the empty word. Any other comes after them. */
const qualifiers = ["snapshot", "alpha", "beta", "milestone", "rc", "", "sp"];
const release = qualifiers.indexOf("");
const aliases: ReadonlyMap<string, string> = new Map([
  ["ga", ""],
  ["final", ""],
  ["cr", "rc"],
  ["ea", "rc"],
  // Used by the early access builds of other products.
  ["eap", "rc"],
]);
/** What a single letter stands for before a digit. */
const letters: ReadonlyMap<string, string> = new Map([
  ["a", "alpha"],
  ["b", "beta"],
  ["m", "milestone"],
]);

/** Whether a text can be compared: it begins with a number, or a `v` and a number. */
export function isVersion(text: string): boolean {
  return /^v?\d/.test(text);
}

/** Negative if `a` is older than `b`, 0 if they are the same version, such as `1` and `1.0`. */
export function compareVersions(a: string, b: string): number {
  return compareLists(parts(a), parts(b));
}

/** The parts of a version: numbers, words, and lists of what follows a hyphen between digits. */
function parts(version: string): readonly Part[] {
  const [, head = "", digits = "", rest = ""] = /^(.*?\d)-(?=(\d))(.*)$/s.exec(bare(version)) ?? [];
  return digits === "" ? trimmed(flat(bare(version))) : trimmed([...trimmed(flat(head)), parts(rest)]);
}

/** Removes a tag's `v` and what a private build adds. Cuts the rest, because nested lists are read recursively. */
function bare(version: string): string {
  return version
    .slice(0, 200)
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)| \(.*\)$/g, "");
}

/** Returns the parts before a nested list. A hyphen after a number ends a piece; zeros at its end mean nothing. */
function flat(version: string): readonly Part[] {
  return version
    .split(/(?<=\d)-/)
    .flatMap((piece) => trimmed(piece.split(/[.-]/).flatMap((segment) => (segment === "" ? [0] : words(segment)))));
}

function words(segment: string): readonly Part[] {
  const runs = segment.match(/\d+|\D+/g) ?? [];
  return runs.map((run, index) => {
    if (/^\d/.test(run)) return Number(run);
    const word = index < runs.length - 1 ? (letters.get(run) ?? run) : run;
    return aliases.get(word) ?? word;
  });
}

/** Removes the zeros, releases and empty lists at the end. */
function trimmed(list: readonly Part[]): readonly Part[] {
  const last = list.findLastIndex((part) => (typeof part === "object" ? part.length > 0 : part !== 0 && part !== ""));
  return list.slice(0, last + 1);
}

function compareLists(a: readonly Part[], b: readonly Part[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const order = compareParts(a[index], b[index]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Compares two parts, one of which may be missing. A number is above a list, and a list above a word. */
function compareParts(a: Part | undefined, b: Part | undefined): number {
  if (a === undefined) return b === undefined ? 0 : -compareToNothing(b);
  if (b === undefined) return compareToNothing(a);
  if (typeof a === "number") return typeof b === "number" ? a - b : 1;
  if (typeof a === "string") return typeof b === "string" ? compareWords(a, b) : -1;
  return typeof b === "object" ? compareLists(a, b) : typeof b === "number" ? -1 : 1;
}

function compareToNothing(part: Part): number {
  if (typeof part === "number") return part;
  if (typeof part === "string") return rank(part) - release;
  const [first] = part;
  return first === undefined ? 0 : compareToNothing(first);
}

function compareWords(a: string, b: string): number {
  const order = rank(a) - rank(b);
  return order === 0 ? inOrder(a, b) : order;
}

function rank(word: string): number {
  const known = qualifiers.indexOf(word);
  return known === -1 ? qualifiers.length : known;
}
