import type { Problem } from "../../core/problem.ts";
import type { Plan } from "../../core/run/plan.ts";
import { someOf } from "../../core/text/words.ts";
import type { Past } from "./journal.ts";

/** Returns the plan with its warnings replaced by those of this machine's journals. */
export function withDamage({ warnings: _elsewhere, ...plan }: Plan, warnings: readonly Problem[]): Plan {
  return warnings.length === 0 ? plan : { ...plan, warnings };
}

/**
 * Returns a warning, SP5007, for each damaged journal: a secret that it mentions may be live and not delivered, and neither a
 * plan nor an apply knows of it.
 */
export function damageIn(past: readonly Past[]): readonly Problem[] {
  return past
    .filter(({ lines }) => lines.damaged.length > 0)
    .map(
      ({ name, lines: { damaged } }): Problem => ({
        code: "SP5007",
        message: `The journal of the run ${name} is damaged, or was written by a newer setpoint, in line ${someOf(damaged)}: a secret that the run renewed may not have been delivered, and no plan knows of it.`,
        hint: `See setpoint runs ${name}, check its secrets, then remove .setpoint/runs/${name}.jsonl.`,
      }),
    );
}
