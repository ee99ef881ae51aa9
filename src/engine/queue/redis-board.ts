import { type Problem, ProblemError } from "../../core/problem.ts";
import type { Job, SpreadRun } from "./job.ts";
import { keys, type QueueConnection, timeToLive } from "./redis.ts";
import type { Board } from "./spread.ts";

/** A board of a run, and how the run ends. */
export interface RunBoard extends Board {
  /** Forgets the run and its results. */
  finish(): Promise<void>;
}

/** Seconds that the jobs of a run without a name are done for, after the run was last heard of. */
const quietTime = 300;

/** How a job that failed is tried again. */
const attempts = 3;
const backoff = { type: "exponential", delay: 1_000 } as const;

/**
 * Begins a run, or takes up the one of this name: then it is of the same moment. A run without a name is over when its process
 * has ended, and workers drop its jobs.
 */
export async function openRun(
  { redis, asked }: Pick<QueueConnection, "redis" | "asked">,
  named: string | undefined,
  id: string,
  now: Date,
): Promise<SpreadRun> {
  const key = keys.run(id);
  const seconds = named === undefined ? quietTime : timeToLive;
  await asked(redis.set(key, now.toISOString(), "EX", seconds, "NX"));
  const began = new Date((await asked(redis.get(key))) ?? Number.NaN);
  if (Number.isNaN(began.getTime())) throw new ProblemError(forgotten);
  return { id, now: began };
}

/** The board of a run in Redis. */
export function redisBoard(
  connection: QueueConnection,
  run: SpreadRun,
  { isNamed, isUrgent }: { readonly isNamed: boolean; readonly isUrgent: boolean },
): RunBoard {
  const { redis, asked } = connection;
  const kept = new Set<string>();

  async function add(queue: string, jobs: readonly Job[]): Promise<void> {
    const added = jobs.map(({ id, ask }) => ({
      name: "read",
      data: ask,
      opts: {
        jobId: id,
        attempts,
        backoff,
        removeOnComplete: true,
        removeOnFail: { age: timeToLive },
        stackTraceLimit: 0,
        // A number is later than none: what somebody waits for goes before what runs at night.
        ...(isUrgent ? {} : { priority: 10 }),
      },
    }));
    for (let from = 0; from < added.length; from += 100)
      await asked(connection.queue(queue).addBulk(added.slice(from, from + 100)));
  }

  async function failed(queue: string, jobs: readonly Job[]) {
    const ids = new Set(jobs.map(({ id }) => id));
    if ((await asked(connection.queue(queue).getFailedCount())) === 0) return [];
    return (await asked(connection.queue(queue).getFailed())).filter(({ id }) => id !== undefined && ids.has(id));
  }

  async function goOn(): Promise<void> {
    const seconds = isNamed ? timeToLive : quietTime;
    const key = keys.run(run.id);
    // A named run ends a day after it began, as its results do.
    const isThere = isNamed ? await asked(redis.exists(key)) : await asked(redis.expire(key, seconds));
    if (isThere === 0) throw new ProblemError(forgotten);
  }

  const byQueue = (jobs: readonly Job[]) => [...Map.groupBy(jobs, ({ queue }) => queue)];
  return {
    async results(jobs) {
      const found = new Map<string, string>();
      for (let from = 0; from < jobs.length; from += 500) {
        const some = jobs.slice(from, from + 500);
        const names = some.map(({ queue, id }) => keys.result(queue, id));
        for (const name of names) kept.add(name);
        const texts = await asked(redis.mget(...names));
        for (const [index, { id }] of some.entries()) {
          const text = texts[index];
          if (typeof text === "string") found.set(id, text);
        }
      }
      return found;
    },
    async put(jobs) {
      for (const [queue, some] of byQueue(jobs)) {
        for (const job of await failed(queue, some)) await asked(job.remove());
        const results = some.map(({ id }) => keys.result(queue, id));
        await asked(redis.del(...results));
        await add(queue, some);
      }
    },
    async givenUp(jobs) {
      await goOn();
      const isBack = connection.wasLost();
      const found = new Map<string, string>();
      for (const [queue, some] of byQueue(jobs)) {
        // Redis may have come back with less than it had: jobs that are there are left as they are.
        if (isBack) await add(queue, some);
        for (const { id = "", failedReason } of await failed(queue, some)) found.set(id, failedReason ?? "");
      }
      return found;
    },
    workers: (queue) => asked(connection.queue(queue).getWorkersCount()),
    async finish() {
      await asked(redis.del(keys.run(run.id), ...kept));
    },
  };
}

const forgotten: Problem = {
  code: "SP5008",
  message: "The queue has forgotten the run.",
  hint: "Let Redis keep what it has (appendonly yes, maxmemory-policy noeviction), and run again.",
};
