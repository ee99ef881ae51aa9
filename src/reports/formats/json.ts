import { z } from "zod";
import { Problem } from "../../core/problem.ts";
import { listOf, objectOf } from "../../core/readonly.ts";
import { Report } from "../../core/run/outcome.ts";
import { Plan } from "../../core/run/plan.ts";
import type { PlannedRun, Unplanned } from "../text/summary.ts";

/** The problems of a run that produced nothing else. */
export const Problems = objectOf({ version: z.literal(1), problems: listOf(Problem) });

/**
 * A run as `--json` prints it, and a plan as `--out` saves it: members in the order of the schema, secrets as references.
 * Throws if the value does not match the published schema.
 */
export function resultJson(result: Pick<PlannedRun, "plan" | "report"> | Pick<Unplanned, "problems">): object {
  if ("problems" in result) return Problems.parse({ version: 1, problems: result.problems });
  return result.report === undefined ? Plan.parse(result.plan) : Report.parse(result.report);
}
