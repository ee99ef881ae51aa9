import { z } from "zod";
import { Problem } from "../../core/problem.ts";
import { listOf, objectOf } from "../../core/readonly.ts";
import { Report } from "../../core/run/outcome.ts";
import { Plan } from "../../core/run/plan.ts";

/** The problems of a run that produced nothing else. */
export const Problems = objectOf({ version: z.literal(1), problems: listOf(Problem) });

/**
 * The plan as `--json` prints it and `--out` saves it: members in the order of the schema, secrets as references. Throws
 * if the value does not match the published schema.
 */
export function planJson(plan: Plan): Plan {
  return Plan.parse(plan);
}

/** The report as `--json` prints it. Throws if the value does not match the published schema. */
export function reportJson(report: Report): Report {
  return Report.parse(report);
}

/** Problems as `--json` prints them if a run produced nothing else. */
export function problemsJson(problems: readonly Problem[]): z.infer<typeof Problems> {
  return Problems.parse({ version: 1, problems });
}
