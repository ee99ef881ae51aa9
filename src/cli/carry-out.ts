import type { Problem } from "../core/problem.ts";
import { renderRecorded } from "../reports/basis-text.ts";
import { reportJson } from "../reports/json.ts";
import { neutralLine } from "../reports/neutral.ts";
import { renderReport } from "../reports/report-text.ts";
import type { OpenWorkspace, Planned } from "../setpoint.ts";
import { type DeliveryOptions, deliver, deliverFailure } from "./deliver.ts";
import { type ExitCode, exitCodes, recordedExitCode, reportExitCode } from "./exit.ts";
import { isConfirmed } from "./terminal/confirm.ts";
import type { Output, ProgressLine } from "./terminal/output.ts";

/** How a plan that was shown is carried out. */
export interface CarryOutOptions {
  readonly asks: boolean;
  readonly allowExec: boolean;
  /** Milliseconds to wait for another run that writes; not at all unless given. */
  readonly wait?: number | undefined;
  /** The ref to hold a lease on. */
  readonly lease?: string | undefined;
  readonly output: Output;
  readonly progress: ProgressLine;
  /** Where the report goes besides the output. */
  readonly ways?: DeliveryOptions;
  /** Aborted by the first interrupt, which is a no. */
  readonly stopping: AbortSignal;
}

/** Asks, makes the calls of a plan, and prints the report. */
export async function carryOut(
  workspace: OpenWorkspace,
  planned: Planned,
  { asks, allowExec, wait = 0, lease, output, progress, ways, stopping }: CarryOutOptions,
): Promise<ExitCode> {
  const { calls } = planned.plan;
  const what = calls.length === 1 ? "this call" : `these ${calls.length} calls`;
  if (asks && !(await isConfirmed(`Make ${what}?`, stopping))) {
    output.print("Nothing was done.");
    return exitCodes.refused;
  }
  const onWaiting = ({ message }: Problem) => {
    process.stderr.write(`${neutralLine(message)} Waiting …\n`);
  };
  // Asking took as long as the person did.
  const how = { recheck: asks, allowExec, wait, lease, onWaiting };
  const applied = workspace.apply(planned, how).finally(progress.end);
  const made = await (ways === undefined ? applied : deliverFailure(applied, "apply", ways));
  const recorded = await workspace.record(planned, made);
  const report = recorded === undefined ? made : { ...made, recorded };
  const { plan, withheld } = planned;
  if (ways !== undefined) await deliver({ plan, report, ...(withheld === undefined ? {} : { withheld }) }, ways);
  if (output.json) output.print(JSON.stringify(reportJson(report), null, 2));
  else output.print(`\n${renderReport(report, output)}`);
  if (!output.json && recorded !== undefined) output.print(renderRecorded(recorded, output));
  return recordedExitCode(reportExitCode(report), recorded);
}
