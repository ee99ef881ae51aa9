import type { z } from "zod";
import type { Problem } from "../core/problem.ts";
import { Report } from "../core/run/outcome.ts";
import { Plan } from "../core/run/plan.ts";
import { describeIssues } from "../core/text/issues.ts";
import { readJsonObject } from "../core/text/json-text.ts";
import { Problems } from "./formats/json.ts";
import type { RunResult } from "./text/summary.ts";

/** The result of a run in a file, or why no report can be made from the file. */
export type ReadResult =
  | { readonly is: "read"; readonly result: RunResult }
  | { readonly is: "wrong"; readonly problem: Problem };

/**
 * Reads what `--json`, `--report json=` or `plan --out` wrote: a plan, the report of an apply, or problems. The plan is only
 * shown, so it can be expired or refused.
 */
export function readResult(text: string): ReadResult {
  const read = readJsonObject(text);
  switch (read.is) {
    case "too large":
      return wrong("The file is larger than any plan.");
    case "not JSON":
      return wrong(`The file is not JSON${read.where}.`);
    case "no object":
      return wrong("The file is neither a plan nor a report.");
    case "read":
      return resultOf(read.value);
  }
}

function resultOf(value: Readonly<Record<string, unknown>>): ReadResult {
  const { version } = value;
  if (typeof version === "number" && version !== 1) {
    const hint = "Make the report with the version of setpoint that wrote the file.";
    return wrong(`The file has version ${version}; expected version 1.`, hint);
  }
  if ("outcomes" in value) return checked(Report, value, "the report", (report) => ({ plan: report.plan, report }));
  if ("changes" in value) return checked(Plan, value, "the plan", (plan) => ({ plan }));
  // The file does not say which command found them.
  if ("problems" in value)
    return checked(Problems, value, "the file", ({ problems }) => ({ command: "validate", problems }));
  return wrong("The file is neither a plan nor a report.");
}

function checked<T>(
  schema: z.ZodType<T>,
  value: Readonly<Record<string, unknown>>,
  name: string,
  resultFor: (value: T) => RunResult,
): ReadResult {
  const { data, error } = schema.safeParse(value);
  if (error !== undefined) return wrong(`No report can be made from it: ${describeIssues(error.issues, value, name)}.`);
  return { is: "read", result: resultFor(data) };
}

function wrong(
  message: string,
  hint = "Name a file that --json, --report json=<file> or plan --out has written.",
): ReadResult {
  return { is: "wrong", problem: { code: "SP1021", message, hint } };
}
