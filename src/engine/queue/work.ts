import { once } from "node:events";
import type { Job as QueuedJob } from "bullmq";
import type { Environment } from "../../clients/credentials/credentials.ts";
import { credentialsFor } from "../../clients/credentials/credentials-for.ts";
import type { Clock } from "../../clients/http/clock.ts";
import type { Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { type Problem, ProblemError, problemsOf } from "../../core/problem.ts";
import type { Service } from "../../core/service.ts";
import { scopeReader } from "../observe/observe.ts";
import { type ConnectionSettings, openReaders, type openSessions, type Readers } from "../sessions.ts";
import { Ask, queueOf } from "./job.ts";
import { connectQueue, keys, packages, prefix, type QueuePlace, timeToLive } from "./redis.ts";
import { sharedPaces } from "./redis-pace.ts";
import { isTransient, type JobResult } from "./result.ts";
import { type Trouble, troubled, troubleOf } from "./trouble.ts";

/** Options of a worker, and its callbacks. */
export interface WorkOptions {
  /** The URL of Redis; SETPOINT_QUEUE of the environment unless given. */
  readonly url?: string | undefined;
  /** Called once the worker takes jobs, with the services that it reads and why it does not read the others. */
  readonly onStarted: (services: readonly string[], without: readonly Problem[]) => void;
  /** Called for a job that could not be done. It is tried again, here or elsewhere. */
  readonly onFailed: (service: string, why: string) => void;
  /** Called when the queue cannot be used, once for each reason until it can be used again. The worker waits for it. */
  readonly onTrouble: (problem: Problem) => void;
}

interface WorkSettings extends Omit<WorkOptions, "url">, Required<Pick<ConnectionSettings, "env" | "clock">> {
  readonly place: QueuePlace;
  readonly services: readonly Service[];
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly open: typeof openSessions;
  /** Once aborted, the worker takes no further job, and finishes those under way. */
  readonly stopping: AbortSignal;
  /** Once aborted, everything ends immediately. Other workers repeat the jobs that were under way. */
  readonly signal: AbortSignal;
}

/** What a worker has done. */
export interface Work {
  readonly jobs: number;
  readonly reads: number;
}

/** Concurrent jobs of one service: the second one fills the pauses of the first. */
const jobsAtOnce = 2;
/** Milliseconds for which a job belongs to a worker without a sign of life, and between two checks for jobs of dead workers. */
const lock = { lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 5 } as const;
/** The retention of jobs that do not state their own. */
const keeping = { removeOnComplete: { count: 0 }, removeOnFail: { age: timeToLive } } as const;
/** Milliseconds for which jobs of a run share readings, and the number of runs whose readings are kept. */
const sharing = { time: 300_000, runs: 8 } as const;

/**
 * Does jobs of the services that it has credentials for, over connections that cannot write, until it is stopped. Throws
 * `ProblemError`: SP5008 without a queue, or the problems of the credentials if none are usable.
 */
export async function work(settings: WorkSettings): Promise<Work> {
  const { place, services, env, clock, signal, stopping, onStarted, onFailed, onTrouble } = settings;
  const { usable, without } = usableServices(services, env);
  if (usable.length === 0) throw new ProblemError(...without);
  const { Worker, UnrecoverableError } = await packages();
  const connection = await connectQueue(place, { env, signal: stopping, forever: true });
  // A queue that cannot be used takes no results, so a worker that stops then waits for nothing.
  const gone = new AbortController();
  const ended = AbortSignal.any([signal, gone.signal]);
  const { sessions, close } = await settings.open(usable, "read", {
    signal: ended,
    pace: sharedPaces(connection, clock),
  });
  const readersOf = sharedReaders(() => openReaders(sessions), clock);
  const told = new Map<string, number>();
  let jobs = 0;

  /** Returns the number of requests to a service that no result has reported yet. */
  function newReads(service: string): number {
    const all = sessions.get(service)?.requests.reads ?? 0;
    const before = told.get(service) ?? 0;
    told.set(service, all);
    return all - before;
  }

  async function carryOut(job: QueuedJob, service: Service): Promise<void> {
    const { redis } = connection;
    const run = Ask.safeParse(job.data).data?.run;
    // Skip a job of a run that is over, and one whose result a worker stored before it died.
    if (run !== undefined && (await redis.exists(keys.run(run))) === 0) return;
    const result = keys.result(job.queueName, job.id ?? "");
    if ((await redis.exists(result)) === 1) return;
    const isAgain = job.attemptsMade > 0;
    const seen = await answerJob(job.data, service.name, settings.kinds, readersOf(run ?? "", isAgain)).catch(
      (error) => {
        // An invalid job stays invalid, so it is not tried again.
        throw error instanceof ProblemError ? new UnrecoverableError(error.message) : error;
      },
    );
    const doubtful = seen.find(isTransient);
    const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
    if (signal.aborted) throw new Error("The worker was stopped");
    if (doubtful?.is === "unknown" && !isLast) throw new ProblemError(doubtful.problem);
    const made = { reads: newReads(service.name), seen } satisfies { [Member in keyof JobResult]: unknown };
    await redis.set(result, JSON.stringify(made), "EX", timeToLive);
    jobs += 1;
  }

  let lastTold: Trouble | undefined;
  const isBack = () => {
    lastTold = undefined;
  };
  connection.redis.on("ready", () => {
    // A refusal by Redis may come again, so only a lost connection is over.
    if (lastTold?.isAnswer === false) isBack();
  });
  function tell(error: Error, queue: string): void {
    const trouble = troubleOf(error);
    const isJob = error instanceof SyntaxError;
    if (isJob) void dropUnreadable(queue).catch(() => {});
    // An error with neither a code nor a word of Redis is about a job that another worker has taken meanwhile.
    if (trouble.reason === "no connection" || trouble.reason === lastTold?.reason) return;
    lastTold = trouble;
    onTrouble(isJob ? noJob : troubled(place.shown, trouble));
    if (stopping.aborted) gone.abort();
  }

  /** Removes jobs that are not JSON: the queue fails before it can hand them out, and would do so forever. A run adds its jobs again. */
  async function dropUnreadable(name: string): Promise<void> {
    const queue = connection.queue(name);
    for (const id of await queue.getRanges(["active"], 0, -1)) {
      const isReadable = await queue.getJob(id).then(
        () => true,
        (error) => !(error instanceof SyntaxError),
      );
      if (!isReadable) await connection.redis.multi().lrem(queue.toKey("active"), 0, id).del(queue.toKey(id)).exec();
    }
  }

  const workers = usable.map((service) => {
    const options = { connection: connection.redis, prefix, concurrency: jobsAtOnce, ...lock, ...keeping };
    const name = queueOf(service);
    const worker = new Worker(name, (job) => carryOut(job, service), options);
    worker.on("failed", (_job, error) => onFailed(service.name, error.message));
    // A lost connection is restored, and the job is done again.
    worker.on("error", (error) => tell(error, name));
    worker.on("completed", isBack);
    return worker;
  });
  const forced = () => void Promise.all(workers.map((worker) => worker.close(true)));
  ended.addEventListener("abort", forced, { once: true });
  try {
    await Promise.all(workers.map((worker) => worker.waitUntilReady()));
    const names = usable.map(({ name }) => name);
    onStarted(names, without);
    await aborted(stopping);
    if (lastTold !== undefined) gone.abort();
    await Promise.race([Promise.all(workers.map((worker) => worker.close())), aborted(ended)]);
  } finally {
    ended.removeEventListener("abort", forced);
    await close();
    await connection.close();
  }
  return { jobs, reads: [...sessions.values()].reduce((sum, { requests }) => sum + requests.reads, 0) };
}

/** The problem of something in a queue that setpoint did not put there. */
const noJob: Problem = {
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

function usableServices(services: readonly Service[], env: Environment) {
  const usable: Service[] = [];
  const without: Problem[] = [];
  for (const service of services) {
    try {
      credentialsFor(service, env);
      usable.push(service);
    } catch (error) {
      without.push(...problemsOf(error).map((problem) => ({ ...problem, service: service.name })));
    }
  }
  return { usable, without };
}

/** Returns the readers of a run, which its jobs share for a while so that equal reads are made once. A failed job gets new ones. */
function sharedReaders(open: () => Readers, clock: Clock): (run: string, isAgain: boolean) => Readers {
  const shared = new Map<string, { readonly readers: Readers; readonly until: number }>();
  return (run, isAgain) => {
    const known = shared.get(run);
    if (known !== undefined && !isAgain && clock.now() < known.until) return known.readers;
    const readers = open();
    shared.delete(run);
    shared.set(run, { readers, until: clock.now() + sharing.time });
    const [oldest] = shared.keys();
    if (shared.size > sharing.runs && oldest !== undefined) shared.delete(oldest);
    return readers;
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
