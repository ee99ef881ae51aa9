import type { Problem } from "../../../core/problem.ts";
import type { HistoryEntry } from "../../../core/run/history.ts";
import { momentText } from "../../../core/text/moment.ts";
import { shellWord } from "../../../core/text/words.ts";
import { renderPlan } from "../../../reports/text/plan-text.ts";
import type { OpenWorkspace } from "../../../setpoint.ts";
import { type ExitCode, planExitCode } from "../../exit.ts";
import { givenWords, type Interrupts, openFrom } from "../../options/options.ts";
import { type PlanCommandOptions, partOptionProblems, planningOf } from "../../options/plan-options.ts";
import { type SpreadChoices, spreadOf } from "../../options/queue-options.ts";
import { openDelivery } from "../../results/deliver.ts";
import { writePlanFile } from "../../results/plan-file.ts";
import { failWith, type Output, openOutput, showRun } from "../../terminal/output.ts";
import { type ProgressLine, progressLine } from "../../terminal/progress.ts";
import { watch } from "../../watch.ts";

/** Options of `plan` and `drift`. */
export interface ShowOptions extends PlanCommandOptions, SpreadChoices {
  readonly detailedExitcode?: boolean;
  readonly unmanaged?: boolean;
  /** The file that the plan is saved to. */
  readonly out?: string;
  readonly expires?: string;
}

/** `setpoint plan` and `setpoint drift`: shows what an apply would do, or what happened. Cannot write what manifests declare. */
export async function plan(command: "plan" | "drift", options: ShowOptions, interrupts: Interrupts): Promise<ExitCode> {
  const output = openOutput(options);
  const { out, expires } = options;
  const wrong = (...problems: readonly Problem[]) => failWith(output, { problems }, "No plan was made.");
  const lacking = (message: string, hint: string) => wrong({ code: "SP5001", message, hint });
  if (expires !== undefined && out === undefined)
    return lacking(
      "--expires says how long a saved plan can be applied, but this one is not saved.",
      "Pass --out too.",
    );
  const unable = partOptionProblems(options);
  if (unable.length > 0) return wrong(...unable);
  if (options.run !== undefined && options.queue === undefined)
    return lacking("--run names a run of a queue, but no queue is given.", "Pass --queue too.");
  const watches = options.watch === true;
  const progress = progressLine(options);
  const parts = { ...interrupts, onProgress: progress.show, watches, ...spreadOf(command, options) };
  const open = () => openFrom(options, parts);
  const run = (workspace: OpenWorkspace) => planOnce(command, options, workspace, { output, progress });
  return watches ? watch({ output, signal: interrupts.stopping, open, run }) : run(open());
}

async function planOnce(
  command: "plan" | "drift",
  options: ShowOptions,
  workspace: OpenWorkspace,
  { output, progress }: { readonly output: Output; readonly progress: ProgressLine },
): Promise<ExitCode> {
  const { out, expires } = options;
  const delivery = openDelivery(command, options, workspace, output);
  await delivery.started();
  const planOptions = { ...planningOf(options), unmanaged: options.unmanaged === true };
  const planned = await delivery.of(workspace[command](planOptions).finally(progress.end));
  if (planned.is === "wrong") {
    await delivery.sendProblems(planned.problems);
    return failWith(output, planned, "No plan was made.");
  }
  const made = out === undefined ? planned.plan : await workspace.save(planned, { expires });
  const given = givenWords(options);
  const text = (history?: readonly HistoryEntry[]) => renderPlan(made, { ...output, all: options.all, history, given });
  if (out !== undefined)
    await delivery.of(writePlanFile(out, made)).catch((error: unknown) => {
      // Do not lose the plan: reading everything can have taken hours.
      if (!output.json) output.print(`${text()}\n\n`);
      throw error;
    });
  const delivered = await delivery.send({ plan: made });
  showRun(output, { plan: made }, () => text(delivered.subject.history));
  if (out !== undefined && !output.json && made.saved !== undefined && made.refusals.length === 0) {
    // The plan knows whose rules judged it.
    const words = [out, ...givenWords({ ...options, trust: undefined })].map(shellWord).join(" ");
    output.print(`\nSaved until ${momentText(made.saved.expires)}: setpoint apply ${words}`);
  }
  const detailed = command === "drift" || options.detailedExitcode === true;
  return delivered.conclude(planExitCode(made, detailed, options.failOn));
}
