import type { Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { type Problem, ProblemError } from "../../core/problem.ts";
import { scopeReader } from "../observe/observe.ts";
import type { Readers } from "../sessions.ts";
import { Ask } from "./job.ts";

/** The problem of something in a queue that setpoint did not put there. */
export const noJob: Problem = {
  code: "SP5009",
  message: "The queue contains something that is not a job.",
  hint: "Check who can write to the queue.",
};

/**
 * Reads what a job asks of a service. Returns each target's observation, or null if the service's answer lacks it. Throws
 * `ProblemError` SP5009 if `asked` is not a job.
 */
export async function answerJob(
  asked: unknown,
  service: string,
  kinds: ReadonlyMap<string, Kind>,
  readers: Readers,
): Promise<readonly (Observation | null)[]> {
  const { data: ask } = Ask.safeParse(asked);
  const kind = ask && kinds.get(ask.kind);
  if (ask === undefined || kind === undefined) throw new ProblemError(noJob);
  const scopes = ask.scopes.map(({ scope, targets }) => ({
    service,
    kind,
    scope,
    targets: targets.map((target) => ({ ...target, service, kind, scope })),
  }));
  const seen = await scopeReader(readers)(scopes, { now: new Date(ask.now) });
  return scopes.flatMap(({ targets }) => targets.map(({ address }) => seen.get(address) ?? null));
}
