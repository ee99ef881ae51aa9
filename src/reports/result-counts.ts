import type { PastRun } from "../core/run/past-run.ts";
import { counted, grouped } from "../core/text/words.ts";
import { acknowledgedCount } from "./acknowledged.ts";
import type { Meaning } from "./meanings.ts";
import { commandOf, type RunResult } from "./text/summary.ts";

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

/** What results mean together: the most serious one decides. */
export function meaningOf(results: readonly Result[]): Meaning {
  if (results.includes("failed") || results.includes("stale")) return "wrong";
  if (results.includes("unknown")) return "unknown";
  return results.includes("skipped") || results.includes("sent") ? "skipped" : "done";
}

export function personCount(count: number): string {
  return `${grouped(count)} ${count === 1 ? "needs" : "need"} a person`;
}

/** The counts of a run in a sentence. */
export function summaryOf(result: RunResult): string {
  const command = commandOf(result);
  if ("problems" in result) {
    const { length } = result.problems;
    return `setpoint ${command}: ${length === 0 ? "no errors" : counted(length, "problem")}.`;
  }
  const { plan, report } = result;
  const acknowledged = acknowledgedCount(plan);
  const unread = grouped(plan.unknown.length);
  const parts = [
    counted(plan.changes.length, "change"),
    ...resultCounts(report?.outcomes.map((outcome) => outcome.result) ?? []),
    // After an apply, `unknown` is the result of a change.
    ...(report === undefined ? [`${unread} unknown`] : unread === "0" ? [] : [`${unread} could not be read`]),
    `${grouped(plan.inSync.length)} in sync`,
    ...(acknowledged > 0 ? [`${grouped(acknowledged)} acknowledged`] : []),
    ...(plan.affected === undefined ? [] : [`${grouped(plan.affected.others)} not looked at`]),
    ...(plan.refusals.length > 0 ? [`refused for ${counted(plan.refusals.length, "reason")}`] : []),
  ];
  return `setpoint ${command}: ${parts.join(", ")}.`;
}
