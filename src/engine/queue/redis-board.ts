import { randomUUID } from "node:crypto";
import { type Problem, ProblemError } from "../../core/problem.ts";
import type { Job, SpreadRun } from "./job.ts";
import { keys, prefix, type QueueConnection, timeToLive } from "./redis.ts";
import type { Board } from "./spread.ts";

/** The board of a run. */
export interface RunBoard extends Board {
  readonly run: SpreadRun;
  /** Deletes the run, its results and its remaining jobs, unless another process has taken the run up. */
  finish(): Promise<void>;
}

interface RunStart extends SpreadRun {
  /** Whether the run can be taken up again. */
  readonly isNamed: boolean;
  readonly isUrgent: boolean;
}

/** Seconds after the last sign of life of an unnamed run for which workers still do its jobs. */
const quietTime = 300;

/** A script that returns the numbers, from 1, of keys that do not exist. */
const missing = `
local lost = {}
for index, key in ipairs(KEYS) do if redis.call('EXISTS', key) == 0 then lost[#lost + 1] = index end end
return lost
`;

const attempts = 3;
const backoff = { type: "exponential", delay: 1_000 } as const;

/**
 * Starts a run in Redis, or takes up the one of this name. A run that is taken up keeps its moment, and the process that had it
 * before gets SP5008. An unnamed run is over once its process has ended, and workers drop its jobs.
 */
export async function openRun(
  { redis, asked, queue: queueNamed }: QueueConnection,
  { id, isNamed, isUrgent, now }: RunStart,
): Promise<RunBoard> {
  const key = keys.run(id);
  const began = new Date((await asked(redis.get(key)))?.split(" ", 1)[0] ?? Number.NaN);
  const age = (now.getTime() - began.getTime()) / 1000;
  const run = { id, now: age < timeToLive ? began : now };
  // The run belongs to this process as long as its key has this value.
  const own = `${run.now.toISOString()} ${randomUUID()}`;
  // A named run expires a day after it began, like its results.
  const seconds = isNamed ? Math.ceil(timeToLive - (age < timeToLive ? Math.max(0, age) : 0)) : quietTime;
  const hold = () => asked(redis.set(key, own, "EX", seconds));
  await hold();
  /** Jobs that were left for workers and have no result yet. */
  const left = new Map<string, Job>();
  /** Names of the results that were found. */
  const found = new Set<string>();

  async function add(queue: string, jobs: readonly Job[]): Promise<void> {
    const added = jobs.map(({ id: jobId, ask }) => ({
      name: "read",
      data: ask,
      opts: {
        jobId,
        attempts,
        backoff,
        removeOnComplete: true,
        removeOnFail: { age: timeToLive },
        stackTraceLimit: 0,
        // Jobs with a priority number come after jobs without one, so a run that someone waits for goes before a nightly one.
        ...(isUrgent ? {} : { priority: 10 }),
      },
    }));
    for (const some of inParts(added, 100)) await asked(queueNamed(queue).addBulk([...some]));
  }

  /** Adds jobs that Redis has lost, or that a worker dropped while the run's key was missing: no one else would do them. */
  async function addMissing(queue: string, jobs: readonly Job[]): Promise<void> {
    for (const some of inParts(jobs, 500)) {
      const names = some.map((job) => `${prefix}:${queue}:${job.id}`);
      const lost = new Set([await asked(redis.eval(missing, names.length, ...names))].flat());
      await add(
        queue,
        some.filter((_job, index) => lost.has(index + 1)),
      );
    }
  }

  async function failed(queue: string, jobs: readonly Job[]) {
    const all = new Set(await asked(queueNamed(queue).getRanges(["failed"], 0, -1)));
    const ids = jobs.map((job) => job.id).filter((jobId) => all.has(jobId));
    const some = await asked(Promise.all(ids.map((jobId) => queueNamed(queue).getJob(jobId))));
    return some.filter((job) => job !== undefined);
  }

  async function goOn(): Promise<void> {
    const held = await asked(redis.get(key));
    if (held !== null && held !== own) throw new ProblemError(takenUp);
    if (held === null || !isNamed) await hold();
  }

  const resultOf = ({ queue, id: jobId }: Job) => keys.result(queue, jobId);
  const byQueue = (jobs: Iterable<Job>) => [...Map.groupBy(jobs, ({ queue }) => queue)];
  return {
    run,
    async results(jobs) {
      const texts = new Map<string, string>();
      for (const some of inParts(jobs, 500)) {
        const answers = await asked(redis.mget(...some.map(resultOf)));
        for (const [index, job] of some.entries()) {
          const text = answers[index];
          if (typeof text !== "string") continue;
          texts.set(job.id, text);
          found.add(resultOf(job));
          left.delete(job.id);
        }
      }
      return texts;
    },
    async put(jobs) {
      for (const [queue, some] of byQueue(jobs)) {
        for (const job of await failed(queue, some)) await asked(job.remove());
        // A result that arrived meanwhile is kept.
        const old = some.map(resultOf).filter((name) => found.has(name));
        if (old.length > 0) await asked(redis.del(...old));
        for (const job of some) left.set(job.id, job);
        await add(queue, some);
      }
    },
    async givenUp(jobs) {
      await goOn();
      const reasons = new Map<string, string>();
      for (const [queue, some] of byQueue(jobs)) {
        await addMissing(queue, some);
        for (const { id: jobId = "", failedReason = "" } of await failed(queue, some))
          reasons.set(jobId, /\bstalled\b/.test(failedReason) ? deadly : failedReason);
      }
      return reasons;
    },
    workers: (queue) => asked(queueNamed(queue).getWorkersCount()),
    async finish() {
      if ((await asked(redis.get(key))) !== own) return;
      await asked(redis.del(key));
      for (const [queue, some] of byQueue(left.values()))
        for (const part of inParts(some, 500))
          await asked(Promise.all(part.map((job) => queueNamed(queue).remove(job.id))));
      for (const names of inParts([...found, ...[...left.values()].map(resultOf)], 500))
        await asked(redis.del(...names));
    },
  };
}

function inParts<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** The reason shown for a job that stalled more often than BullMQ allows. */
const deadly = "too many workers died while reading it, or lost the queue";

const takenUp: Problem = {
  code: "SP5008",
  message: "Another process has taken up the run.",
  hint: "A name is for one run at a time: use a different --run for each run and each repository.",
};
