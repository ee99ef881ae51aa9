import { isMet, shown, targetText } from "./figures.ts";
import { mediansTable } from "./medians-table.ts";
import type { CaseResult } from "./results.ts";

/** What the cases show as one aligned table, and below it what was not measured. */
export function table(cases: readonly CaseResult[]): string {
  const rows = cases.flatMap(({ name, verdicts }) =>
    verdicts.map((verdict, index) => [
      index === 0 ? name : "",
      verdict.what,
      shown(verdict.value, verdict.unit),
      targetText(verdict),
      isMet(verdict) === false ? "missed" : "",
    ]),
  );
  const gaps = cases.flatMap(({ name, gaps }) =>
    gaps.map(({ what, why }) => `  ${name}  ${what}: ${why.replaceAll(/\n\s*/g, "\n    ")}`),
  );
  return [...aligned(rows, [2]), ...(gaps.length === 0 ? [] : ["", "Not measured:", ...gaps])].join("\n");
}

/** The medians of every side of the cases, with the figures that the case has. */
export function sidesTable(cases: readonly CaseResult[]): string {
  return cases
    .filter(({ sides }) => sides.some(({ samples }) => samples.length > 0))
    .map((each) => {
      const { head, rows } = mediansTable(each);
      return aligned([[each.name, ...head.slice(1)], ...rows], head.map((_, column) => column).slice(1)).join("\n");
    })
    .join("\n\n");
}

/** Lines whose columns begin, or end where `right` says so, below each other. */
function aligned(rows: readonly (readonly string[])[], right: readonly number[]): readonly string[] {
  const widths = rows.reduce<readonly number[]>(
    (widest, row) => row.map((cell, column) => Math.max(cell.length, widest[column] ?? 0)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
}
