import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { type Problem, problemsOf } from "../../core/problem.ts";
import type { HistoryEntry } from "../../core/run/history.ts";
import { upwards } from "../../core/text/private-path.ts";
import { whyUnwritten } from "../../core/text/reason.ts";
import { replaceFile } from "../../engine/replace-file.ts";
import { renderMetrics } from "../../reports/formats/metrics.ts";
import { commandOf, type PlannedRun, type RunCommand, type RunResult } from "../../reports/text/summary.ts";
import type { OpenWorkspace } from "../../setpoint.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import { knownProblems } from "../failure.ts";
import { givenWords, type ManifestOptions } from "../options/options.ts";
import type { PlanCommandOptions } from "../options/plan-options.ts";
import { notice, noticeProblem } from "../terminal/notice.ts";
import type { Output } from "../terminal/output.ts";
import { openPublishing } from "./publish.ts";
import { writeReports } from "./report-files.ts";

/** Where a run's result goes in addition to the output. */
export type DeliveryOptions = ManifestOptions &
  Pick<PlanCommandOptions, "report"> &
  Partial<Omit<PlanCommandOptions, keyof ManifestOptions | "report">>;

/** A run whose result is in the files that were asked for. */
export interface Delivered {
  /** The run, with what earlier runs saw if a history is kept. */
  readonly subject: PlannedRun;
  /** Publishes the run, and returns its exit code: 1 if something could not be delivered, whatever the run's result. */
  conclude(code: ExitCode): Promise<ExitCode>;
}

/** Delivers the result of one run, from its start to its end. Delivery problems are written to standard error. */
export interface Delivery {
  /** Called before planning. */
  started(): Promise<void>;
  /** Waits for the run. If it ends early, sends the problems and throws the run's error. */
  of<T>(run: Promise<T>): Promise<T>;
  /** Sends problems alone, or for `validate` none. False if a file could not be written. */
  sendProblems(problems: readonly Problem[]): Promise<boolean>;
  /** Called if the run ends without a result. */
  abandoned(): Promise<void>;
  /** Writes a plan, with its report if there is one, to the files. */
  send(subject: PlannedRun): Promise<Delivered>;
}

/**
 * Writes the report files, with places relative to the root of the repository. Returns the problems of those that could not be
 * written: the run's own result is still to be printed.
 */
export async function writeResult(
  result: RunResult,
  options: Pick<DeliveryOptions, "report" | "workspace" | "all"> & Partial<ManifestOptions>,
): Promise<readonly Problem[]> {
  const { report, workspace, all = false, environment } = options;
  const folder = repositoryFolder(workspace);
  const placed = folder === undefined ? result : { ...result, folder };
  return writeReports(report, { ...placed, given: givenWords(options), environment }, all);
}

/** The path from the root of the repository to a workspace's folder, with slashes; undefined if it is the root or in no repository. */
function repositoryFolder(workspace: string): string | undefined {
  if (!existsSync(workspace)) return undefined;
  const real = realpathSync(workspace);
  const folder = statSync(real).isDirectory() ? real : dirname(real);
  const root = upwards(folder).find((each) => existsSync(join(each, ".git")));
  const path = root === undefined ? "" : relative(root, folder);
  return path === "" ? undefined : path.split(sep).join("/");
}

/** Opens the deliveries that the command line asks for. */
export function openDelivery(
  command: RunCommand,
  options: DeliveryOptions,
  workspace: OpenWorkspace,
  output: Output,
): Delivery {
  const { publish = [], about = {}, environment } = options;
  const asked = { publish, about, environment };
  const tell = command === "validate" ? async () => true : openPublishing(command, asked, workspace, output);
  const abandoned = async () => void (await tell({ is: "wrong", problems: [] }));

  async function sendProblems(problems: readonly Problem[]): Promise<boolean> {
    const unwritten = await writeResult({ command, problems }, options);
    unwritten.forEach(noticeProblem);
    await tell({ is: "wrong", problems });
    return unwritten.length === 0;
  }

  return {
    started: async () => void (await tell({ is: "started" })),
    sendProblems,
    abandoned,
    async of(run) {
      try {
        return await run;
      } catch (error) {
        const problems = knownProblems(error);
        await (problems === undefined ? abandoned() : sendProblems(problems));
        throw error;
      }
    },
    async send(subject) {
      const remembered = await remember(
        command === "validate" ? commandOf(subject) : command,
        subject,
        options,
        workspace,
      );
      const unwritten = await writeResult(remembered.subject, options);
      return {
        subject: remembered.subject,
        async conclude(code) {
          // After the result, which is not to wait for a service, so that the last lines explain the exit code.
          unwritten.forEach(noticeProblem);
          const isPublished = await tell({ is: "made", subject: remembered.subject });
          return conclude(remembered, unwritten.length === 0 && isPublished ? code : exitCodes.wrong, options);
        },
      };
    },
  };
}

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
async function remember(
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
    const { entries, problems } = await workspace.history(history).add({ command, plan, report });
    for (const problem of problems) noticeProblem(problem);
    return { ...same, subject: { ...subject, history: entries } };
  } catch (error) {
    const told = (one: Problem) => ({ ...one, message: `Not kept in the history. ${one.message}` });
    return { ...same, unkept: problemsOf(error).map(told) };
  }
}

/** Writes the metrics of a run, and returns its exit code, or 1 if it was a success that the history or the metrics could not keep. */
async function conclude(
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
