import { type PlannedCall, withParts } from "../../core/call.ts";
import type { Problem } from "../../core/problem.ts";
import type { Address } from "../../core/resource.ts";
import type { CallOutcome, Outcome, Report } from "../../core/run/outcome.ts";
import { type Alike, groupsBy } from "../../core/text/groups.ts";
import { counted, grouped } from "../../core/text/words.ts";
import { markOf } from "../meanings.ts";
import { continuation, displayWidth, flow, pad, paragraphs, row, wrap } from "./layout.ts";
import { problemLines } from "./problems.ts";
import { type Paint, paintPart, type ScreenOptions, type Style, styleOf, visibleStrings } from "./style.ts";

/** Renders the report of an apply: each remote object, then what was not applied and what to do about it, then the counts. */
export function renderReport(report: Report, options: ScreenOptions): string {
  const style = styleOf(options);
  const shown = visibleStrings(report);
  const ownLines = (shown.problems ?? []).flatMap((problem) => problemLines(problem, style));
  return paragraphs([
    options.quiet === true ? [] : laneLines(shown, style),
    notAppliedLines(shown, style),
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

/** Scopes are aligned up to this width. */
const scopeWidth = 40;

function laneLines(report: Report, style: Style): readonly string[] {
  const lanes = groupsBy(withParts(report.plan.calls), ({ lane }) => lane);
  const results = new Map(report.outcomes.map(({ address, result }) => [address, result]));
  const outcomes = new Map(report.calls.map((outcome) => [outcome.id, outcome]));
  const rows = [
    ...lanes.map((lane) => laneRow(lane, results, outcomes, style)),
    ...untouchedRows(report, style),
    ...triggerRows(report, style),
  ];
  const widest = (column: "service" | "scope", limit: number) =>
    Math.max(0, ...rows.map((each) => displayWidth(each[column])).filter((width) => width <= limit));
  const [services, scopes] = [widest("service", scopeWidth), widest("scope", scopeWidth)];
  return rows.flatMap(({ service, glyph, paint, scope, what, duration }) => {
    const start = `${pad(service, services)}  ${glyph} ${pad(scope, scopes)}`;
    // A long name gets its own line, so that its result stays together.
    const [head = "", ...rest] =
      displayWidth(`${start}  ${what}  ${duration}`) <= style.width
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
    ...glyphOf(results, style),
    scope: first.lane.slice(first.service.length + 1),
    what: isApplied ? `${changes}, verified` : resultCounts(results).join(", "),
    duration: sent.length === 0 ? "" : seconds(milliseconds),
  };
}

function glyphOf(results: readonly Outcome["result"][], style: Style): Pick<LaneRow, "glyph" | "paint"> {
  if (results.includes("failed") || results.includes("stale")) return markOf("wrong", style);
  if (results.includes("unknown")) return markOf("unknown", style);
  return markOf(results.includes("skipped") ? "skipped" : "done", style);
}

/** The rows for resources without calls: those that were unknown when planned, and those that need a person. */
function untouchedRows({ plan }: Report, style: Style): readonly LaneRow[] {
  return plan.services.flatMap(({ name }): readonly LaneRow[] => {
    const unknown = plan.unknown.filter(({ service }) => service === name).length;
    const checks = plan.changes.filter(({ service, action }) => service === name && action === "check").length;
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

function personCount(count: number): string {
  return `${count} ${count === 1 ? "needs" : "need"} a person`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

type Result = Outcome["result"];

const resultOrder: readonly Result[] = ["applied", "failed", "skipped", "stale", "unknown"];

function resultCounts(results: readonly Result[], always: readonly Result[] = []): readonly string[] {
  return resultOrder.flatMap((result) => {
    const count = results.filter((each) => each === result).length;
    return count > 0 || always.includes(result) ? [`${grouped(count)} ${result}`] : [];
  });
}

/** The lines for everything that was not applied, the most serious first, grouped by problem. */
function notAppliedLines({ plan, outcomes, triggers = [] }: Report, style: Style): readonly string[] {
  const order: readonly Result[] = ["failed", "stale", "unknown", "skipped"];
  const bad = order.flatMap((result) => outcomes.filter((outcome) => outcome.result === result));
  const groups = groupsBy(bad, ({ result, problem }) => [result, problem?.code, problem?.message]);
  const checks = plan.changes.filter(({ action }) => action === "check");
  return [
    ...groups.flatMap((group) => groupLines(group, style)),
    ...checks.flatMap(({ address, instruction = "" }) => [
      ...wrap(`${address}  needs a person`, style.width, "", "    "),
      ...wrap(instruction, style.width, "  "),
    ]),
    ...triggers.flatMap(({ problem }) => (problem === undefined ? [] : problemLines(problem, style))),
  ];
}

function groupLines({ first, all }: Alike<Outcome>, style: Style): readonly string[] {
  const { address: _own, ...problem } = first.problem ?? fallback(first);
  const { result } = first;
  const { paint: emphasis } = glyphOf([result], style);
  return [
    ...all
      .flatMap(({ address }) => wrap(`${address}  ${result}`, style.width, "", "    "))
      .map((line) => paintPart(style, emphasis, line, ` ${result}`)),
    ...problemLines(problem, { ...style, width: style.width - 2 }).map((line) => `  ${line}`),
  ];
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
  const checks = plan.changes.filter(({ action }) => action === "check").length;
  const counts = resultCounts([...results, ...unknown], ["applied", "failed", "skipped"]);
  const all = [...counts, ...(checks > 0 ? [personCount(checks)] : [])];
  return [`${all.join(", ")}.`, `Run ${run}, journal in ${journal}.`];
}
