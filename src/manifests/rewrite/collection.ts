import { isMap } from "yaml";
import {
  type Collection,
  columnOf,
  type Edit,
  endOf,
  isFirstOnLine,
  lineAfter,
  lineStart,
  requirePlain,
  type SourcePage,
  startOf,
} from "./page.ts";

/** An entry of a collection and its place. */
export interface Slot {
  readonly start: number;
  readonly end: number;
  readonly isKept: boolean;
}

/** A value to add after the kept entry at an index; -1 means the front. */
export interface Addition<Value = string> {
  readonly after: number;
  readonly value: Value;
}

/** Returns the edits that remove entries from a collection in brackets and add others, including commas and lines. */
export function flowEdits(
  page: SourcePage,
  node: Collection,
  slots: readonly Slot[],
  additions: readonly Addition[],
): readonly Edit[] {
  if (!slots.some(({ isKept }) => isKept)) return [interior(page, node, additions)];
  return [...removals(page, slots, additions), ...insertions(page, slots, additions)];
}

function interior(page: SourcePage, node: Collection, additions: readonly Addition[]): Edit {
  requirePlain(page, node);
  const text = additions.map(({ value }) => value).join(", ");
  const space = isMap(node) && text !== "" ? " " : "";
  return { start: startOf(node) + 1, end: endOf(node) - 1, text: `${space}${text}${space}` };
}

/** Removes each run of entries with its commas, and with its lines if it has lines of its own. */
function removals(page: SourcePage, slots: readonly Slot[], additions: readonly Addition[]): readonly Edit[] {
  return runsToRemove(slots).flatMap(({ index, before, first, last, next }): readonly Edit[] => {
    const isFirst = isFirstOnLine(page, first.start);
    const end = endOfEntry(page, last);
    const lines = erase(lineStart(page, first.start), lineAfter(page, end));
    if (next !== undefined)
      return [isFirst && isFirstOnLine(page, next.start) ? lines : erase(first.start, next.start)];
    if (before === undefined) return [];
    if (!isFirst) return [erase(before.end, last.end)];
    // A bracket behind it stays.
    const gone = isLastOnLine(page, end) ? lines : erase(first.start, end);
    const isCommaNeeded = end !== last.end || additions.some(({ after }) => after === index - 1);
    return isCommaNeeded ? [gone] : [...withoutComma(page, before.end), gone];
  });
}

/** Entries to remove that follow each other, and the kept entries around them. */
interface Run {
  /** The index of the first. */
  readonly index: number;
  readonly first: Slot;
  readonly last: Slot;
  readonly before: Slot | undefined;
  readonly next: Slot | undefined;
}

function runsToRemove(slots: readonly Slot[]): readonly Run[] {
  return slots.flatMap((first, index) => {
    const before = slots[index - 1];
    if (first.isKept || before?.isKept === false) return [];
    const behind = slots.findIndex(({ isKept }, at) => isKept && at > index);
    const next = slots[behind];
    const last = (next === undefined ? slots.at(-1) : slots[behind - 1]) ?? first;
    return [{ index, first, last, before, next }];
  });
}

function withoutComma(page: SourcePage, end: number): readonly Edit[] {
  const comma = commaAfter(page, end);
  return comma === undefined ? [] : [erase(comma, comma + 1)];
}

function insertions(page: SourcePage, slots: readonly Slot[], additions: readonly Addition[]): readonly Edit[] {
  return byEntry(additions).flatMap(([after, values]): readonly Edit[] => {
    const kept = slots[after] ?? slots.find(({ isKept }) => isKept);
    if (kept === undefined) return [];
    const isFirst = isFirstOnLine(page, kept.start);
    const end = endOfEntry(page, kept);
    const indent = " ".repeat(columnOf(page, kept.start));
    const lines = (last: string) =>
      values
        .map((value, index) => `${indent}${value}${index < values.length - 1 ? "," : last}${page.newline}`)
        .join("");
    if (after === -1)
      return isFirst && isFirstOnLine(page, slots[0]?.start ?? 0)
        ? [insert(lineStart(page, kept.start), lines(","))]
        : [insert(kept.start, values.map((value) => `${value}, `).join(""))];
    if (!isFirst || !isLastOnLine(page, end)) return [insert(kept.end, values.map((value) => `, ${value}`).join(""))];
    const isFollowed = slots.slice(after + 1).some(({ isKept }) => isKept);
    const endsInComma = isFollowed || commaAfter(page, slots.at(-1)?.end ?? kept.end) !== undefined;
    return [
      ...(end === kept.end ? [insert(end, ",")] : []),
      insert(lineAfter(page, end), lines(endsInComma ? "," : "")),
    ];
  });
}

/** Returns the values to add after each entry. */
function byEntry(additions: readonly Addition[]): readonly (readonly [number, readonly string[]])[] {
  const groups = Map.groupBy(additions, ({ after }) => after);
  return Array.from(groups, ([after, group]) => [after, group.map(({ value }) => value)]);
}

/** Returns the offset of the comma after an entry; undefined if none follows. */
function commaAfter({ source: { text } }: SourcePage, end: number): number | undefined {
  const comma = /(?:\s|(?<=\s)#[^\n]*\n)*,/y;
  comma.lastIndex = end;
  return comma.test(text) ? comma.lastIndex - 1 : undefined;
}

/** Returns where an entry ends, with its comma if it has one. */
function endOfEntry(page: SourcePage, { end }: Slot): number {
  const comma = commaAfter(page, end);
  return comma === undefined ? end : comma + 1;
}

/** Whether nothing but a comment follows an offset on its line. */
function isLastOnLine({ source: { text } }: SourcePage, end: number): boolean {
  const rest = /[^\S\n]*(?:#|\n|$)/y;
  rest.lastIndex = end;
  return rest.test(text);
}

function erase(start: number, end: number): Edit {
  return { start, end, text: "" };
}

function insert(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

/**
 * Returns the edits that remove entries from a block collection and add others. Comments above a removed entry stay; those
 * on its lines are removed with it. Undefined if a removed entry shares its line with text outside the collection.
 */
export function blockEdits(
  page: SourcePage,
  slots: readonly Slot[],
  additions: readonly Addition[],
): readonly Edit[] | undefined {
  const removed = slots.filter(({ isKept }) => !isKept);
  if (removed.some(({ start }) => !isFirstOnLine(page, start))) return undefined;
  const { newline, source } = page;
  const first = slots[0]?.start ?? 0;
  const indent = " ".repeat(columnOf(page, first));
  return [
    ...removed.map(({ start, end }) => erase(lineStart(page, start), lineAfter(page, end))),
    ...byEntry(additions).map(([after, values]) => {
      const offset = after === -1 ? lineStart(page, first) : lineAfter(page, slots[after]?.end ?? 0);
      const isOpen = offset > 0 && source.text[offset - 1] !== "\n";
      const lines = values.map((value) => `${indent}${value}`);
      return insert(offset, lines.map((line) => (isOpen ? `${newline}${line}` : `${line}${newline}`)).join(""));
    }),
  ];
}
