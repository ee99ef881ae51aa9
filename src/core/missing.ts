import { ProblemError } from "./problem.ts";

/**
 * What a read gives; undefined if the service answers that it has no such object (`ProblemError` SP3005), or shows the
 * account none; with `words`, only if its answer says them. The one way to conclude from a failed read that something is
 * absent: any other failure, and several of which one is another, is thrown on, so that unknown is never taken for absent.
 */
export async function unlessMissing<Result>(read: Promise<Result>, words?: RegExp): Promise<Result | undefined> {
  try {
    return await read;
  } catch (error) {
    const isMissing =
      error instanceof ProblemError &&
      error.problems.every(({ code, message }) => code === "SP3005" && (words?.test(message) ?? true));
    if (isMissing) return undefined;
    throw error;
  }
}
