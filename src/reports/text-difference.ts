import { diffArrays, structuredPatch } from "diff";

/** Texts that differ in more lines than this are too different for a comparison to tell anything; so are lines in words. */
const mostEdits = 2000;

/** A longer line is compared by its tags and words: a page may be one line. */
export const longLine = 1000;

/** Characters that stay beside what differs in a long line. */
const beside = 60;

/** Lines that differ, each behind its sign, with equal ones around them. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** How texts are compared. */
interface Comparison {
  /** Equal lines around what differs. */
  readonly context: number;
  /** What stands for what is left out of a long line. */
  readonly ellipsis: string;
}

/**
 * Where two texts differ, line by line, and in a long line only around what differs; undefined if they are too different.
 * The work is bounded by a count of edits, so that it is the same on every machine.
 */
export function compareLines(
  before: readonly string[],
  after: readonly string[],
  { context, ellipsis }: Comparison,
): readonly Hunk[] | undefined {
  if (areForeign(before, after)) return undefined;
  const [from, to] = [before, after].map((lines) => lines.map((line) => `${line}\n`).join(""));
  const patch = structuredPatch("", "", from ?? "", to ?? "", "", "", { context, maxEditLength: mostEdits });
  return patch?.hunks.map((hunk) => ({ ...hunk, lines: withExcerpts(hunk.lines, ellipsis) }));
}

/** Whether more is in one of the two alone than is compared: then nobody has to look for the shortest way between them. */
function areForeign(before: readonly string[], after: readonly string[]): boolean {
  const onlyIn = (parts: readonly string[], others: ReadonlySet<string>) =>
    parts.reduce((count, part) => (others.has(part) ? count : count + 1), 0);
  return onlyIn(before, new Set(after)) + onlyIn(after, new Set(before)) > mostEdits;
}

/** The removed lines of each group and the added ones that replace them, in order, by their indexes in both directions. */
export function partnersOf(lines: readonly string[]): ReadonlyMap<number, number> {
  const partners = new Map<number, number>();
  for (let start = 0; start < lines.length; start++) {
    const removed = runLength(lines, start, "-");
    const added = runLength(lines, start + removed, "+");
    for (let at = start; at < start + Math.min(removed, added); at++) {
      partners.set(at, at + removed);
      partners.set(at + removed, at);
    }
    start += Math.max(0, removed + added - 1);
  }
  return partners;
}

function runLength(lines: readonly string[], start: number, sign: string): number {
  let end = start;
  while (lines[end]?.startsWith(sign)) end++;
  return end - start;
}

/** Each long line that replaces another one is told by what differs between the two. */
function withExcerpts(lines: readonly string[], ellipsis: string): readonly string[] {
  if (lines.every((line) => line.length <= longLine)) return lines;
  const partners = partnersOf(lines);
  return lines.flatMap((line, index) => {
    const other = partners.get(index);
    const partner = lines[other ?? -1];
    if (other === undefined || partner === undefined || Math.max(line.length, partner.length) <= longLine) return line;
    // Both are told where the removed one stands.
    return index < other ? excerptsOf(line.slice(1), partner.slice(1), ellipsis) : [];
  });
}

/** What differs between two lines, in pairs of a removed and an added part with what is equal beside it. */
function excerptsOf(before: string, after: string, ellipsis: string): readonly string[] {
  const [from, to] = [wordsOf(before), wordsOf(after)];
  const parts = areForeign(from, to) ? undefined : diffArrays(from, to, { maxEditLength: mostEdits });
  const pairs: string[] = [];
  let [removed, added] = ["", ""];
  let isOpen = false;
  const close = () => {
    if (isOpen) pairs.push(...trimmed(removed, added, ellipsis));
    isOpen = false;
  };
  const whole = [
    { value: [before], removed: true },
    { value: [after], added: true },
  ];
  for (const { value, removed: isRemoved = false, added: isAdded = false } of parts ?? whole) {
    const text = value.join("");
    if (!isAdded) removed += text;
    if (!isRemoved) added += text;
    if (isAdded || isRemoved) isOpen = true;
    else if (!isOpen || text.length > 2 * beside) {
      close();
      [removed, added] = [text, text];
    }
  }
  close();
  return pairs;
}

/** Tags and words, each word with the spaces behind it. */
function wordsOf(line: string): string[] {
  return line.match(/<[^<>]*>|[^\s<]+\s*|\s+|</g) ?? [];
}

/** Two texts from a little before the first difference to a little behind the last one. */
function trimmed(removed: string, added: string, ellipsis: string): readonly string[] {
  const shorter = Math.min(removed.length, added.length);
  let start = 0;
  while (start < shorter && removed[start] === added[start]) start++;
  let end = 0;
  while (end < shorter - start && removed.at(-1 - end) === added.at(-1 - end)) end++;
  const [before, behind] = [Math.max(0, start - beside), Math.max(0, end - beside)];
  const cut = (text: string) =>
    [
      before > 0 ? ellipsis : "",
      text.slice(before, text.length - behind).toWellFormed(),
      behind > 0 ? ellipsis : "",
    ].join("");
  return [`-${cut(removed)}`, `+${cut(added)}`];
}
