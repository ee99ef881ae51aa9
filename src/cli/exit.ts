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

/** `detailed`: whether differences count, as for `drift` and `plan --detailed-exitcode`. */
export function planExitCode(plan: Plan, detailed: boolean): ExitCode {
  if (plan.refusals.length > 0) return exitCodes.refused;
  if (plan.unknown.length > 0) return exitCodes.unknown;
  return detailed && plan.changes.length > 0 ? exitCodes.differences : exitCodes.ok;
}

/** A complete apply that could not be recorded is not one to go on from. */
export function recordedExitCode(code: ExitCode, recorded: Recorded | undefined): ExitCode {
  return code === exitCodes.ok && recorded?.problem !== undefined ? exitCodes.wrong : code;
}

/** What could not be delivered is a fault of the run, whatever it came to. */
export function deliveredExitCode(code: ExitCode, delivered: boolean): ExitCode {
  return delivered ? code : exitCodes.wrong;
}

/** The gravest of what happened. Differences that need a person remain differences. */
export function reportExitCode({ plan, outcomes, triggers = [], problems = [] }: Report): ExitCode {
  if (problems.length > 0) return exitCodes.wrong;
  const results = new Set(outcomes.map(({ result }) => result));
  const sent = new Set(triggers.map(({ result }) => result));
  if (results.has("failed") || sent.has("failed") || sent.has("lost")) return exitCodes.wrong;
  if (results.has("stale")) return exitCodes.refused;
  if (plan.unknown.length > 0 || results.has("skipped") || results.has("unknown")) return exitCodes.unknown;
  if (plan.changes.some(({ action }) => action === "check")) return exitCodes.differences;
  return sent.has("skipped") ? exitCodes.unknown : exitCodes.ok;
}
