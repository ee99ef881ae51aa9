import { type Problem, ProblemError } from "../../core/problem.ts";
import type { ReportProblem } from "./source-text.ts";

/** Mistakes shown of one file; a file with more is given up. */
const maxMistakes = 1000;

/** What came of reading something; `result` is undefined where a mistake stopped it. */
export interface Collected<T> {
  readonly result: T | undefined;
  readonly problems: readonly Problem[];
}

/** Runs `work` and collects what it reports and the `ProblemError` that it throws. Equal mistakes are kept once. */
export async function collect<T>(work: (report: ReportProblem) => T | Promise<T>): Promise<Collected<T>> {
  const problems = new Map<string, Problem>();
  const keep = (problem: Problem) => problems.set(identityOf(problem), problem);
  const report: ReportProblem = (problem) => {
    keep(problem);
    if (problems.size < maxMistakes) return;
    const message = `The file has ${maxMistakes} mistakes and more. The rest is not shown.`;
    throw new ProblemError({ code: "SP1011", message, ...(problem.place ? { place: problem.place } : {}) });
  };
  try {
    return { result: await work(report), problems: [...problems.values()] };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    error.problems.forEach(keep);
    return { result: undefined, problems: [...problems.values()] };
  }
}

function identityOf({ code, message, place, other }: Problem): string {
  return JSON.stringify([code, message, place?.file, place?.line, place?.column, other?.file, other?.line]);
}

/** Orders problems by file, line and column. */
export function byPlace(a: Problem, b: Problem): number {
  return (
    compare(a.place?.file ?? "", b.place?.file ?? "") ||
    (a.place?.line ?? 0) - (b.place?.line ?? 0) ||
    (a.place?.column ?? 0) - (b.place?.column ?? 0) ||
    compare(a.code, b.code) ||
    compare(a.message, b.message)
  );
}

/** Code point order, the same on every machine. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
