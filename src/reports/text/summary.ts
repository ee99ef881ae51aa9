import type { ObjectEvent, Verdict } from "../../core/change.ts";
import type { Problem } from "../../core/problem.ts";
import { type Address, addressParts } from "../../core/resource.ts";
import type { HistoryEntry } from "../../core/run/history.ts";
import type { Outcome, Report } from "../../core/run/outcome.ts";
import type { Plan, PlannedChange } from "../../core/run/plan.ts";
import { type AcknowledgedField, acknowledgedOf, acknowledgedResources } from "../acknowledged.ts";
import { lineText } from "../places.ts";
import { type ToldChange, toldChange } from "../told-change.ts";
import { recentEvents } from "./drift-text.ts";

/** What a report is about: a plan, the report of an apply, and what earlier runs saw. */
export interface PlannedRun {
  readonly plan: Plan;
  readonly report?: Report | undefined;
  /** What runs saw, the oldest first; the last entry is this run. Left out if no history is kept. */
  readonly history?: readonly HistoryEntry[] | undefined;
  /** Why calls of a saved plan are not sent, by id. */
  readonly withheld?: ReadonlyMap<number, Problem> | undefined;
  /** The path from the repository's root to the workspace, such as `tools`, to prefix the files of places. Left out if it is the root. */
  readonly folder?: string;
  /** Options that select the workspace and its values, for the commands that are shown. */
  readonly given?: readonly string[];
}

/** The problems of a run that made no plan; empty if the manifests were checked and have no errors. */
export interface Unplanned {
  readonly command: RunCommand;
  readonly problems: readonly Problem[];
  readonly folder?: string;
  readonly environment?: string | undefined;
}

export type RunResult = PlannedRun | Unplanned;

export type RunCommand = "validate" | "plan" | "drift" | "apply";

export function commandOf(result: PlannedRun): "plan" | "drift" | "apply";
export function commandOf(result: RunResult): RunCommand;
export function commandOf(result: RunResult): RunCommand {
  if ("problems" in result) return result.command;
  return result.report === undefined ? result.plan.about.command : "apply";
}

/** A resource as the command tells it: in a drift, its action, words, risks and fields are what happened. */
export interface ResourceRow extends Pick<PlannedChange, "address" | "service" | "kind">, Omit<ToldChange, "action"> {
  readonly action: PlannedChange["action"] | "none";
  /** `acknowledged`: every difference is left alone until a day. */
  readonly verdict: Verdict | "unknown" | "acknowledged" | "in sync";
  /** The result of an apply; undefined if there was none. */
  readonly result: Outcome["result"] | undefined;
  readonly problem: Problem | undefined;
  readonly where: string;
  /** What the service says about who changed it; of what happened, only what can explain it. */
  readonly events: readonly ObjectEvent[];
  readonly change: PlannedChange | undefined;
  /** The differences of the resource that someone leaves alone until a day. */
  readonly acknowledged: readonly AcknowledgedField[];
}

/** The resources: those that change, the unknown ones, those whose every difference is acknowledged, and those in sync. */
export function resourceRows({ plan, report }: PlannedRun): readonly ResourceRow[] {
  const outcomes = new Map(report?.outcomes.map((outcome) => [outcome.address, outcome]));
  const left = Map.groupBy(acknowledgedOf(plan), ({ address }) => address);
  const changing = plan.changes.map((change): ResourceRow => {
    const { address, service, kind, verdict, place, events: all = [] } = change;
    const told = toldChange(change, plan.about.command);
    const events = told.hasHappened ? recentEvents(all, plan.basis) : all;
    const { result, problem } = outcomes.get(address) ?? {};
    const acknowledged = left.get(address) ?? [];
    const where = lineText(place);
    return { ...told, address, service, kind, verdict, result, problem, where, events, change, acknowledged };
  });
  const unchanging = (address: Address, verdict: ResourceRow["verdict"], problem?: Problem): ResourceRow => {
    const { service, kind } = addressParts(address);
    return { address, service, kind, verdict, problem, acknowledged: left.get(address) ?? [], ...nothing };
  };
  return [
    ...changing,
    ...plan.unknown.map(({ address, problem }) => unchanging(address, "unknown", problem)),
    ...[...acknowledgedResources(plan).keys()].map((address) => unchanging(address, "acknowledged")),
    ...plan.inSync.map((address) => unchanging(address, "in sync")),
  ];
}

const nothing = {
  action: "none",
  words: [],
  risks: [],
  fields: [],
  events: [],
  hasHappened: false,
  where: "",
  result: undefined,
  change: undefined,
} as const;
