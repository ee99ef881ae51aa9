import { existsSync, realpathSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { type Problem, problemsOf } from "../../core/problem.ts";
import type { HistoryEntry } from "../../core/run/history.ts";
import { jsonIn } from "../../core/text/json-text.ts";
import { upwards } from "../../core/text/private-path.ts";
import { whyUnwritten } from "../../core/text/reason.ts";
import { replaceFile } from "../../engine/replace-file.ts";
import type { Edition, News } from "../../publishers/publisher.ts";
import { resultJson } from "../../reports/formats/json.ts";
import { renderMetrics } from "../../reports/formats/metrics.ts";
import { neutralJson, neutralText } from "../../reports/neutral.ts";
import { renderProblems } from "../../reports/text/problems.ts";
import { commandOf, type PlannedRun, type RunCommand, type RunResult } from "../../reports/text/summary.ts";
import type { OpenWorkspace } from "../../setpoint.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import { knownProblems } from "../failure.ts";
import type { ManifestOptions } from "../options/options.ts";
import type { PlanCommandOptions } from "../options/plan-options.ts";
import type { PublishOptions } from "../options/result-options.ts";
import { notice, noticeProblem } from "../terminal/notice.ts";
import type { Output } from "../terminal/output.ts";
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
  { report, workspace, all = false }: Pick<DeliveryOptions, "report" | "workspace" | "all">,
): Promise<readonly Problem[]> {
  const folder = repositoryFolder(workspace);
  return writeReports(report, folder === undefined ? result : { ...result, folder }, { all });
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

/** Publishes news of one run. Returns false if that was not possible everywhere; the problems are on standard error. */
type Publish = (news: News) => Promise<boolean>;

/** Opens the publishing that the command line asks for. That a run has started is published only as a status. */
function openPublishing(
  command: Edition["command"],
  options: PublishOptions & { readonly environment?: string | undefined },
  workspace: OpenWorkspace,
  output: Output,
): Publish {
  const at = new Date().toISOString();
  return async (news) => {
    const isStart = news.is === "started";
    const targets = options.publish.filter(({ as }) => !isStart || as === "status");
    if (targets.length === 0) return true;
    const { publishAll } = await import("../../publishers/publish.ts");
    const edition = await editionOf(command, at, options, workspace);
    const published: string[] = [];
    const onPublished = (where: string) => published.push(where);
    const problems = await publishAll(targets, news, { open: workspace.publishing, edition, onPublished });
    // Which pull request, change or page it was follows from the environment, so that a log should say it.
    if (published.length > 0 && !isStart && !output.json) notice(`Published: ${published.join(", ")}.`);
    // If publishing fails at the start, it is tried again at the end, and a failure is reported then.
    if (problems.length > 0 && !isStart) tell(problems, output);
    return problems.length === 0;
  };
}

async function editionOf(
  command: Edition["command"],
  at: string,
  { environment, about }: Parameters<typeof openPublishing>[1],
  workspace: OpenWorkspace,
): Promise<Edition> {
  const { runFacts } = await import("../../publishers/run-facts.ts");
  const { prefix, name } = await workspace.location();
  return {
    command,
    at,
    prefix,
    name: [name, environment ?? ""].filter((part) => part !== "").join(", "),
    facts: runFacts(about, process.env, await eventOf(process.env.GITHUB_EVENT_PATH)),
  };
}

/** The event that started a workflow; undefined without one. */
async function eventOf(path = ""): Promise<unknown> {
  try {
    return jsonIn(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}

function tell(problems: readonly Problem[], output: Output): void {
  const text = output.json
    ? neutralJson(JSON.stringify(resultJson({ problems })))
    : neutralText(renderProblems(problems, { ...output, color: false, summary: "Not everything was published." }));
  process.stderr.write(`${text}\n`);
}
