import { type Problem, ProblemError } from "../core/problem.ts";

/**
 * What ended a run early, as problems. An error of the operating system is about something the command line or the
 * workspace names: a file or a port. `undefined` for any other error, which is a bug in setpoint.
 */
export function problemsOf(error: unknown): readonly Problem[] | undefined {
  if (error instanceof ProblemError) return error.problems;
  if (!(error instanceof Error) || !("syscall" in error)) return undefined;
  return [{ code: "path" in error ? "SP1017" : "SP5001", message: `${error.message}.` }];
}
