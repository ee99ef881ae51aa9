import { countsOf, type Plan } from "../core/run/plan.ts";
import { counted, grouped, shortened } from "../core/text/words.ts";
import { resultCounts } from "../reports/result-counts.ts";
import type { PlannedRun } from "../reports/text/summary.ts";
import type { Edition, News } from "./publisher.ts";

/** The maximum length of a status's description, in characters. @see docs/api/hosting.md */
const longest = 140;

/** The result of a run in one line of at most 140 characters: what the manifests ask for, separate from earlier drift. */
export function countLine(news: News, command: Edition["command"]): string {
  return shortened(lineOf(news, command), longest - 1);
}

function lineOf(news: News, command: Edition["command"]): string {
  switch (news.is) {
    case "started":
      return `${command} is running`;
    case "wrong": {
      const codes = [...new Set(news.problems.map(({ code }) => code))];
      if (codes.length === 0) return "Ended early";
      return `Ended early: ${counted(news.problems.length, "problem")} (${codes.join(", ")})`;
    }
    case "made": {
      const { plan } = news.subject;
      const refused = plan.refusals.length === 0 ? [] : [`refused for ${counted(plan.refusals.length, "reason")}`];
      const parts = [...refused, ...resultWords(news.subject, command)];
      const said = parts.length === 0 ? [`Nothing to do, ${grouped(plan.inSync.length)} in sync`] : parts;
      if (plan.affected !== undefined) said.push(`${grouped(plan.affected.others)} not looked at`);
      return said.join(", ");
    }
  }
}

function resultWords({ plan, report }: PlannedRun, command: Edition["command"]): readonly string[] {
  if (report === undefined) return differenceWords(plan, command);
  const left = counts([
    [countsOf(plan.changes).check, "for a person"],
    [plan.unknown.length, "not readable"],
  ]);
  return [...resultCounts(report.outcomes.map(({ result }) => result)), ...left];
}

/** `2 pending, 1 drifted before, 3 unknown`; empty if there is nothing to report. */
function differenceWords(plan: Plan, command: Edition["command"]): readonly string[] {
  const { pending, drift, conflict } = countsOf(plan.changes);
  return counts([
    [pending, "pending"],
    [drift, command === "drift" ? "drifted" : "drifted before"],
    [conflict, conflict === 1 ? "conflict" : "conflicts"],
    [plan.unknown.length, "unknown"],
  ]);
}

/** Words for the counts that are not zero. */
function counts(all: readonly (readonly [count: number, word: string])[]): readonly string[] {
  return all.flatMap(([count, word]) => (count === 0 ? [] : [`${grouped(count)} ${word}`]));
}

/** Says what this change does, and what had drifted before it. Empty for a drift, and for a run that plans no changes. */
export function separation(news: News, command: Edition["command"]): string {
  if (news.is !== "made" || command === "drift") return "";
  const { plan } = news.subject;
  if (plan.changes.length === 0) return "";
  if (plan.base === undefined)
    return "Without --base, what this change does and what had drifted before cannot be distinguished.";
  const { pending, drift, conflict } = countsOf(plan.changes);
  const both = conflict === 0 ? "" : ` Changed on both sides: ${counted(conflict, "resource")}.`;
  return `Asked for by this change: ${counted(pending, "resource")}. Drifted before it: ${counted(drift, "resource")}.${both}`;
}
