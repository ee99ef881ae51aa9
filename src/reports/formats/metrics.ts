import type { HistoryEntry } from "../../core/run/history.ts";
import { groupsBy } from "../../core/text/groups.ts";
import { type PlannedRun, resourceRows } from "../text/summary.ts";

/** What is measured about a run, in addition to what it saw. */
export interface RunMeasures {
  readonly command: HistoryEntry["command"];
  readonly at: Date;
  readonly exitCode: number;
}

const calm: readonly string[] = ["in sync", "acknowledged"];

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

interface Family {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/**
 * Renders a run as OpenMetrics text, which collectors of Prometheus's older format also read. Each sample names the command and
 * the workspace, so that the files of several runs can be collected together.
 */
export function renderMetrics(subject: PlannedRun, { command, at, exitCode }: RunMeasures): string {
  const { plan, history } = subject;
  const run = { command, workspace: plan.about.workspace };
  const one = (value: number): readonly Sample[] => [{ labels: run, value }];
  const counts = (all: readonly Labels[]) => counted(all, run);
  // A change that was applied is in sync.
  const verdicts = resourceRows(subject).map(({ service, kind, verdict, result }) => {
    return { service, kind, verdict: result === "applied" ? "in sync" : verdict };
  });
  const families: readonly Family[] = [
    {
      name: "setpoint_resources",
      type: "gauge",
      help: "Resources by verdict.",
      samples: counts(verdicts),
    },
    {
      name: "setpoint_changes",
      type: "gauge",
      help: "Changes of the plan by what an apply would do.",
      samples: counts(plan.changes.map(({ service, kind, action }) => ({ service, kind, action }))),
    },
    {
      name: "setpoint_risks",
      type: "gauge",
      help: "Changes of the plan by what an apply would widen, narrow or lose.",
      samples: counts(
        plan.changes.flatMap(({ service, kind, risks }) => risks.map((risk) => ({ service, kind, risk }))),
      ),
    },
    {
      name: "setpoint_requests",
      type: "counter",
      help: "Requests that the run sent.",
      samples: requests(subject, run),
    },
    {
      name: "setpoint_run_timestamp_seconds",
      type: "gauge",
      help: "When the run ended; if it is old, later runs did not finish.",
      samples: one(at.getTime() / 1000),
    },
    { name: "setpoint_exit_code", type: "gauge", help: "The exit code of the run.", samples: one(exitCode) },
    {
      name: "setpoint_complete",
      type: "gauge",
      help: "1 if every declared resource could be read and no change is left.",
      samples: one(verdicts.every(({ verdict }) => calm.includes(verdict)) ? 1 : 0),
    },
    {
      name: "setpoint_drift_oldest_seconds",
      type: "gauge",
      help: "How long the oldest drift has lasted; only if a history is kept.",
      samples: history === undefined ? [] : one(oldest(history, at)),
    },
  ];
  const lines = families
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(
        ({ labels, value }) => `${name}${type === "counter" ? "_total" : ""}${labelText(labels)} ${value}`,
      ),
    ]);
  return `${[...lines, "# EOF"].join("\n")}\n`;
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
