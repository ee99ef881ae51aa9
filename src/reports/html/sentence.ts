import type { Risk } from "../../core/change.ts";
import type { Plan } from "../../core/run/plan.ts";
import { counted, grouped } from "../../core/text/words.ts";
import { acknowledgedCount } from "../acknowledged.ts";
import type { PlannedRun } from "../text/summary.ts";

/** The result of a run in plain words: one sentence or a few. */
export function sentenceOf(subject: PlannedRun): string {
  const { plan, report } = subject;
  if (isCalm(subject)) return calmWords(plan);
  const sentences = report === undefined ? planWords(plan) : appliedWords(report.outcomes);
  return [...sentences, ...unknownWords(plan)].join(" ");
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
  const { length } = plan.inSync;
  if (length === 0) return "There is nothing to look at: no resource is declared.";
  const left = acknowledgedCount(plan);
  const acknowledged = left === 0 ? "" : `, ${grouped(left)} of them acknowledged`;
  return `Everything is as desired: ${counted(length, "resource")}${acknowledged}.`;
}

function planWords(plan: Plan): readonly string[] {
  const { about, changes, refusals } = plan;
  if (refusals.length > 0)
    return [`This plan is refused for ${counted(refusals.length, "reason")}: an apply would make no call.`];
  if (changes.length === 0) return [];
  return about.command === "drift" ? driftWords(plan) : wouldWords(plan);
}

function driftWords({ changes, unknown, inSync }: Plan): readonly string[] {
  const total = changes.length + unknown.length + inSync.length;
  const moved = changes.filter(({ happened }) => happened !== undefined);
  const waiting = changes.length - moved.length;
  const risks = moved.flatMap(({ happened }) => happened?.risks ?? []);
  const access = [accessWords(risks, "widens-access", "widened"), accessWords(risks, "narrows-access", "narrowed")];
  return [
    moved.length === 0
      ? "Nothing moved without a manifest."
      : `${grouped(moved.length)} of ${counted(total, "resource")} moved without a manifest.`,
    ...access.filter((words) => words !== ""),
    ...(waiting === 0
      ? []
      : [`${counted(waiting, "change")} of the manifests ${waiting === 1 ? "is" : "are"} not applied yet.`]),
  ];
}

function accessWords(risks: readonly Risk[], risk: Risk, done: string): string {
  const times = risks.filter((one) => one === risk).length;
  return times === 0 ? "" : `Access was ${done} ${times === 1 ? "once" : counted(times, "time")}.`;
}

function wouldWords({ base, changes, calls }: Plan): readonly string[] {
  const drifted = changes.filter(({ verdict }) => verdict === "drift").length;
  const conflicts = changes.filter(({ verdict }) => verdict === "conflict").length;
  const people = changes.filter(({ action }) => action === "check").length;
  const deleted = changes.filter(({ action }) => action === "delete").length;
  const having = (risk: Risk) => changes.filter(({ risks }) => risks.includes(risk)).length;
  const [lost, widened, rotated] = [having("irreversible"), having("widens-access"), having("secret-rotates")];
  const written = changes.length - people;
  const parts = [
    ...(deleted === 0 ? [] : [`delete ${deleted === written ? "all of them" : deleted}`]),
    ...(widened === 0 ? [] : [`widen access ${widened === 1 ? "once" : counted(widened, "time")}`]),
    ...(rotated === 0 ? [] : [`rotate ${counted(rotated, "secret")}`]),
  ];
  return [
    written === 0
      ? "An apply would change nothing."
      : `An apply would change ${counted(written, "resource")} in ${counted(calls.length, "call")}.`,
    ...(parts.length === 0 ? [] : [`It would ${listed(parts)}.`]),
    ...(lost === 0 ? [] : [`${grouped(lost)} cannot be undone.`]),
    ...(base === undefined || drifted === 0
      ? []
      : [`${grouped(drifted)} of ${grouped(changes.length)} had drifted before.`]),
    ...(conflicts === 0 ? [] : [`${counted(conflicts, "conflict")}: both sides changed.`]),
    ...(people === 0 ? [] : [`${grouped(people)} ${people === 1 ? "needs" : "need"} a person.`]),
  ];
}

function appliedWords(outcomes: readonly { readonly result: string }[]): readonly string[] {
  const having = (result: string) => outcomes.filter((outcome) => outcome.result === result).length;
  const applied = having("applied");
  const others = [
    [having("failed"), "failed"],
    [having("stale"), "changed meanwhile"],
    [having("skipped"), "skipped"],
    [having("unknown"), "with unknown result"],
  ] as const;
  const rest = others.filter(([count]) => count > 0).map(([count, words]) => `${grouped(count)} ${words}`);
  if (outcomes.length === 0) return ["Nothing was applied."];
  if (rest.length === 0) return [`All ${counted(applied, "change")} ${applied === 1 ? "was" : "were"} applied.`];
  return [
    `${grouped(applied)} of ${counted(outcomes.length, "change")} ${applied === 1 ? "was" : "were"} applied: ${listed(rest)}.`,
  ];
}

function unknownWords({ unknown }: Plan): readonly string[] {
  if (unknown.length === 0) return [];
  const services = [...new Set(unknown.map(({ service }) => service))];
  const where = services.length > 3 ? `${services.length} services` : listed(services);
  return [`${counted(unknown.length, "resource")} of ${where} could not be read.`];
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
