import type { Addition, Slot } from "./flow.ts";
import { columnOf, type Edit, isFirstOnLine, lineAfter, lineStart, type Page } from "./page.ts";

/**
 * Takes entries out of a collection that stands on lines of its own and adds others. Comments above an entry stay; one
 * on its lines goes with it. Undefined where an entry to be taken out shares its line with what is around the collection.
 */
export function blockEdits(
  page: Page,
  slots: readonly Slot[],
  additions: readonly Addition[],
): readonly Edit[] | undefined {
  const removed = slots.filter(({ isKept }) => !isKept);
  if (removed.some(({ start }) => !isFirstOnLine(page, start))) return undefined;
  const indent = " ".repeat(columnOf(page, slots[0]?.start ?? 0));
  return [
    ...removed.map(({ start, end }) => ({ start: lineStart(page, start), end: lineAfter(page, end), text: "" })),
    ...[...Map.groupBy(additions, ({ after }) => after)].map(([after, group]) =>
      insertion(
        page,
        slots,
        after,
        indent,
        group.map(({ value }) => value),
      ),
    ),
  ];
}

function insertion(page: Page, slots: readonly Slot[], after: number, indent: string, values: readonly string[]): Edit {
  const { newline, source } = page;
  const first = slots[0]?.start ?? 0;
  if (after === -1 && !isFirstOnLine(page, first))
    return at(first, values.map((value) => `${value}${newline}${indent}`).join(""));
  const offset = after === -1 ? lineStart(page, first) : lineAfter(page, slots[after]?.end ?? 0);
  const isOpen = offset > 0 && source.text[offset - 1] !== "\n";
  const lines = values.map((value) => `${indent}${value}`);
  return at(
    offset,
    isOpen ? lines.map((line) => `${newline}${line}`).join("") : lines.map((line) => `${line}${newline}`).join(""),
  );
}

function at(offset: number, text: string): Edit {
  return { start: offset, end: offset, text };
}
