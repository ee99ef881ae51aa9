import type { Problem } from "../../../core/problem.ts";
import { resultJson } from "../../../reports/formats/json.ts";
import { renderRecorded } from "../../../reports/text/basis-text.ts";
import { renderPlan } from "../../../reports/text/plan-text.ts";
import type { OpenWorkspace, Planned, Wrong } from "../../../setpoint.ts";
import { carryOut, untilCurrent } from "../../carry-out.ts";
import { type ExitCode, planExitCode, recordedExitCode } from "../../exit.ts";
import { asUnsent } from "../../failure.ts";
import { type Interrupts, openFrom } from "../../options/options.ts";
import { type ApplyCommandOptions, type PlanCommandOptions, planningOf } from "../../options/plan-options.ts";
import { openDelivery } from "../../results/deliver.ts";
import { inFile, readPlanFile, settledProblem } from "../../results/plan-file.ts";
import { missingTerminal } from "../../terminal/confirm.ts";
import { failWith, openOutput } from "../../terminal/output.ts";
import { progressLine } from "../../terminal/progress.ts";

/**
 * `setpoint apply`: plans, shows the plan, asks, and makes exactly the calls of that plan. Does not ask for a saved plan, which
 * was reviewed.
 */
export async function apply(
  file: string | undefined,
  options: ApplyCommandOptions,
  interrupts: Interrupts,
): Promise<ExitCode> {
  const output = openOutput(options);
  const asks = !options.yes && file === undefined;
  const unable = file === undefined ? undefined : settledProblem(options);
  const unasked = asks ? missingTerminal("apply", options.json) : unable;
  if (unasked !== undefined) return failWith(output, { problems: [unasked] }, "Nothing was done.");
  const progress = progressLine(options);
  const workspace = openFrom(options, { ...interrupts, onProgress: progress.show });
  const delivery = openDelivery("apply", options, workspace, output);
  await delivery.started();
  const { wait, failOn, all } = options;

  return untilCurrent(async (refuses) => {
    const planned = await delivery.of(planOrResume(workspace, file, options).catch(asUnsent).finally(progress.end));
    if (planned.is === "wrong") {
      await delivery.sendProblems(planned.problems);
      return failWith(output, planned, "Nothing was done.");
    }
    const { plan, withheld } = planned;
    if (!output.json) output.print(renderPlan(plan, { ...output, all, withheld }));
    // What another run was about to change is not in the plan.
    const isEarly = wait && planned.early?.length;
    if (plan.refusals.length > 0 || (plan.calls.length === 0 && !isEarly)) {
      const delivered = await delivery.send({ plan, withheld });
      if (output.json) output.print(JSON.stringify(resultJson({ plan }), null, 2));
      const recorded = await workspace.record(planned);
      if (!output.json && recorded !== undefined) output.print(renderRecorded(recorded, output));
      return delivered.conclude(recordedExitCode(planExitCode(plan, true, failOn), recorded));
    }
    // A saved plan was reviewed, so it is not made again.
    const fresh = file === undefined ? { refuses } : {};
    return carryOut(workspace, planned, { ...options, ...interrupts, ...fresh, asks, output, progress, delivery });
  });
}

async function planOrResume(
  workspace: OpenWorkspace,
  file: string | undefined,
  options: PlanCommandOptions,
): Promise<Planned | Wrong> {
  const planning = planningOf(options);
  if (file === undefined) return workspace.plan(planning);
  const read = await readPlanFile(file);
  if (read.is === "wrong") return read;
  const made = await workspace.resume(read.text, { noExec: options.allowExec !== true, record: planning.record });
  if (made.is === "planned") return made;
  const isOfFile = ({ code }: Problem) => ["SP1021", "SP2004", "SP2005"].includes(code);
  return { ...made, problems: made.problems.map((one) => (isOfFile(one) ? inFile(file, one) : one)) };
}
