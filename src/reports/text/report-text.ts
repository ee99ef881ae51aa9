import { type PlannedCall, withParts } from "../../core/call.ts";
import type { Problem } from "../../core/problem.ts";
import type { Address } from "../../core/resource.ts";
import type { CallOutcome, Outcome, Report } from "../../core/run/outcome.ts";
import { countsOf } from "../../core/run/plan.ts";
import { type Alike, groupsBy } from "../../core/text/groups.ts";
import { counted, grouped, shellWord } from "../../core/text/words.ts";
import { legend, markOf } from "../meanings.ts";
import { meaningOf, personCount, resultCounts, seriousFirst } from "../result-counts.ts";
import {
  continuation,
  displayWidth,
  firstOf,
  flow,
  leftOutLine,
  pad,
  paragraphs,
  row,
  widest,
  wrap,
} from "./layout.ts";
import { problemLines } from "./problems.ts";
import { type Paint, paintPart, type ScreenOptions, type Style, styleOf, visibleStrings } from "./style.ts";
import type { PlannedRun } from "./summary.ts";

export interface ReportScreenOptions extends ScreenOptions, Pick<PlannedRun, "given"> {
  /** Whether to list everything that was not applied, however much has the same problem. */
  readonly all?: boolean;
}

/** Renders the report of an apply: each remote object, then what was not applied and what to do about it, then the counts. */
export function renderReport(report: Report, options: ReportScreenOptions): string {
  const style = styleOf(options);
  const shown = visibleStrings(report);
  const ownLines = (shown.problems ?? []).flatMap((problem) => problemLines(problem, style));
  return paragraphs([
    options.quiet === true ? [] : laneLines(shown, style),
    notAppliedLines(shown, options, style),
    ownLines,
    flow(closing(shown), style.width, " "),
  ]);
}

/** A row for one remote object, or for several that were not touched. */
interface LaneRow {
  readonly service: string;
  readonly glyph: string;
  readonly paint: Paint;
  readonly scope: string;
  readonly what: string;
  /** In words; empty if nothing was sent. */
  readonly duration: string;
}

function laneLines(report: Report, style: Style): readonly string[] {
  const lanes = groupsBy(withParts(report.plan.calls), ({ lane }) => lane);
  const resultOf = new Map(report.outcomes.map(({ address, result }) => [address, result]));
  const outcomeOf = new Map(report.calls.map((outcome) => [outcome.id, outcome]));
  const rows = [
    ...lanes.map((lane) => laneRow(lane, resultOf, outcomeOf, style)),
    ...untouchedRows(report, style),
    ...triggerRows(report, style),
  ];
  const services = widest(rows, ({ service }) => service);
  const results = widest(rows, ({ what, duration }) => `  ${what}  ${duration}`);
  const scopes = widest(rows, ({ scope }) => scope, style.width - services - 4 - results);
  return rows.flatMap(({ service, glyph, paint, scope, what, duration }) => {
    const start = `${pad(service, services)}  ${glyph} ${pad(scope, scopes)}`;
    // A scope beside which some result would not fit gets its own line, so that the other results stay aligned.
    const [head = "", ...rest] =
      displayWidth(scope) <= scopes
        ? row(`${start}  ${what}`, duration, style)
        : [...wrap(start, style.width, "", continuation), ...row(`${continuation}${what}`, duration, style)];
    const glyphAt = pad(service, services).length + 2;
    return [`${head.slice(0, glyphAt)}${paintPart(style, paint, head.slice(glyphAt), glyph)}`, ...rest];
  });
}

function laneRow(
  { first, all: calls }: Alike<PlannedCall>,
  resultOf: ReadonlyMap<Address, Outcome["result"]>,
  outcomeOf: ReadonlyMap<number, CallOutcome>,
  style: Style,
): LaneRow {
  const addresses = new Set(calls.flatMap(({ carries }) => carries));
  const results = [...addresses].flatMap((address) => resultOf.get(address) ?? []);
  const sent = calls.flatMap(({ id }) => outcomeOf.get(id) ?? []).filter(({ result }) => result !== "skipped");
  const isApplied = results.length > 0 && results.every((result) => result === "applied");
  const changes = `${counted(addresses.size, "change")} in ${counted(sent.length, "call")}`;
  const milliseconds = sent.reduce((sum, { duration }) => sum + duration, 0);
  return {
    service: first.service,
    ...markOf(meaningOf(results), style),
    scope: first.lane.slice(first.service.length + 1),
    what: isApplied ? `${changes}, verified` : resultCounts(results).join(", "),
    duration: sent.length === 0 ? "" : seconds(milliseconds),
  };
}

