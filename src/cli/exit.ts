import { Verdict } from "../core/change.ts";
import type { Problem, ProblemCode } from "../core/problem.ts";
import type { Recorded, Report } from "../core/run/outcome.ts";
import type { Plan } from "../core/run/plan.ts";

/** What each exit code means. @see README.md, exit codes */
export const exitCodes = {
  /** Everything is as desired, or the plan was made. */
  ok: 0,
  /** Something is wrong with the input or the run. */
  wrong: 1,
  /** There are differences. */
  differences: 2,
  /** Something is unknown or was skipped. */
  unknown: 3,
  /** A guard or a policy refused the plan. */
  refused: 4,
  /** A second interrupt stopped the run. */
  stopped: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Codes of refusals rather than errors: policies, guards, and saved plans that are out of date. */
const refusing: ReadonlySet<ProblemCode> = new Set(["SP1019", "SP2002", "SP2004", "SP2005"]);

/** The exit code for problems in the input: `refused` if all of them are refusals, otherwise `wrong`. */
export function inputExitCode(problems: readonly Problem[]): ExitCode {
  return problems.every(({ code }) => refusing.has(code)) ? exitCodes.refused : exitCodes.wrong;
}

/** What can make a run fail without being an error or a refusal. */
export const failures = [...Verdict.options, "unknown"] as const;
export type FailOn = (typeof failures)[number];

/**
 * The exit code of a plan. `detailed`: whether differences count, as for `drift` and `plan --detailed-exitcode`. `failOn` says
 * exactly what counts; what it leaves out does not.
 */
export function planExitCode(
  plan: Plan,
  detailed: boolean,
  failOn: readonly FailOn[] = detailed ? failures : ["unknown"],
): ExitCode {
  if (plan.refusals.length > 0) return exitCodes.refused;
  if (plan.unknown.length > 0 && failOn.includes("unknown")) return exitCodes.unknown;
  return plan.changes.some(({ verdict }) => failOn.includes(verdict)) ? exitCodes.differences : exitCodes.ok;
}

/** Turns success into `wrong` if the apply could not be recorded: the next run could not go on from it. */
export function recordedExitCode(code: ExitCode, recorded: Recorded | undefined): ExitCode {
  return code === exitCodes.ok && recorded?.problem !== undefined ? exitCodes.wrong : code;
}

/** The exit code of the most serious outcome of an apply. Differences that need a person remain differences. */
export function reportExitCode(
  { plan, outcomes, triggers = [], problems = [] }: Report,
  failOn: readonly FailOn[] = failures,
): ExitCode {
  if (problems.length > 0) return exitCodes.wrong;
  const results = new Set(outcomes.map(({ result }) => result));
  const sent = new Set(triggers.map(({ result }) => result));
  if (results.has("failed") || sent.has("failed") || sent.has("lost")) return exitCodes.wrong;
  if (results.has("stale")) return exitCodes.refused;
  if (plan.unknown.length > 0 && failOn.includes("unknown")) return exitCodes.unknown;
  if (results.has("skipped") || results.has("unknown")) return exitCodes.unknown;
  if (plan.changes.some(({ action, verdict }) => action === "check" && failOn.includes(verdict)))
    return exitCodes.differences;
  return sent.has("skipped") ? exitCodes.unknown : exitCodes.ok;
}
