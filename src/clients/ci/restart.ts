import { hasOnly, type Problem, ProblemError } from "../../core/problem.ts";
import type { Clock } from "../http/clock.ts";
import type { AwaitedCall, SendCall } from "../service.ts";
import type { CiOperations } from "./operations.ts";
import { ServerVersion } from "./records.ts";

type Send = SendCall<keyof CiOperations>;

/** Milliseconds between two polls, and the number of polls: 10 minutes, plus what each poll takes. */
const pause = 2000;
const mostQuestions = 300;

/** What a server answers while it starts: 503 with a page, nothing, or part of an answer. @see docs/facts.md, ci */
const starting = ["SP3009", "SP3101", "SP3102", "SP3103", "SP3104"] as const;

/**
 * Tells a server to restart, and returns when it has. A lost answer proves nothing, since the server may have gone down
 * before it was sent: the wait decides.
 *
 * Throws `ProblemError`: what the call throws except SP3105, and SP3105 for whatever ends the wait.
 */
export const restartAndAwait: AwaitedCall = async (send, { wire, operation, args }, clock, signal) => {
  const asked = wire === "documented" ? withoutVersions(send) : send;
  const before = ServerVersion.parse(await asked("getVersion", {}));
  try {
    await send(operation, args);
  } catch (error) {
    if (!hasOnly(error, "SP3105")) throw error;
  }
  try {
    return await awaitRestart(asked, before, clock, signal);
  } catch (error) {
    throw error instanceof ProblemError ? new ProblemError(...error.problems.map(lost)) : error;
  }
};

/** The problem that ended the wait says nothing about the requested restart: it may have happened, or may still happen. */
function lost(problem: Problem): Problem {
  if (problem.code === "SP3105") return problem;
  return {
    ...problem,
    code: "SP3105",
    message: `The server was told to restart, but it is not known whether it did. ${problem.message}`,
  };
}

/** No documented operation reports the version: an answer to one of them must suffice. */
function withoutVersions(send: Send): Send {
  return async () => {
    await send("listPlugins", { depth: 1 });
    return { version: "unknown" };
  };
}

/**
 * Waits until a server that was told to restart has done so, and returns its version. `before` is what it reported before
 * it was told. A server that identifies its runs is back when it reports a new run; any other, when it answers again
 * after it did not.
 *
 * Throws `ProblemError`: SP3101 if it is not back after 10 minutes; SP3105 after an interrupt, since the restart may have
 * happened; whatever else `getVersion` throws, such as SP3003.
 */
export async function awaitRestart(
  send: Send,
  before: ServerVersion,
  clock: Clock,
  signal?: AbortSignal,
): Promise<ServerVersion> {
  let down = false;
  for (let asked = 0; asked < mostQuestions; asked++) {
    const now = await versionIfUp(send);
    if (now === undefined) down = true;
    else if (now !== "busy" && (before.run === undefined ? down : now.run !== before.run)) return now;
    await clock.wait(pause, signal).catch(() => {
      throw new ProblemError({
        code: "SP3105",
        message: "The server was told to restart, but the run was interrupted before it was back.",
        hint: "Make a new plan once the server is back: it shows what is left to do.",
      });
    });
  }
  throw new ProblemError({
    code: "SP3101",
    message: "The server did not restart within 10 minutes.",
    hint: "A safe restart waits for running builds: check the server's page, or stop them.",
  });
}

/** `busy`: asked too often, which says nothing about the restart. */
async function versionIfUp(send: Send): Promise<ServerVersion | "busy" | undefined> {
  try {
    return ServerVersion.parse(await send("getVersion", {}));
  } catch (error) {
    if (hasOnly(error, "SP3008")) return "busy";
    if (hasOnly(error, ...starting)) return undefined;
    throw error;
  }
}
