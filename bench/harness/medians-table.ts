import { figures, shown } from "./figures.ts";
import type { CaseResult } from "./results.ts";
import { mediansOf } from "./statistics.ts";

/** A table as text, not yet laid out. */
export interface TextTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What the sides of a case used: a row for each side that was measured, a column for each figure that one of them has. */
export function mediansTable({ sides }: Pick<CaseResult, "sides">): TextTable {
  const measured = sides
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, samples }) => ({ name, runs: samples.length, medians: new Map(Object.entries(mediansOf(samples))) }));
  const columns = Object.entries(figures).filter(([figure]) => measured.some(({ medians }) => medians.has(figure)));
  return {
    head: ["", "runs", ...columns.map(([, { title }]) => title)],
    rows: measured.map(({ name, runs, medians }) => [
      name,
      String(runs),
      ...columns.map(([figure, { unit }]) => {
        const value = medians.get(figure);
        return value === undefined ? "" : shown(value, unit);
      }),
    ]),
  };
}
