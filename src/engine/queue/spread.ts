import type { Clock } from "../../clients/http/clock.ts";
import type { Observation } from "../../core/change.ts";
import { type Problem, ProblemError } from "../../core/problem.ts";
import type { Address } from "../../core/resource.ts";
import type { Service } from "../../core/service.ts";
import { doubted, type ReadScopes, readingInterrupted, readingTeller } from "../observe/observe.ts";
import { isReadHere, type Job, jobsOf, type SpreadRun } from "./job.ts";
import { isTransient, readJobResult, unknownOf } from "./result.ts";

/** The place where jobs are left and results are found. Every function rejects with `ProblemError` SP5008 if it is unusable. */
export interface Board {
  /** Returns the existing results, by the ids of their jobs. */
  results(jobs: readonly Job[]): Promise<ReadonlyMap<string, string>>;
  /** Leaves jobs for the workers, unless they exist already. Discards their earlier results and failures. */
  put(jobs: readonly Job[]): Promise<void>;
  /** Returns which of the jobs no worker will try again, and why. Keeps the run alive, and leaves lost jobs again. */
  givenUp(jobs: readonly Job[]): Promise<ReadonlyMap<string, string>>;
  /** Returns how many workers take jobs of a queue. */
  workers(queue: string): Promise<number>;
}

/** Reading through a queue. */
export interface SpreadReading {
  readonly read: ReadScopes;
  /** Returns the number of requests that workers have sent to a service. */
  reads(service: string): number;
}

/** Milliseconds between two checks for results. */
const pollInterval = 200;
/** Milliseconds between two checks of jobs and workers. */
const lookInterval = 2_000;
/** Milliseconds to wait for a queue that no worker takes jobs of. */
const patience = 60_000;

/**
 * Returns a reading that leaves jobs for workers and waits for their results. A run that is taken up again reuses existing
 * results, except those that were unknown for a reason that may have passed. `own` reads what workers cannot.
 */
export function spreadReading(
  board: Board,
  run: SpreadRun,
  services: readonly Service[],
  own: ReadScopes,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): SpreadReading {
  const byName = new Map(services.map((service) => [service.name, service]));
  const reads = new Map<string, number>();

  async function waitFor(jobs: readonly Job[], told: Told): Promise<void> {
    const open = openJobs(board, jobs, told);
    await open.takeOld();
    await board.put(open.left());
    let nextLook = clock.now();
    while (open.left().length > 0) {
      await clock.wait(pollInterval, signal).catch(() => {});
      if (signal.aborted) throw new ProblemError(readingInterrupted);
      await open.take(({ service }, sent) => reads.set(service, (reads.get(service) ?? 0) + sent));
      const now = clock.now();
      // A clock that was set back must not put off the next look: without looks, a run is over for its workers.
      nextLook = Math.min(nextLook, now + lookInterval);
      if (now < nextLook) continue;
      nextLook = now + lookInterval;
      await open.endGivenUp();
      await open.endWithoutWorker(now);
    }
  }

  return {
    reads: (service) => reads.get(service) ?? 0,
    async read(scopes, moment, onRead = () => {}) {
      const counts = new Map<string, readonly [done: number, total: number]>();
      const lacking = new Set<string>();
      const tell = readingTeller(scopes, (service, done, total) => {
        counts.set(service, [done, total]);
        onRead(service, done, total, lacking.has(service));
      });
      const onWorker: Told["onWorker"] = (service, isThere) => {
        if (lacking.has(service) !== isThere) return;
        if (isThere) lacking.delete(service);
        else lacking.add(service);
        onRead(service, ...(counts.get(service) ?? [0, 0]), !isThere);
      };
      const [here, elsewhere] = [scopes.filter(isReadHere), scopes.filter((scope) => !isReadHere(scope))];
      const seen = new Map<Address, Observation>();
      const onResult = (job: Job, observations: Results) => {
        for (const [address, observation] of observations)
          seen.set(address, doubted(observation, address, moment.undelivered));
        for (const scope of job.scopes) tell(scope);
      };
      const mine = own(here, moment).finally(() => {
        for (const scope of here) tell(scope);
      });
      const [read] = await Promise.all([mine, waitFor(jobsOf(elsewhere, byName, run), { onResult, onWorker })]);
      return new Map([...seen, ...read]);
    },
  };
}

type Results = readonly (readonly [Address, Observation])[];

interface Told {
  readonly onResult: (job: Job, seen: Results) => void;
  /** Called with whether a worker takes jobs of a service. */
  readonly onWorker: (service: string, isThere: boolean) => void;
}

/** Keeps the jobs that have no result yet. */
function openJobs(board: Board, jobs: readonly Job[], { onResult, onWorker }: Told) {
  const open = new Map(jobs.map((job) => [job.id, job]));
  const lastSeen = new Map<string, number>();
  const left = () => [...open.values()];
  const end = (job: Job, seen: Results) => {
    open.delete(job.id);
    onResult(job, seen);
  };
  const results = async () =>
    [...(await board.results(left()))].flatMap(([id, text]) => {
      const job = open.get(id);
      return job === undefined ? [] : [{ job, ...readJobResult(text, job) }];
    });
  return {
    left,
    /** Takes the results of an earlier run, except those that were unknown for a reason that may have passed. */
    async takeOld(): Promise<void> {
      for (const { job, observations } of await results())
        if (!observations.some(([, observation]) => isTransient(observation))) end(job, observations);
    },
    async take(onSent: (job: Job, reads: number) => void): Promise<void> {
      for (const { job, reads, observations } of await results()) {
        onSent(job, reads);
        end(job, observations);
      }
    },
    async endGivenUp(): Promise<void> {
      for (const [id, why] of await board.givenUp(left())) {
        const job = open.get(id);
        if (job !== undefined) end(job, unknownOf(job, gaveUp(why)));
      }
    },
    /** Ends the jobs of queues that no worker has taken jobs of for too long. */
    async endWithoutWorker(now: number): Promise<void> {
      for (const [queue, waiting] of Map.groupBy(left(), (job) => job.queue)) {
        const seen = (await board.workers(queue)) > 0 ? now : Math.min(lastSeen.get(queue) ?? now, now);
        lastSeen.set(queue, seen);
        // Workers that start together with the run are not missed.
        for (const { service } of waiting.slice(0, 1)) onWorker(service, now - seen < lookInterval);
        if (now - seen >= patience) for (const job of waiting) end(job, unknownOf(job, nobody(job.service)));
      }
    },
  };
}

function gaveUp(why: string): Problem {
  return {
    code: "SP5009",
    message: `No worker could read it: ${why.slice(0, 300).replace(/\.$/, "")}.`,
    hint: "The output of the workers has the reason.",
  };
}

function nobody(service: string): Problem {
  return {
    code: "SP5008",
    message: `No worker takes jobs of ${service}.`,
    hint: `Start setpoint worker with the credentials of ${service}, the same setpoint.yaml and the same version. setpoint queue shows the workers.`,
  };
}
