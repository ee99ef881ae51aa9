import type { Job as QueuedJob } from "bullmq";
import type { Environment } from "../../clients/credentials.ts";
import type { Clock } from "../../clients/http/clock.ts";
import type { Kind } from "../../core/kind.ts";
import { type Problem, ProblemError, problemsOf } from "../../core/problem.ts";
import type { Service } from "../../core/service.ts";
import { type ConnectionSettings, openReaders, type openSessions, type Readers } from "../sessions.ts";
import { answerJob, noJob } from "./answer-job.ts";
import { Ask, queueOf } from "./job.ts";
import type { QueuePlace } from "./place.ts";
import { connectQueue, keys, packages, prefix, timeToLive } from "./redis.ts";
import { sharedPaces } from "./redis-pace.ts";
import { isTransient, type JobResult } from "./result.ts";
import { type Trouble, troubled, troubleOf } from "./trouble.ts";

/** How a worker works, and what it tells. */
export interface WorkOptions {
  /** The URL of Redis; SETPOINT_QUEUE of the environment unless given. */
  readonly url?: string | undefined;
  /** Called once jobs are taken, with the services that are read and why others are not. */
  readonly onStarted: (services: readonly string[], without: readonly Problem[]) => void;
  /** Called for a job that could not be done; it is tried again, here or elsewhere. */
  readonly onFailed: (service: string, why: string) => void;
  /** Called when the queue cannot be used, once for each reason until it can be again. The worker waits for it. */
  readonly onTrouble: (problem: Problem) => void;
}

/** What a worker works with. */
interface WorkSettings
  extends Omit<WorkOptions, "url">,
    Required<Pick<ConnectionSettings, "env" | "clock">>,
    Pick<ConnectionSettings, "readings" | "onRequest"> {
  readonly place: QueuePlace;
  readonly services: readonly Service[];
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly open: typeof openSessions;
  /** Takes no further job, and ends those under way. */
  readonly stopping: AbortSignal;
  /** Ends everything at once: other workers do again what was under way. */
  readonly signal: AbortSignal;
}

/** What a worker has done. */
export interface Work {
  readonly jobs: number;
  readonly reads: number;
}

/** Jobs of one service at once: the second one fills the pauses of the first. */
const jobsAtOnce = 2;
/** Milliseconds that a job is a worker's own, unless it is heard of again, and between two looks for jobs of dead workers. */
const lock = { lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 5 } as const;
/** Seconds that jobs are kept that say nothing about it. */
const keeping = { removeOnComplete: { count: 0 }, removeOnFail: { age: timeToLive } } as const;
/** Milliseconds for which jobs of a run share readings, and the runs that readings are kept of. */
const sharing = { time: 300_000, runs: 8 } as const;

/**
 * Takes jobs of the services that it has credentials for, over connections that cannot write, until it is stopped. Throws
 * `ProblemError`: SP5008 without a queue, the problems of the credentials if it has none.
 */
export async function work(settings: WorkSettings): Promise<Work> {
  const { place, services, env, clock, signal, stopping, onStarted, onFailed, onTrouble } = settings;
  const { usable, without } = await usableServices(services, env);
  if (usable.length === 0) throw new ProblemError(...without);
  const { Worker, UnrecoverableError } = await packages();
  const connection = await connectQueue(place, { env, signal: stopping, forever: true });
  const { sessions, close } = await settings.open(usable, "read", {
    signal,
    env,
    clock,
    pace: sharedPaces(connection, clock),
    readings: settings.readings,
    onRequest: settings.onRequest,
  });
  const readersOf = sharedReaders(() => openReaders(sessions), clock);
  const told = new Map<string, number>();
  let jobs = 0;

  /** Requests to a service that no result has told of. */
  function newReads(service: string): number {
    const all = sessions.get(service)?.requests.reads ?? 0;
    const before = told.get(service) ?? 0;
    told.set(service, all);
    return all - before;
  }

  async function carryOut(job: QueuedJob, service: Service): Promise<void> {
    const { redis } = connection;
    const run = Ask.safeParse(job.data).data?.run;
    // Nobody waits for a run that is over; and what a worker has done that died then is done.
    if (run !== undefined && (await redis.exists(keys.run(run))) === 0) return;
    const result = keys.result(job.queueName, job.id ?? "");
    if ((await redis.exists(result)) === 1) return;
    const isAgain = job.attemptsMade > 0;
    const seen = await answerJob(job.data, service.name, settings.kinds, readersOf(run ?? "", isAgain)).catch(
      (error) => {
        // What is no job now is none the next time.
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
  const gone = Promise.withResolvers<void>();
  const isBack = () => {
    lastTold = undefined;
  };
  connection.redis.on("ready", () => {
    // What Redis refuses with, it may refuse with again.
    if (lastTold?.isAnswer === false) isBack();
  });
  function tell(error: Error, queue: string): void {
    const trouble = troubleOf(error);
    const isJob = error instanceof SyntaxError;
    if (isJob) void dropUnreadable(queue).catch(() => {});
    // The other errors are about jobs that others have taken meanwhile.
    if (trouble.reason === "no connection" || trouble.reason === lastTold?.reason) return;
    lastTold = trouble;
    onTrouble(isJob ? noJob : troubled(place.shown, trouble));
    if (stopping.aborted) gone.resolve();
  }

  /** Removes what is no JSON: the queue fails before it is a job, and would for ever. If a run needs it, it is left again. */
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
    // A connection that is lost comes back, and the job is done again.
    worker.on("error", (error) => tell(error, name));
    worker.on("completed", isBack);
    return worker;
  });
  const forced = () => void Promise.all(workers.map((worker) => worker.close(true)));
  signal.addEventListener("abort", forced, { once: true });
  try {
    await Promise.all(workers.map((worker) => worker.waitUntilReady()));
    const names = usable.map(({ name }) => name);
    onStarted(names, without);
    await aborted(stopping);
    // A queue that cannot be used takes no results: it is not waited for.
    const isLost = lastTold !== undefined;
    await Promise.race([Promise.all(workers.map((worker) => worker.close(isLost))), aborted(signal), gone.promise]);
  } finally {
    signal.removeEventListener("abort", forced);
    await close();
    await connection.close();
  }
  return { jobs, reads: [...sessions.values()].reduce((sum, { requests }) => sum + requests.reads, 0) };
}

async function usableServices(services: readonly Service[], env: Environment) {
  const { credentialsFor } = await import("../../clients/credentials-for.ts");
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

/** Readers of a run, which its jobs share for a while: what many ask is read once. A job that failed gets new ones. */
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

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
