import type { Risk, Verdict } from "../core/change.ts";
import type { HistoryEntry } from "../core/history.ts";
import type { Json } from "../core/json.ts";
import type { Outcome, Report } from "../core/outcome.ts";
import type { Plan, PlannedChange } from "../core/plan.ts";
import type { Problem } from "../core/problem.ts";
import { parseSecretReference } from "../core/secret.ts";
import { counted } from "../core/words.ts";
import { riskWords } from "./change-text.ts";

/** What a report is about: a plan, what an apply came to, and what earlier runs saw. */
export interface Subject {
  readonly plan: Plan;
  readonly report?: Report;
  /** The oldest first; the last one is of this run. Left out if no history is kept. */
  readonly history?: readonly HistoryEntry[];
}

export function commandOf({ plan, report }: Subject): "plan" | "drift" | "apply" {
  return report === undefined ? plan.about.command : "apply";
}

/** One resource in a report. */
export interface ResourceRow {
  readonly address: string;
  readonly service: string;
  readonly kind: string;
  readonly action: PlannedChange["action"] | "none";
  readonly verdict: Verdict | "unknown" | "in sync";
  readonly risks: readonly Risk[];
  /** What an apply came to; undefined if nothing was applied. */
  readonly result: Outcome["result"] | undefined;
  readonly problem: Problem | undefined;
  readonly where: string;
  readonly fields: PlannedChange["fields"];
}

/** The resources: those that change, those that are unknown, and those in sync. */
export function resourceRows({ plan, report }: Subject): readonly ResourceRow[] {
  const outcomes = new Map(report?.outcomes.map((outcome) => [outcome.address, outcome]));
  const calm = { action: "none", risks: [], result: undefined, problem: undefined, where: "", fields: [] } as const;
  return [
    ...plan.changes.map((change) => {
      const { address, service, kind, action, verdict, risks, place, fields } = change;
      const outcome = outcomes.get(address);
      const where = place === undefined ? "" : `${place.file}:${place.line}`;
      const { result, problem } = outcome ?? {};
      return { address, service, kind, action, verdict, risks, result, problem, where, fields };
    }),
    ...plan.unknown.map(({ address, service, problem }) => {
      const [, kind = ""] = address.split("/");
      return { ...calm, address, service, kind, verdict: "unknown" as const, problem };
    }),
    ...plan.inSync.map((address) => {
      const [service = "", kind = ""] = address.split("/");
      return { ...calm, address, service, kind, verdict: "in sync" as const };
    }),
  ];
}

/** The counts in a sentence. */
export function summaryOf(subject: Subject): string {
  const { plan, report } = subject;
  const command = commandOf(subject);
  const parts = [
    counted(plan.changes.length, "change"),
    `${plan.unknown.length} unknown`,
    `${plan.inSync.length} in sync`,
    ...(plan.refusals.length > 0 ? [`refused for ${counted(plan.refusals.length, "reason")}`] : []),
  ];
  if (report === undefined) return `setpoint ${command}: ${parts.join(", ")}.`;
  const results = Map.groupBy(report.outcomes, ({ result }) => result);
  const came = [...results].map(([result, outcomes]) => `${outcomes.length} ${result}`);
  return `setpoint ${command}: ${[...parts, ...came].join(", ")}.`;
}

/** The changes that widen, narrow or lose something, with what. */
export function riskyRows(
  rows: readonly ResourceRow[],
): readonly { readonly address: string; readonly words: string }[] {
  return rows
    .filter(({ risks }) => risks.length > 0)
    .map(({ address, risks }) => ({ address, words: risks.map(riskWords).join(", ") }));
}

/** Characters of a value; the whole is in the JSON. */
const longestValue = 200;

/** A value on one line; a secret is dots. */
export function valueText(value: Json | undefined): string {
  if (value === undefined) return "(none)";
  const text =
    typeof value === "string" && parseSecretReference(value) === undefined
      ? value
      : JSON.stringify(value, (_name, inner: unknown) =>
          typeof inner === "string" && parseSecretReference(inner) !== undefined ? "•••" : inner,
        );
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}
