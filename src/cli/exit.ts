import { Verdict } from "../core/change.ts";
import type { Report } from "../core/outcome.ts";
import type { Plan } from "../core/plan.ts";
import type { Problem, ProblemCode } from "../core/problem.ts";
import type { Recorded } from "../core/recorded.ts";

/** What a command's exit code says. @see README.md, exit codes */
export const exitCodes = {
  /** As desired, or the plan was made. */
  ok: 0,
  /** Something is wrong with the input or the run. */
  wrong: 1,
  /** There are differences. */
  differences: 2,
  /** Something is unknown or was skipped. */
  unknown: 3,
  /** A guard or a policy refused. */
  refused: 4,
  /** A second interrupt stopped the run. */
  stopped: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What refuses without being a mistake: policies, guards, and saved plans that hold no more. */
const refusing: ReadonlySet<ProblemCode> = new Set(["SP1019", "SP2002", "SP2004", "SP2005"]);

/** Manifests without a mistake that are only refused are refused; any other mistake is one. */
export function inputExitCode(problems: readonly Problem[]): ExitCode {
  return problems.every(({ code }) => refusing.has(code)) ? exitCodes.refused : exitCodes.wrong;
}

/** What can make a run fail that is no mistake and no refusal. */
export const failures = [...Verdict.options, "unknown"] as const;
export type FailOn = (typeof failures)[number];

/**
 * `detailed`: whether differences count, as for `drift` and `plan --detailed-exitcode`. `failOn` says it more finely, and then
 * what it leaves out does not count.
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

/** A complete apply that could not be recorded is not one to go on from. */
export function recordedExitCode(code: ExitCode, recorded: Recorded | undefined): ExitCode {
  return code === exitCodes.ok && recorded?.problem !== undefined ? exitCodes.wrong : code;
}

/** The gravest of what happened. Differences that need a person remain differences. */
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
