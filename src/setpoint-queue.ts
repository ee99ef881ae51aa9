import type { Environment } from "./clients/credentials.ts";
import type { Clock } from "./clients/http/clock.ts";
import { localPaces, type PaceOf } from "./clients/http/pace.ts";
import type { Service } from "./core/service.ts";
import type { OpenQueue } from "./engine/queue/open-queue.ts";
import type { ConnectionSettings, openSessions } from "./engine/sessions.ts";
import { kinds } from "./reconcilers/registry.ts";
import { partProblems } from "./setpoint-part.ts";
import type { OpenOptions, OpenWorkspace, Planned, PlanOptions, Wrong } from "./setpoint-types.ts";

/** How a connection that cannot write is opened. */
export interface ReadingHow {
  /** Whether commands that manifests name are asked for the secrets that they keep. */
  readonly allowExec?: boolean | undefined;
  /** That of this process unless given. */
  readonly pace?: PaceOf | undefined;
}

/** What a queue needs of a workspace. */
interface Means {
  readonly env: Environment;
  readonly clock: Clock;
  /** Aborted by the first interrupt. */
  readonly signal: AbortSignal;
  /** Aborted by the second one. */
  readonly atOnce: AbortSignal;
  readonly now: () => Date;
  readonly services: () => Promise<readonly Service[]>;
  readonly open: typeof openSessions;
  readonly readings: ConnectionSettings["readings"];
  readonly onRequest: OpenOptions["onRequest"];
}

/** Opens sessions whose requests share the paces of this process, unless others are given. */
export function paced(open: typeof openSessions, clock: Clock) {
  const paces = localPaces(clock);
  const openPaced: typeof openSessions = (services, mode, settings) =>
    open(services, mode, { pace: paces, ...settings });
  return { paces, open: openPaced };
}

/** Spreads the reading of plans, and reads for those of others. Nothing of a queue is loaded unless one is used. */
export function queuing(
  means: Means,
  { queue: spread, openQueue: given, trust }: Pick<OpenOptions, "queue" | "openQueue" | "trust">,
) {
  const { env, clock, signal, now } = means;

  /**
   * Plans with the queue that the workspace was opened with, if there is one. A part that makes no sense is told before a queue is
   * asked.
   */
  async function withQueue(
    planOptions: PlanOptions,
    isDrift: boolean,
    plan: (queue?: OpenQueue) => Promise<Planned | Wrong>,
  ): Promise<Planned | Wrong> {
    const problems = partProblems(planOptions, { isDrift, trust });
    if (problems.length > 0) return { is: "wrong", problems, files: 0 };
    if (spread === undefined) return plan();
    const open = given ?? (await import("./engine/queue/open-queue.ts")).openQueue;
    const queue = await open(spread, { env, clock, signal, now: now(), shard: planOptions.shard });
    let isOver = false;
    try {
      const made = await plan(queue);
      isOver = made.is === "planned";
      return made.is === "wrong" ? made : { ...made, spread: true };
    } finally {
      await queue.close(isOver);
    }
  }

  const work: OpenWorkspace["work"] = async ({ url, ...told }) => {
    const { work: start } = await import("./engine/queue/work.ts");
    const { queuePlace } = await import("./engine/queue/place.ts");
    return start({
      ...means,
      ...told,
      kinds,
      place: queuePlace(url, env),
      services: await means.services(),
      stopping: signal,
      signal: means.atOnce,
    });
  };

  return { withQueue, work };
}
