import type { Report } from "../core/outcome.ts";
import type { Plan } from "../core/plan.ts";
import { PlanSchema, ProblemsSchema, ReportSchema } from "../core/plan-schema.ts";
import type { Problem } from "../core/problem.ts";

/**
 * The plan as `--json` prints it and as it is saved: members in the order of the schema, secrets as references. Throws
 * where the value is not what the published schema says.
 */
export function planJson(plan: Plan): Plan {
  return PlanSchema.parse(plan);
}

/** The report as `--json` prints it. Throws where the value is not what the published schema says. */
export function reportJson(report: Report): Report {
  return ReportSchema.parse(report);
}

/** Problems as `--json` prints them where nothing else came of a run. */
export function problemsJson(problems: readonly Problem[]): {
  readonly version: 1;
  readonly problems: readonly Problem[];
} {
  return ProblemsSchema.parse({ version: 1, problems });
}
