import { type Problem, problemsOf } from "../../core/problem.ts";
import type { HistoryEntry } from "../../core/run/history.ts";
import { whyUnwritten } from "../../core/text/reason.ts";
import { replaceFile } from "../../engine/replace-file.ts";
import { renderMetrics } from "../../reports/formats/metrics.ts";
import type { PlannedRun } from "../../reports/text/summary.ts";
import type { OpenWorkspace } from "../../setpoint.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import type { PlanCommandOptions } from "../options/plan-options.ts";
import { notice, noticeProblem } from "../terminal/notice.ts";

/** Options for what outlasts a run. */
type NightOptions = Partial<Pick<PlanCommandOptions, "history" | "metrics" | "service" | "kind" | "only" | "label">>;

/** A run, with what earlier runs saw if a history is kept. */
interface Remembered {
  readonly command: HistoryEntry["command"];
  readonly subject: PlannedRun;
  /** Why the run could not be added to the history. */
  readonly unkept: readonly Problem[];
}

/** Adds a run to the history that an option names. A narrowed run is not added, because it says nothing about the rest. */
export async function remember(
  command: HistoryEntry["command"],
  subject: PlannedRun,
  { history, service = [], kind = [], only = [], label = [] }: NightOptions,
  workspace: OpenWorkspace,
): Promise<Remembered> {
  const same = { command, subject, unkept: [] };
  if (history === undefined) return same;
  const { plan, report } = subject;
  const { selection = { service, kind, only, label } } = plan.saved ?? {};
  if (plan.affected !== undefined || Object.values(selection).some((words) => words.length > 0)) {
    notice("Not kept in the history: this run was narrowed, and says nothing about what it left out.");
    return same;
  }
  try {
    const run = { command, plan, ...(report === undefined ? {} : { report }) };
    const { entries, problems } = await workspace.history(history).add(run);
    for (const problem of problems) noticeProblem(problem);
    return { ...same, subject: { ...subject, history: entries } };
  } catch (error) {
    const told = (one: Problem) => ({ ...one, message: `Not kept in the history. ${one.message}` });
    return { ...same, unkept: problemsOf(error).map(told) };
  }
}

/** Writes the metrics of a run, and returns its exit code, or 1 if it was a success that the history or the metrics could not keep. */
export async function conclude(
  { command, subject, unkept }: Remembered,
  code: ExitCode,
  { metrics }: NightOptions,
): Promise<ExitCode> {
  unkept.forEach(noticeProblem);
  const exitCode = code === exitCodes.ok && unkept.length > 0 ? exitCodes.wrong : code;
  if (metrics === undefined) return exitCode;
  try {
    await replaceFile(metrics, renderMetrics(subject, { command, at: new Date(), exitCode }));
    return exitCode;
  } catch (error) {
    noticeProblem({ code: "SP1017", message: `The metrics cannot be written to ${metrics}: ${whyUnwritten(error)}.` });
    return exitCode === exitCodes.ok ? exitCodes.wrong : exitCode;
  }
}
