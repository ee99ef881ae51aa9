import type { Risk } from "../../core/change.ts";
import type { Report } from "../../core/run/outcome.ts";
import { countsOf, type Plan } from "../../core/run/plan.ts";
import { counted, enumerated, grouped } from "../../core/text/words.ts";
import { acknowledgedResources } from "../acknowledged.ts";
import { personCount } from "../result-counts.ts";
import type { PlannedRun } from "../text/summary.ts";

/** The result of a run in plain words: one sentence or a few. */
export function sentenceOf(subject: PlannedRun): string {
  const { plan, report } = subject;
  if (isCalm(subject)) return calmWords(plan);
  const sentences = report === undefined ? planWords(plan) : [appliedWords(report.outcomes)];
  return [...sentences, unknownWords(plan)].filter(Boolean).join(" ");
}

/** Whether there is nothing to look at. */
export function isCalm({ plan, report }: PlannedRun): boolean {
  const { changes, unknown, refusals, warnings = [], orphans = [], unmanaged = [], trusted } = plan;
  const isQuiet = [changes, unknown, refusals, warnings, orphans, unmanaged, trusted?.changes ?? []].every(
    ({ length }) => length === 0,
  );
  return isQuiet && (report?.problems ?? []).length === 0;
}

function calmWords(plan: Plan): string {
  const left = acknowledgedResources(plan).size;
  // A resource with an acknowledged difference is not in sync.
  const total = plan.inSync.length + left;
  if (total === 0) return "There is nothing to look at: no resource is declared.";
  const acknowledged = left === 0 ? "" : `, ${grouped(left)} of them acknowledged`;
  return `Everything is as desired: ${counted(total, "resource")}${acknowledged}.`;
}

function planWords(plan: Plan): readonly string[] {
  const { about, changes, refusals } = plan;
  if (refusals.length > 0)
    return [`This plan is refused for ${counted(refusals.length, "reason")}: an apply would make no call.`];
  if (changes.length === 0) return [];
  return about.command === "drift" ? driftWords(plan) : wouldWords(plan);
}

function driftWords(plan: Plan): readonly string[] {
  const { changes, unknown, inSync } = plan;
  const total = changes.length + unknown.length + inSync.length + acknowledgedResources(plan).size;
  const moved = changes.flatMap(({ happened }) => happened ?? []);
  const waiting = changes.length - moved.length;
  const [widened, narrowed] = [having(moved, "widens-access"), having(moved, "narrows-access")];
  return [
    moved.length === 0
      ? "Nothing moved without a manifest."
      : `${grouped(moved.length)} of ${counted(total, "resource")} moved without a manifest.`,
    ifAny(widened, `Access was widened ${times(widened)}.`),
    ifAny(narrowed, `Access was narrowed ${times(narrowed)}.`),
    ifAny(waiting, `${counted(waiting, "change")} of the manifests ${waiting === 1 ? "is" : "are"} not applied yet.`),
  ];
}

function wouldWords({ base, changes, calls }: Plan): readonly string[] {
  const { drift: drifted, conflict: conflicts, check: people } = countsOf(changes);
  const deleted = changes.filter(({ action }) => action === "delete").length;
  const [widened, rotated] = [having(changes, "widens-access"), having(changes, "secret-rotates")];
  const lost = having(changes, "irreversible");
  const written = changes.length - people;
  const parts = [
    ifAny(deleted, `delete ${deleted === written ? "all of them" : deleted}`),
    ifAny(widened, `widen access ${times(widened)}`),
    ifAny(rotated, `rotate ${counted(rotated, "secret")}`),
  ];
  return [
    written === 0
      ? "An apply would change nothing."
      : `An apply would change ${counted(written, "resource")} in ${counted(calls.length, "call")}.`,
    ifAny(deleted + widened + rotated, `It would ${enumerated(parts.filter(Boolean))}.`),
    ifAny(lost, `${grouped(lost)} cannot be undone.`),
    ifAny(base === undefined ? 0 : drifted, `${grouped(drifted)} of ${grouped(changes.length)} had drifted before.`),
    ifAny(conflicts, `${counted(conflicts, "conflict")}: both sides changed.`),
    ifAny(people, `${personCount(people)}.`),
  ];
}

function appliedWords(outcomes: Report["outcomes"]): string {
  const count = (result: string) => outcomes.filter((outcome) => outcome.result === result).length;
  const applied = count("applied");
  const were = applied === 1 ? "was" : "were";
  const rest = Object.entries(others).map(([result, words]) =>
    ifAny(count(result), `${grouped(count(result))} ${words}`),
  );
  if (outcomes.length === 0) return "Nothing was applied.";
  if (applied === outcomes.length) return `All ${counted(applied, "change")} ${were} applied.`;
  return `${grouped(applied)} of ${counted(outcomes.length, "change")} ${were} applied: ${enumerated(rest.filter(Boolean))}.`;
}

/** The results of changes that were not applied. */
const others = { failed: "failed", stale: "changed meanwhile", skipped: "skipped", unknown: "with unknown result" };

function unknownWords({ unknown }: Plan): string {
  return ifAny(unknown.length, `${countedOfServices(unknown)} could not be read.`);
}

/** Such as `3 resources of hosting and wiki`. */
export function countedOfServices(resources: readonly { readonly service: string }[]): string {
  const services = [...new Set(resources.map(({ service }) => service))];
  const where = services.length > 3 ? `${services.length} services` : enumerated(services);
  return `${counted(resources.length, "resource")} of ${where}`;
}

function ifAny(count: number, words: string): string {
  return count === 0 ? "" : words;
}

function having(changes: readonly { readonly risks: readonly Risk[] }[], risk: Risk): number {
  return changes.filter(({ risks }) => risks.includes(risk)).length;
}

function times(count: number): string {
  return count === 1 ? "once" : counted(count, "time");
}
