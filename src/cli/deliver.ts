import type { Problem } from "../core/problem.ts";
import { commandOf, type RunCommand, type RunResult, type Subject } from "../reports/summary.ts";
import type { OpenWorkspace } from "../setpoint.ts";
import { type ExitCode, exitCodes } from "./exit.ts";
import { problemsOf } from "./failure.ts";
import { conclude, remember, tell } from "./nights.ts";
import type { ManifestOptions } from "./options.ts";
import type { PlanOptions } from "./plan-options.ts";
import { openPublishing } from "./publish.ts";
import { writeReports } from "./report-files.ts";
import { repositoryFolder } from "./repository-folder.ts";
import type { Output } from "./terminal/output.ts";

/** Which ways out a run has besides its output. */
export type DeliveryOptions = ManifestOptions &
  Pick<PlanOptions, "report"> &
  Partial<Omit<PlanOptions, keyof ManifestOptions | "report">>;

/** A run that was sent everywhere it was asked to. */
export interface Delivered {
  /** With what earlier runs saw, if that is kept. */
  readonly subject: Subject;
  /** The exit code of the run: what could not be delivered is a fault, whatever the run came to. */
  conclude(code: ExitCode): Promise<ExitCode>;
}

/** The ways out of one run, from its beginning to its end. What goes wrong with them is told on standard error. */
export interface Delivery {
  /** Before planning. */
  started(): Promise<void>;
  /** What a run comes to; if it ends early, that is sent first. */
  of<T>(run: Promise<T>): Promise<T>;
  /** There are only problems, or for `validate` none. False if a file could not be written. */
  sendProblems(problems: readonly Problem[]): Promise<boolean>;
  /** It ends without a result. */
  abandoned(): Promise<void>;
  /** There is a plan. */
  send(subject: Subject): Promise<Delivered>;
}

/**
 * Writes the report files, with places as they are from the root of the repository. False, which is told on standard error, if one
 * could not be written: the run's own result has yet to be said.
 */
export async function writeResult(
  result: RunResult,
  { report, workspace, all = false }: Pick<DeliveryOptions, "report" | "workspace" | "all">,
): Promise<boolean> {
  const folder = repositoryFolder(workspace);
  const problems = await writeReports(report, folder === undefined ? result : { ...result, folder }, { all });
  problems.forEach(tell);
  return problems.length === 0;
}

/** Opens the ways out that the command line names. */
export function openDelivery(
  command: RunCommand,
  options: DeliveryOptions,
  workspace: OpenWorkspace,
  output: Output,
): Delivery {
  const { publish = [], about = {}, environment } = options;
  const published = { publish, about, ...(environment === undefined ? {} : { environment }) };
  const publishing = command === "validate" ? undefined : openPublishing(command, published, workspace, output);

  async function sendProblems(problems: readonly Problem[]): Promise<boolean> {
    const isWritten = await writeResult({ command, problems }, options);
    await publishing?.wrong(problems);
    return isWritten;
  }

  const abandoned = async () => publishing?.wrong([]);

  return {
    started: async () => publishing?.started(),
    sendProblems,
    abandoned,
    async of(run) {
      try {
        return await run;
      } catch (error) {
        const problems = problemsOf(error);
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
      const isWritten = await writeResult(remembered.subject, options);
      const isPublished = (await publishing?.made(remembered.subject)) ?? true;
      return {
        subject: remembered.subject,
        conclude: (code) => conclude(remembered, isWritten && isPublished ? code : exitCodes.wrong, options),
      };
    },
  };
}
