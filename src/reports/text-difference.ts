import { diffArrays, structuredPatch } from "diff";
import { sharedEnds } from "../core/text/words.ts";

/** The most lines in which two texts can differ and still be compared, and the most words for two lines. */
const mostEdits = 2000;

/** A line longer than this is compared by tags and words, because a whole page can be one line. */
export const longLine = 1000;

/** The number of equal characters to keep on each side of a difference in a long line. */
const beside = 60;

/**
 * The lines in which two texts differ, with `context` equal ones around them, each after its sign; undefined if the texts are too
 * different. `ellipsis` replaces the equal parts of long lines. The work is bounded by a number of edits, so that the result is
 * the same on every machine.
 */
export function compareLines(
  before: readonly string[],
  after: readonly string[],
  { context, ellipsis }: { readonly context: number; readonly ellipsis: string },
) {
  if (areForeign(before, after)) return undefined;
  const [from, to] = [before, after].map((lines) => lines.map((line) => `${line}\n`).join(""));
  const patch = structuredPatch("", "", from ?? "", to ?? "", "", "", { context, maxEditLength: mostEdits });
  return patch?.hunks.map((hunk) => ({ ...hunk, lines: withExcerpts(hunk.lines, ellipsis) }));
}

/** Whether two texts have more unshared parts than are compared, so that the expensive comparison can be skipped. */
function areForeign(before: readonly string[], after: readonly string[]): boolean {
  const onlyIn = (parts: readonly string[], others: ReadonlySet<string>) =>
    parts.reduce((count, part) => (others.has(part) ? count : count + 1), 0);
  return onlyIn(before, new Set(after)) + onlyIn(after, new Set(before)) > mostEdits;
}

/** Maps the index of each removed line to that of the added line that replaces it, in order within a group, and vice versa. */
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

/** Replaces each pair of long lines by excerpts of what differs between the two. */
function withExcerpts(lines: readonly string[], ellipsis: string): readonly string[] {
  if (lines.every((line) => line.length <= longLine)) return lines;
  const partners = partnersOf(lines);
  return lines.flatMap((line, index) => {
    const other = partners.get(index);
    const partner = lines[other ?? -1];
    if (other === undefined || partner === undefined || Math.max(line.length, partner.length) <= longLine) return line;
    // The excerpts of both lines go where the removed line was.
    return index < other ? excerptsOf(line.slice(1), partner.slice(1), ellipsis) : [];
  });
}

/** The differences between two lines, as pairs of a removed and an added part with some equal text on both sides. */
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

/** Splits a line into tags and words, each word with the spaces after it. */
function wordsOf(line: string): string[] {
  return line.match(/<[^<>]*>|[^\s<]+\s*|\s+|</g) ?? [];
}

/** Trims two strings to their differences, with a little equal text on both sides. */
function trimmed(removed: string, added: string, ellipsis: string): readonly string[] {
  const [start, end] = sharedEnds(removed, added);
  const [before, behind] = [Math.max(0, start - beside), Math.max(0, end - beside)];
  const cut = (text: string) =>
    [
      before > 0 ? ellipsis : "",
      text.slice(before, text.length - behind).toWellFormed(),
      behind > 0 ? ellipsis : "",
    ].join("");
  return [`-${cut(removed)}`, `+${cut(added)}`];
}
