import type { Wrong } from "../core/problem.ts";
import type { OpenQueue } from "../engine/queue/open-queue.ts";
import { kinds } from "../reconcilers/registry.ts";
import { partProblems } from "./part.ts";
import type { Road } from "./road.ts";
import type { OpenWorkspace, Planned, PlanOptions } from "./types.ts";

/** Spreads the reading of plans over workers, and works for the plans of others. Loads no queue code unless a queue is used. */
export function queuing(road: Road) {
  const { env, clock, signal, now, queue: spread, openQueue: given, trust } = road;

  /** Plans, with the workspace's queue if it has one. Contradicting options of a part are reported before it is opened. */
  async function withQueue(
    planOptions: PlanOptions,
    isDrift: boolean,
    plan: (queue?: OpenQueue) => Promise<Planned | Wrong>,
  ): Promise<Planned | Wrong> {
    const problems = partProblems(planOptions, { isDrift, trust });
    if (problems.length > 0) return { is: "wrong", problems };
    if (spread === undefined) return plan();
    const open = given ?? (await import("../engine/queue/open-queue.ts")).openQueue;
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
    const { work: start } = await import("../engine/queue/work.ts");
    const { queuePlace } = await import("../engine/queue/redis.ts");
    return start({
      ...told,
      ...road,
      kinds,
      place: queuePlace(url, env),
      services: await road.services(),
      stopping: signal,
      signal: road.atOnce,
    });
  };

  return { withQueue, work };
}
