import type { FieldDifference } from "../core/change.ts";
import type { Problem, ProblemCode } from "../core/problem.ts";
import type { Address, Place } from "../core/resource.ts";
import type { PlannedChange } from "../core/run/plan.ts";
import { counted } from "../core/text/words.ts";
import { type AcknowledgedField, acknowledgementText } from "./acknowledged.ts";
import { problemWhere } from "./places.ts";
import { isRisky } from "./text/risks.ts";
import { visible } from "./text/style.ts";
import { type PlannedRun, type ResourceRow, type RunResult, resourceRows } from "./text/summary.ts";
import { valueTexts } from "./values.ts";

/** How much a finding matters: an error needs action; a note is what an apply would do anyway. */
export type Level = "error" | "warning" | "note";

/** A difference or a problem to show at a line of a manifest. */
export interface Finding {
  /** The verdict of a difference, or the code of a problem. */
  readonly rule: ResourceRow["verdict"] | "check" | ProblemCode;
  readonly level: Level;
  readonly message: string;
  readonly place?: Place | undefined;
  readonly other?: Place | undefined;
  readonly address?: Address | undefined;
  /** The field that the finding is about, if any. */
  readonly field?: string;
  readonly risks?: ResourceRow["risks"];
  /** Set if someone leaves the difference alone until a day. */
  readonly acknowledged?: AcknowledgedField;
}

/** The levels, the most serious first. */
export const levels: readonly Level[] = ["error", "warning", "note"];

/** The findings of a run, most serious first: problems, refusals, differences (by field if the manifest states them) and acknowledgements. */
export function findingsOf(result: RunResult): readonly Finding[] {
  const findings = "problems" in result ? result.problems.map(problemFinding) : planFindings(result);
  return levels.flatMap((level) => findings.filter((finding) => finding.level === level));
}

function planFindings(subject: PlannedRun): readonly Finding[] {
  const { plan, report } = subject;
  const rules = plan.trusted?.onceMerged ?? [];
  return [
    ...[...plan.refusals, ...(report?.problems ?? [])].map(problemFinding),
    ...[...(plan.warnings ?? []), ...rules].map(
      (problem): Finding => ({ ...problemFinding(problem), level: "warning" }),
    ),
    ...resourceRows(subject).flatMap((row) => [
      ...rowFindings(row, report),
      ...row.acknowledged.map((one) => acknowledgedFinding(row, one)),
    ]),
  ];
}

function problemFinding(problem: Problem): Finding {
  const { code, message, hint, place, other, address } = problem;
  const asked = place === undefined && address === undefined ? problemWhere(problem) : "";
  const text = `${asked === "" ? "" : `${asked}: `}${message}${hint === undefined ? "" : `\nHint: ${hint}`}`;
  return { rule: code, level: "error", message: text, place, other, address };
}

function rowFindings(row: ResourceRow, report: PlannedRun["report"]): readonly Finding[] {
  const { address, change, problem, result, risks, verdict } = row;
  if (verdict === "unknown" && problem !== undefined) {
    const found = problemFinding(problem);
    return [{ ...found, rule: verdict, level: "warning", message: `${problem.code} ${found.message}`, address }];
  }
  if (change === undefined || result === "applied") return [];
  const { place } = change;
  if (report !== undefined && result !== undefined) {
    const said =
      problem === undefined ? "It is not known whether the change took effect." : problemFinding(problem).message;
    const level = result === "skipped" ? "warning" : "error";
    return [{ rule: problem?.code ?? "unknown", level, message: `${result}: ${said}`, place, address }];
  }
  const stated = change.action === "update" ? change.fields.filter((field) => field.place !== undefined) : [];
  const isByField = stated.length > 0 && stated.length === change.fields.length;
  const said = row.hasHappened ? row.words : [verdict, row.action];
  const head = `${address}: ${said.join(", ")}${change.note === undefined ? "" : ` (${change.note})`}`;
  return (isByField ? stated.map((field) => fieldFinding(change, head, field)) : [changeFinding(change, head)]).map(
    (finding) => ({ ...finding, risks }),
  );
}

function fieldFinding(change: PlannedChange, head: string, field: FieldDifference): Finding {
  const message = `${head}\n${fieldText(field)}`;
  const { address } = change;
  return { ...ruleOf(change, field.verdict), message, place: field.place, address, field: field.path.join(".") };
}

function changeFinding(change: PlannedChange, head: string): Finding {
  const { address, place, fields, instruction } = change;
  const shown = fields.slice(0, mostFields).map(fieldText);
  const more = fields.length - shown.length;
  const lines = [
    head,
    ...(instruction === undefined ? [] : [instruction]),
    ...shown,
    ...(more > 0 ? [`… and ${counted(more, "more field")}`] : []),
  ];
  return { ...ruleOf(change, change.verdict), message: lines.join("\n"), place, address };
}

/** The most fields to list in one finding; the rest are counted. */
const mostFields = 10;

function fieldText({ path, live, desired }: FieldDifference): string {
  const [there, here] = valueTexts(live, desired);
  return visible(`${path.join(".")}: ${there} (live), ${here} (manifest)`);
}

function ruleOf(change: PlannedChange, verdict: PlannedChange["verdict"]): Pick<Finding, "rule" | "level"> {
  if (change.action === "check") return { rule: "check", level: "warning" };
  switch (verdict) {
    case "conflict":
      return { rule: verdict, level: "error" };
    case "drift":
      return { rule: verdict, level: "warning" };
    case "pending":
      return { rule: verdict, level: isRisky(change) ? "warning" : "note" };
  }
}

function acknowledgedFinding({ address, change }: ResourceRow, acknowledged: AcknowledgedField): Finding {
  const message = `${address}: ${acknowledgementText(acknowledged)}`;
  const { field } = acknowledged;
  return { rule: "drift", level: "note", message, place: change?.place, address, field, acknowledged };
}
