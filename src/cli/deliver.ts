import type { RunCommand, RunResult } from "../reports/summary.ts";
import { problemsOf } from "./failure.ts";
import type { PlanOptions } from "./plan-options.ts";
import { writeReports } from "./report-files.ts";
import { repositoryFolder } from "./repository-folder.ts";

/** Which ways out a run has besides its output. */
export type DeliveryOptions = Pick<PlanOptions, "report" | "workspace"> & Partial<Pick<PlanOptions, "all">>;

/** Sends what a run came to everywhere it was asked to. Throws the system's error for a file that cannot be written. */
export async function deliver(result: RunResult, { report, workspace, all = false }: DeliveryOptions): Promise<void> {
  const folder = repositoryFolder(workspace);
  const placed = folder === undefined ? result : { ...result, folder };
  await writeReports(report, placed, { all });
}

/** What a run comes to; if problems end it early, they are sent first. */
export async function deliverFailure<T>(run: Promise<T>, command: RunCommand, options: DeliveryOptions): Promise<T> {
  try {
    return await run;
  } catch (error) {
    const problems = problemsOf(error);
    if (problems !== undefined) await deliver({ command, problems }, options);
    throw error;
  }
}
