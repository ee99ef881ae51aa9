import { type Problem, type ProblemCode, ProblemError } from "../core/problem.ts";
import { accessHint, hasCode, reasonOf } from "../core/text/reason.ts";
import { type ExitCode, exitCodes } from "./exit.ts";

/**
 * The problems that ended a run early. An operating system error is about a file or a port that the command line or the
 * workspace names. Undefined for any other error, which is a bug in setpoint.
 */
export function knownProblems(error: unknown): readonly Problem[] | undefined {
  if (error instanceof ProblemError) return error.problems;
  if (!(error instanceof Error) || !("syscall" in error)) return undefined;
  if (hasCode(error, "EADDRINUSE") && "port" in error)
    return [{ code: "SP5001", message: `Port ${error.port} is already in use.`, hint: "--port 0 takes a free one." }];
  if (!("path" in error)) return [{ code: "SP5001", message: `${error.message}.` }];
  return [{ code: "SP1017", message: `${error.path} cannot be used: ${reasonOf(error)}.`, ...accessHint(error) }];
}

/** The problems with which an apply or a revert ended before it sent anything. */
export class Unsent extends ProblemError {}

/** Throws an error, problems as `Unsent`. */
export function asUnsent(error: unknown): never {
  throw error instanceof ProblemError ? new Unsent(...error.problems) : error;
}

/** Codes that mean another run is in the way. */
const busy: ReadonlySet<ProblemCode> = new Set(["SP5005", "SP5006"]);

/** The exit code of a run that ended early. Another run that writes to the same service, or has the lease, is a refusal. */
export function failureExitCode(problems: readonly Problem[] | undefined): ExitCode {
  const isRefused = problems?.every(({ code }) => busy.has(code)) === true;
  return isRefused ? exitCodes.refused : exitCodes.wrong;
}
