import type { Plan } from "../core/plan.ts";
import type { Problem } from "../core/problem.ts";
import type { Past } from "./journal.ts";

/**
 * The plan with a warning, SP5007, for each journal of this machine that is damaged: a secret that it tells of may be live and
 * delivered nowhere, and neither a plan nor an apply knows of it.
 */
export function withDamage(plan: Plan, past: readonly Past[]): Plan {
  const { warnings: _elsewhere, ...rest } = plan;
  const warnings = past
    .filter(({ lines }) => lines.damaged.length > 0)
    .map(
      ({ name, lines: { damaged } }): Problem => ({
        code: "SP5007",
        message: `The journal of the run ${name} is damaged in line ${damaged.join(", ")}: a secret that the run made anew may not have been delivered, and no plan knows of it.`,
        hint: `See setpoint runs ${name}, look after its secrets, then remove .setpoint/runs/${name}.jsonl.`,
      }),
    );
  return warnings.length === 0 ? rest : { ...rest, warnings };
}
