import { randomBytes } from "node:crypto";
import { counted } from "../../core/words.ts";
import { apply as applyPlan } from "../../engine/apply.ts";
import { openJournal } from "../../engine/journal.ts";
import { sinkOpener } from "../../engine/secrets/sink.ts";
import { openSessions } from "../../engine/sessions.ts";
import { planJson, reportJson } from "../../reports/json.ts";
import { renderPlan } from "../../reports/plan-text.ts";
import { renderReport } from "../../reports/report-text.ts";
import { type ExitCode, exitCodes, inputExitCode, planExitCode, reportExitCode } from "../exit.ts";
import type { PlanOptions } from "../options.ts";
import { planFrom } from "../planning.ts";
import { isConfirmed, missingTerminal } from "../terminal/confirm.ts";
import { failWith, openOutput } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";
import { findWorkspace } from "../workspace.ts";

/** `setpoint apply`: plans, shows the plan, asks, and makes the calls of that plan and no others. */
export async function apply(options: PlanOptions & { readonly yes: boolean }, signal: AbortSignal): Promise<ExitCode> {
  const output = openOutput(options);
  const unasked = options.yes ? undefined : missingTerminal("apply", options.json);
  if (unasked !== undefined) return failWith(output, [unasked], "Nothing was done.", exitCodes.wrong);
  const planning = await planFrom(options, { drift: false }, signal);
  if (planning.is === "wrong")
    return failWith(output, planning.problems, "Nothing was done.", inputExitCode(planning.problems));
  const { plan, declarations, services } = planning;
  if (!output.json) output.print(renderPlan(plan, { ...output, all: options.all, command: "plan" }));
  if (plan.refusals.length > 0 || plan.calls.length === 0) {
    if (output.json) output.print(JSON.stringify(planJson(plan), null, 2));
    return planExitCode(plan, true);
  }
  const calls = plan.calls.length === 1 ? "this call" : `these ${plan.calls.length} calls`;
  if (!options.yes && !(await isConfirmed(`Make ${calls}?`, signal))) {
    output.print("Nothing was done.");
    return exitCodes.refused;
  }
  const run = `${new Date().toISOString().replace(/\.\d+Z$/, "Z")}-${randomBytes(2).toString("hex")}`;
  const { folder } = findWorkspace(options.workspace);
  const journal = openJournal(folder, run.replaceAll(":", ""), () => new Date());
  const touched = services.filter(({ name }) => plan.calls.some(({ service }) => service === name));
  const { sessions, close } = await openSessions(touched, "write", { signal });
  const sent = () => [...sessions.values()].reduce((sum, { requests }) => sum + requests.writes, 0);
  const endProgress = showProgress(() => `Applying: ${sent()} of ${counted(plan.calls.length, "call")} …`);
  try {
    const report = await applyPlan(plan, {
      run,
      declarations,
      sessions,
      journal,
      openSink: sinkOpener({ folder, allowExec: options.allowExec === true, env: process.env }),
      clock: () => performance.now(),
      signal,
      // Asking took as long as the person did.
      recheck: !options.yes,
    }).finally(endProgress);
    if (output.json) output.print(JSON.stringify(reportJson(report), null, 2));
    else output.print(`\n${renderReport(report, output)}`);
    return reportExitCode(report);
  } finally {
    journal.close();
    await close();
  }
}
