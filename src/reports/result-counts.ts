import type { PastRun } from "../core/run/past-run.ts";
import { grouped } from "../core/text/words.ts";

type Result = PastRun["changes"][number]["result"];

const countOrder: readonly Result[] = ["applied", "failed", "skipped", "stale", "unknown", "sent"];

/** The results of changes, the most serious first. */
export const seriousFirst: readonly Result[] = ["failed", "stale", "unknown", "sent", "skipped", "applied"];

/** How many changes have each result, such as `6 applied`, `2 failed`; a result that none has is left out unless it is in `always`. */
export function resultCounts(results: readonly Result[], always: readonly Result[] = []): readonly string[] {
  return countOrder.flatMap((result) => {
    const count = results.filter((each) => each === result).length;
    return count > 0 || always.includes(result) ? [`${grouped(count)} ${result}`] : [];
  });
}

export function personCount(count: number): string {
  return `${grouped(count)} ${count === 1 ? "needs" : "need"} a person`;
}
