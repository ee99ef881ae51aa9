import type { HistoryEntry } from "../../core/run/history.ts";
import { groupsBy } from "../../core/text/groups.ts";
import { defined } from "../../core/text/json.ts";
import { type PlannedRun, resourceRows } from "../text/summary.ts";

const calm: readonly string[] = ["in sync", "acknowledged"];

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/**
 * Renders a run as OpenMetrics text, which collectors of Prometheus's older format also read. Each sample names the command, the
 * workspace and its environment, so that the files of several runs can be collected together.
 */
export function renderMetrics(
  subject: PlannedRun,
  { command, at, exitCode }: Pick<HistoryEntry, "command"> & { readonly at: Date; readonly exitCode: number },
): string {
  const { plan, history } = subject;
  const { workspace, environment } = plan.about;
  const run = { command, workspace, ...defined({ environment }) };
  const one = (value: number): readonly Sample[] => [{ labels: run, value }];
  const counts = (all: readonly Labels[]) => counted(all, run);
  // A change that was applied is in sync.
  const verdicts = resourceRows(subject).map(({ service, kind, verdict, result }) => {
    return { service, kind, verdict: result === "applied" ? "in sync" : verdict };
  });
  const changes = plan.changes.map(({ service, kind, action }) => ({ service, kind, action }));
  const risks = plan.changes.flatMap(({ service, kind, risks: all }) => all.map((risk) => ({ service, kind, risk })));
  const isComplete = verdicts.every(({ verdict }) => calm.includes(verdict));
  const drift = history === undefined ? [] : one(oldest(history, at));
  const families = [
    family("setpoint_resources", "Resources by verdict.", counts(verdicts)),
    family("setpoint_changes", "Changes of the plan by what an apply would do.", counts(changes)),
    family("setpoint_risks", "Changes of the plan by what an apply would widen, narrow or lose.", counts(risks)),
    family("setpoint_requests", "Requests that the run sent.", requests(subject, run), "counter"),
    family(
      "setpoint_run_timestamp_seconds",
      "When the run ended; if it is old, later runs did not finish.",
      one(at.getTime() / 1000),
    ),
    family("setpoint_exit_code", "The exit code of the run.", one(exitCode)),
    family(
      "setpoint_complete",
      "1 if every declared resource could be read and no change is left.",
      one(isComplete ? 1 : 0),
    ),
    family("setpoint_drift_oldest_seconds", "How long the oldest drift has lasted; only if a history is kept.", drift),
  ];
  return `${[...families.flat(), "# EOF"].join("\n")}\n`;
}

/** The lines of a metric; none without samples. */
function family(
  name: string,
  help: string,
  samples: readonly Sample[],
  type: "gauge" | "counter" = "gauge",
): readonly string[] {
  if (samples.length === 0) return [];
  const ending = type === "counter" ? "_total" : "";
  const lines = samples.map(({ labels, value }) => `${name}${ending}${labelText(labels)} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

function requests({ plan, report }: PlannedRun, run: Labels): readonly Sample[] {
  const sent = report?.requests ?? {};
  const planned = new Map(plan.services.map(({ name, reads }) => [name, reads]));
  return [...new Set([...planned.keys(), ...Object.keys(sent)])].flatMap((service) => {
    const { reads = 0, writes = 0 } = sent[service] ?? {};
    return [
      { labels: { ...run, service, effect: "read" }, value: (planned.get(service) ?? 0) + reads },
      { labels: { ...run, service, effect: "write" }, value: writes },
    ];
  });
}

/** Seconds since the oldest drift of the last run was first seen. */
function oldest(history: readonly HistoryEntry[], at: Date): number {
  const seen = history.at(-1)?.findings.filter(({ verdict }) => verdict === "drift") ?? [];
  return Math.max(0, ...seen.map(({ firstSeen }) => (at.getTime() - Date.parse(firstSeen)) / 1000));
}

function counted(all: readonly Labels[], run: Labels): readonly Sample[] {
  return groupsBy(all, (labels) => labels).map(({ first, all: { length } }) => ({
    labels: { ...run, ...first },
    value: length,
  }));
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
