import { readFile } from "node:fs/promises";
import { type Problem, ProblemError } from "../../core/problem.ts";
import type { Plan } from "../../core/run/plan.ts";
import { reasonOf, whyUnwritten } from "../../core/text/reason.ts";
import { replaceFile } from "../../engine/replace-file.ts";
import { resultJson } from "../../reports/formats/json.ts";
import { neutralLine } from "../../reports/neutral.ts";
import type { Wrong } from "../../setpoint.ts";
import type { PlanCommandOptions } from "../options/plan-options.ts";

/**
 * Writes a plan for `setpoint apply <file>`, completely or not at all. Only its owner can read it: it has no secrets, but shows
 * how services are set up. Replaces an existing file. Throws `ProblemError` SP1017.
 */
export async function writePlanFile(path: string, plan: Plan): Promise<void> {
  try {
    await replaceFile(path, `${JSON.stringify(resultJson({ plan }), null, 2)}\n`, 0o600);
  } catch (error) {
    throw fileProblem(`The plan cannot be written to ${path}`, whyUnwritten(error));
  }
}

/** Reads a plan file; SP1017 if it cannot be read. */
export async function readPlanFile(path: string): Promise<{ readonly is: "read"; readonly text: string } | Wrong> {
  try {
    return { is: "read", text: await readFile(path, "utf8") };
  } catch (error) {
    const { problems } = fileProblem(`The file ${path} cannot be read`, reasonOf(error));
    return { is: "wrong", problems };
  }
}

/** Returns a problem of a file's content with the name of the file. */
export function inFile(file: string, problem: Problem): Problem {
  return { ...problem, message: `${neutralLine(file)}: ${problem.message}` };
}

function fileProblem(what: string, why: string): ProblemError {
  return new ProblemError({ code: "SP1017", message: `${what}: ${why}.` });
}

/** The problem SP5001 of options that a saved plan has already settled; undefined if there are none. */
export function settledProblem(options: PlanCommandOptions): Problem | undefined {
  const { base, trust, service, kind, only, label, deletes, accept = [], maxDeletes, maxDeletePercent } = options;
  const given: readonly (readonly [string, boolean])[] = [
    ["--base", base !== undefined],
    ["--trust", trust !== undefined],
    ["--service", service.length > 0],
    ["--kind", kind.length > 0],
    ["--only", only.length > 0],
    ["--label", label.length > 0],
    ["--no-deletes", !deletes],
    ["--accept", accept.length > 0],
    ["--max-deletes", maxDeletes !== undefined],
    ["--max-delete-percent", maxDeletePercent !== undefined],
  ];
  const names = given.flatMap(([name, isGiven]) => (isGiven ? [name] : []));
  if (names.length === 0) return undefined;
  return {
    code: "SP5001",
    message: `A saved plan is applied as it is: ${names.join(", ")} cannot be given with it.`,
    hint: `Give ${names.length === 1 ? "it" : "them"} to setpoint plan --out, and apply that plan.`,
  };
}
