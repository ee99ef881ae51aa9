import { planJson } from "../../reports/json.ts";
import { renderPlan } from "../../reports/plan-text.ts";
import { type ExitCode, inputExitCode, planExitCode } from "../exit.ts";
import type { PlanOptions } from "../options.ts";
import { planFrom } from "../planning.ts";
import { failWith, openOutput } from "../terminal/output.ts";

/** `setpoint plan` and `setpoint drift`: shows what an apply would do. Nothing can be written on this road. */
export async function plan(
  command: "plan" | "drift",
  options: PlanOptions & { readonly detailedExitcode?: boolean; readonly unmanaged?: boolean },
  signal: AbortSignal,
): Promise<ExitCode> {
  const output = openOutput(options);
  const planning = await planFrom(
    options,
    { drift: command === "drift", unmanaged: options.unmanaged === true },
    signal,
  );
  if (planning.is === "wrong")
    return failWith(output, planning.problems, "No plan was made.", inputExitCode(planning.problems));
  if (output.json) output.print(JSON.stringify(planJson(planning.plan), null, 2));
  else output.print(renderPlan(planning.plan, { ...output, all: options.all, command }));
  return planExitCode(planning.plan, command === "drift" || options.detailedExitcode === true);
}