/** The rows for resources without calls: those that were unknown when planned, and those that need a person. */
function untouchedRows({ plan }: Report, style: Style): readonly LaneRow[] {
  return plan.services.flatMap(({ name }): readonly LaneRow[] => {
    const unknown = plan.unknown.filter(({ service }) => service === name).length;
    const { check: checks } = countsOf(plan.changes.filter(({ service }) => service === name));
    const common = { service: name, duration: "" };
    return [
      ...(unknown > 0
        ? [{ ...common, ...markOf("skipped", style), scope: `${unknown} skipped`, what: "unknown when planned" }]
        : []),
      ...(checks > 0 ? [{ ...common, ...markOf("person", style), scope: personCount(checks), what: "see below" }] : []),
    ];
  });
}

/** The rows for what was started after the apply. */
function triggerRows({ plan, triggers = [] }: Report, style: Style): readonly LaneRow[] {
  const callOf = new Map((plan.triggers ?? []).map((call) => [call.id, call]));
  return triggers.map(({ id, result, duration }) => {
    const { service = "", operation = "" } = callOf.get(id) ?? {};
    const took = result === "skipped" ? "" : seconds(duration);
    return { service, scope: operation, duration: took, ...triggerWords(result, style) };
  });
}

function triggerWords(result: CallOutcome["result"], style: Style): Pick<LaneRow, "glyph" | "paint" | "what"> {
  switch (result) {
    case "done":
      return { ...markOf("done", style), what: "sent after the apply" };
    case "divided":
    case "failed":
      return { ...markOf("wrong", style), what: "failed" };
    case "lost":
      return { ...markOf("unknown", style), what: "sent, but not answered" };
    case "skipped":
      return { ...markOf("skipped", style), what: "not sent" };
  }
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** The most resources to list for one problem; the rest are counted. */
const mostAlike = 20;

/** The lines for everything that was not applied, the most serious first, grouped by problem. */
function notAppliedLines(report: Report, options: ReportScreenOptions, style: Style): readonly string[] {
  const { plan, outcomes, triggers = [] } = report;
  const bad = seriousFirst
    .filter((result) => result !== "applied")
    .flatMap((result) => outcomes.filter((outcome) => outcome.result === result));
  const groups = groupsBy(bad, ({ result, problem }) => [result, problem?.code, problem?.message]);
  const checks = plan.changes.filter(({ action }) => action === "check");
  return [
    ...groups.flatMap((group) => groupLines(group, report, options, style)),
    ...checks.flatMap(({ address, instruction = "" }) => [
      ...wrap(`${address}  needs a person`, style.width, "", "    "),
      ...wrap(instruction, style.width, "  "),
    ]),
    ...triggers.flatMap(({ problem }) => (problem === undefined ? [] : problemLines(problem, style))),
  ];
}

function groupLines(
  group: Alike<Outcome>,
  { run }: Report,
  { all = false, given = [] }: ReportScreenOptions,
  style: Style,
): readonly string[] {
  const { result } = group.first;
  const { paint: emphasis } = legend[meaningOf([result])];
  const { shown, more } = firstOf(group.all, mostAlike, all);
  const command = ["setpoint runs", run, ...given.map(shellWord)].join(" ");
  return [
    ...shown
      .flatMap(({ address }) => wrap(`${address}  ${result}`, style.width, "", "    "))
      .map((line) => paintPart(style, emphasis, line, ` ${result}`)),
    ...leftOutLine(more, `${grouped(more)} more ${result}; ${command} lists them`, "", style),
    ...problemLines(sharedProblem(group), { ...style, width: style.width - 2 }).map((line) => `  ${line}`),
  ];
}

/** The problem of several outcomes, without the service or the operation if they are not the same for all. */
function sharedProblem({ first, all }: Alike<Outcome>): Problem {
  const { address: _own, service, operation, ...problem } = first.problem ?? fallback(first);
  const isShared = (name: "service" | "operation") =>
    all.every((outcome) => outcome.problem?.[name] === first.problem?.[name]);
  return {
    ...problem,
    ...(service !== undefined && isShared("service") ? { service } : {}),
    ...(operation !== undefined && isShared("service") && isShared("operation") ? { operation } : {}),
  };
}

/** The problem to show for an outcome without one. */
function fallback({ address }: Outcome): Problem {
  return {
    code: "SP3105",
    address,
    message: "It is not known whether the change took effect.",
    hint: "Plan again: the plan shows the current state.",
  };
}

function closing({ plan, outcomes, run, journal }: Report): readonly string[] {
  const results = outcomes.map(({ result }) => result);
  const unknown = plan.unknown.map(() => "skipped" as const);
  const { check: checks } = countsOf(plan.changes);
  const counts = resultCounts([...results, ...unknown], ["applied", "failed", "skipped"]);
  const all = [...counts, ...(checks > 0 ? [personCount(checks)] : [])];
  return [`${all.join(", ")}.`, `Run ${run}, journal in ${journal}.`];
}
