import { hasOnly, type Problem } from "../core/problem.ts";
import { renderRecorded } from "../reports/text/basis-text.ts";
import { renderReport } from "../reports/text/report-text.ts";
import type { ApplyOptions, OpenWorkspace, Planned } from "../setpoint.ts";
import { type ExitCode, exitCodes, recordedExitCode, reportExitCode } from "./exit.ts";
import { asUnsent } from "./failure.ts";
import { givenWords, type Interrupts } from "./options/options.ts";
import type { CallingOptions, PlanCommandOptions } from "./options/plan-options.ts";
import type { Delivery } from "./results/deliver.ts";
import { isConfirmed } from "./terminal/confirm.ts";
import { notice } from "./terminal/notice.ts";
import { type Output, showRun } from "./terminal/output.ts";
import type { ProgressLine } from "./terminal/progress.ts";

/**
 * Plans and carries out, again if another run or something else came first. What keeps changing is skipped after the fifth plan, as
 * a saved plan does; other runs end.
 */
export async function untilCurrent(
  once: (refuses: ApplyOptions["refuses"]) => Promise<ExitCode | undefined>,
): Promise<ExitCode> {
  for (let more = 4; ; more--) {
    const code = await once(more > 0 ? "outdated" : "early");
    if (code !== undefined) return code;
    notice("The plan may be out of date, so nothing was done. Planning again …");
  }
}

/** How to carry out a plan that was shown. */
export type CarryOutOptions = Parameters<typeof givenWords>[0] &
  Pick<CallingOptions, "wait" | "lease"> &
  Pick<PlanCommandOptions, "all" | "allowExec" | "failOn"> &
  // The first interrupt counts as a no.
  Pick<Interrupts, "stopping"> & {
    readonly asks: boolean;
    /** When to do nothing and return undefined. */
    readonly refuses?: ApplyOptions["refuses"];
    readonly output: Output;
    readonly progress: ProgressLine;
    /** Where the report goes in addition to the output. */
    readonly delivery?: Delivery;
  };

/** Asks, makes the calls of a plan, and prints the report. */
export async function carryOut(
  workspace: OpenWorkspace,
  planned: Planned,
  options: CarryOutOptions,
): Promise<ExitCode | undefined> {
  const { asks, allowExec, wait = 0, lease, refuses, stopping } = options;
  const { output, progress, delivery, failOn, all } = options;
  const { calls } = planned.plan;
  const what = calls.length === 1 ? "this call" : `these ${calls.length} calls`;
  if (asks && calls.length > 0 && !(await isConfirmed(`Make ${what}?`, stopping))) {
    await delivery?.abandoned();
    output.print("Nothing was done.");
    return exitCodes.refused;
  }
  const onWaiting = ({ message }: Problem) => {
    notice(`${message} Waiting …`);
  };
  // The services can have changed while the question waited for an answer.
  const patience = wait === true ? Number.POSITIVE_INFINITY : wait;
  const how = { recheck: asks, allowExec, refuses, wait: patience, lease, onWaiting };
  const applied = workspace
    .apply(planned, how)
    .catch((error) => {
      if (refuses !== undefined && hasOnly(error, "SP4003")) return undefined;
      // Once a call is sent, every problem is in the report.
      return asUnsent(error);
    })
    .finally(progress.end);
  const made = await (delivery === undefined ? applied : delivery.of(applied));
  if (made === undefined) return undefined;
  const recorded = await workspace.record(planned, made);
  const report = recorded === undefined ? made : { ...made, recorded };
  const { plan, withheld } = planned;
  // Printed before publishing, because a service can take long to answer.
  const given = givenWords(options);
  showRun(output, { plan, report }, () => `\n${renderReport(report, { ...output, all, given })}`);
  if (!output.json && recorded !== undefined) output.print(renderRecorded(recorded, output));
  const delivered = await delivery?.send({ plan, report, withheld });
  const code = recordedExitCode(reportExitCode(report, failOn), recorded);
  return delivered === undefined ? code : delivered.conclude(code);
}
