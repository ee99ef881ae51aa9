import { counted } from "../../../core/text/words.ts";
import { resultJson } from "../../../reports/formats/json.ts";
import { renderPlan } from "../../../reports/text/plan-text.ts";
import { renderProblems } from "../../../reports/text/problems.ts";
import type { Consent, Reverting } from "../../../setpoint.ts";
import { carryOut, untilCurrent } from "../../carry-out.ts";
import { type ExitCode, exitCodes, planExitCode } from "../../exit.ts";
import { asUnsent } from "../../failure.ts";
import { type Interrupts, type ManifestOptions, openFrom } from "../../options/options.ts";
import { type CallingOptions, consentOf } from "../../options/plan-options.ts";
import { missingTerminal } from "../../terminal/confirm.ts";
import { failWith, type Output, openOutput, say } from "../../terminal/output.ts";
import { progressLine } from "../../terminal/progress.ts";

/** Options of `setpoint revert`, whose argument is a run. */
export interface RevertOptions extends ManifestOptions, Consent, CallingOptions {
  readonly dryRun: boolean;
  readonly all: boolean;
  /** False for `--no-deletes`. */
  readonly deletes: boolean;
}

/** The manifests are not changed, and nobody can say whether they were reverted before: then they no longer say what the run applied. */
const reminder = "If the manifests still say what the run applied, revert them too, or the next apply brings it back.";

const nothing = "The run changed nothing, so there is nothing to undo.";

/** `setpoint revert`: plans to bring back what a run saw before its changes, shows the plan, asks, and makes its calls. */
export async function revert(run: string, options: RevertOptions, interrupts: Interrupts): Promise<ExitCode> {
  const output = openOutput(options);
  const progress = progressLine(options);
  const workspace = openFrom(options, { ...interrupts, onProgress: progress.show });
  // Report an unknown run first, because passing --yes would not help.
  workspace.run(run);
  const asks = !options.yes && !options.dryRun;
  const unasked = asks ? missingTerminal("revert", options.json) : undefined;
  if (unasked !== undefined) return failWith(output, { problems: [unasked] }, "Nothing was done.");
  return untilCurrent(async (refuses) => {
    const planned = await workspace
      .revert(run, { noDeletes: !options.deletes, consent: consentOf(options) })
      .catch(asUnsent)
      .finally(progress.end);
    if (planned.is === "wrong") return failWith(output, planned, "Nothing was done.");
    const { plan, left, early = [] } = planned;
    const isDone = options.dryRun || plan.refusals.length > 0 || plan.calls.length + early.length === 0;
    if (!output.json) showPlan(planned, options.all, output);
    else if (isDone) output.print(JSON.stringify({ version: 1, plan: resultJson({ plan }), left }, null, 2));
    // The JSON report has no place for these problems, so they go to standard error.
    else process.stderr.write(leftText(left, output));
    const rest = left.length > 0 ? exitCodes.differences : exitCodes.ok;
    if (isDone) return planExitCode(plan, true) || rest;
    const code = await carryOut(workspace, planned, { ...options, ...interrupts, asks, refuses, output, progress });
    return code === exitCodes.ok ? rest : code;
  });
}

/** Shows the plan, what it leaves out, and what else is to be done. */
function showPlan({ plan, left }: Pick<Reverting, "plan" | "left">, all: boolean, output: Output): void {
  // If nothing can or needs to be reverted, the plan looks at nothing, and would say that no resource is declared.
  const { changes, inSync, unknown, refusals, warnings = [] } = plan;
  const isEmpty = changes.length + inSync.length + unknown.length + refusals.length + warnings.length === 0;
  const shown = isEmpty ? "" : renderPlan(plan, { ...output, all });
  const parts = [isEmpty && left.length === 0 ? nothing : shown, leftText(left, output)];
  output.print(parts.filter((part) => part !== "").join("\n\n"));
  if (changes.length > 0) say(output, reminder);
}

/** The changes that are left as they are, and why; empty if there are none. */
function leftText(left: Reverting["left"], output: Output): string {
  const summary = `${counted(left.length, "change")} of the run cannot be undone by a plan.`;
  return left.length === 0 ? "" : `${renderProblems(left, { ...output, summary })}\n`;
}
