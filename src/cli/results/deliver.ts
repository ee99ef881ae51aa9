import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { Problem } from "../../core/problem.ts";
import { upwards } from "../../core/text/private-path.ts";
import { commandOf, type PlannedRun, type RunCommand, type RunResult } from "../../reports/text/summary.ts";
import type { OpenWorkspace } from "../../setpoint.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import { knownProblems } from "../failure.ts";
import type { ManifestOptions } from "../options/options.ts";
import type { PlanCommandOptions } from "../options/plan-options.ts";
import { noticeProblem } from "../terminal/notice.ts";
import type { Output } from "../terminal/output.ts";
import { conclude, remember } from "./nights.ts";
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
