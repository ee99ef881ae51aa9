import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import type { Environment } from "../../clients/credentials.ts";
import { trustedCertificates } from "../../clients/http/trusted-certificates.ts";
import { ProblemError } from "../../core/problem.ts";
import type { QueuePlace } from "./place.ts";
import { type Trouble, troubled, troubleOf, unfitness } from "./trouble.ts";

/** What the keys of the jobs begin with; BullMQ's own. */
export const prefix = "setpoint";

/** Names of keys beside the jobs. */
export const keys = {
  run: (run: string) => `setpoint-run:${run}`,
  result: (queue: string, job: string) => `setpoint-result:${queue}:${job}`,
  pace: (digest: string) => `setpoint-pace:${digest}`,
} as const;

/** Seconds that results and a named run are kept. */
export const timeToLive = 86_400;

/** A connection to Redis. */
export interface QueueConnection {
  readonly redis: Redis;
  /** What Redis answers. Rejects with `ProblemError` SP5008 if it does not. */
  asked<T>(answer: Promise<T>): Promise<T>;
  queue(name: string): Queue;
  close(): Promise<void>;
}

/** Milliseconds without a connection after which a run gives up. */
const patience = 60_000;
const longestPause = 2_000;

/**
 * Connects to Redis. Throws `ProblemError`: SP5008 if it is not there or no server for a queue, or without the packages; SP3106
 * for certificates that cannot be read; SP5003 if `signal` says so meanwhile. A connection that is lost later comes back by itself; with `forever` however long it takes.
 */
export async function connectQueue(
  place: QueuePlace,
  {
    env,
    signal,
    forever = false,
  }: { readonly env: Environment; readonly signal: AbortSignal; readonly forever?: boolean },
): Promise<QueueConnection> {
  const { Client, Jobs } = await packages();
  let lostAt: number | undefined;
  let last: Trouble | undefined;
  let isBegun = false;
  let limit: NodeJS.Timeout | undefined;
  const ca = env.SETPOINT_CA_FILE;
  const redis = new Client(place.url, {
    lazyConnect: true,
    // The blocking commands of workers wait for a connection however often it is tried.
    maxRetriesPerRequest: null,
    connectTimeout: 10_000,
    // Longer than workers wait for a job at a time.
    socketTimeout: 15_000,
    // The process would wait for it, also if there is nothing to disconnect from.
    disconnectTimeout: 100,
    ...(place.url.startsWith("rediss:") && ca !== undefined ? { tls: { ca: trustedCertificates(ca) } } : {}),
    // It was the primary: by now the address may be that of another one.
    reconnectOnError: ({ message }) => message.includes("READONLY"),
    retryStrategy: (times) => {
      lostAt ??= Date.now();
      const isPatient = forever || Date.now() - lostAt < patience;
      return isPatient ? Math.min(longestPause, times * 1000) : null;
    },
  });
  redis.on("error", (error: Error) => {
    last = troubleOf(error);
  });
  redis.on("connect", () => {
    lostAt ??= Date.now();
    if (forever && isBegun) return;
    // One that loads a large file is connected to and not ready, and the client would wait for it without end.
    limit = setTimeout(
      () => {
        last = { reason: "not ready for a minute", isAnswer: true };
        redis.disconnect();
      },
      lostAt + patience - Date.now(),
    );
  });
  redis.on("close", () => clearTimeout(limit));
  redis.on("ready", () => {
    clearTimeout(limit);
    lostAt = undefined;
  });
  const failure = (hint = "") => {
    const problem = troubled(place.shown, last ?? { reason: "no connection", isAnswer: false });
    return new ProblemError({ ...problem, hint: problem.hint + hint });
  };
  if (signal.aborted) throw interrupted();
  const stop = () => redis.disconnect();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await redis.connect();
    const reason = unfitness(await redis.info());
    if (reason !== undefined) last = { reason, isAnswer: true };
  } catch (error) {
    if (error instanceof Error) last ??= troubleOf(error);
  } finally {
    signal.removeEventListener("abort", stop);
  }
  if (signal.aborted) {
    redis.disconnect();
    throw interrupted();
  }
  // An error beside a connection is one too: without its database, Redis would take the first one.
  if (last !== undefined || redis.status !== "ready") {
    redis.disconnect();
    throw failure();
  }
  isBegun = true;
  const queues = new Map<string, Queue>();
  return {
    redis,
    async asked(answer) {
      try {
        return await answer;
      } catch (error) {
        if (error instanceof ProblemError) throw error;
        if (redis.status === "ready" && error instanceof Error) last = troubleOf(error);
        throw failure(" What a run with --run has read is not read again.");
      }
    },
    queue(name) {
      const open = queues.get(name) ?? new Jobs(name, { connection: redis, prefix });
      if (!queues.has(name)) open.on("error", () => {});
      queues.set(name, open);
      return open;
    },
    async close() {
      for (const queue of queues.values()) await queue.close().catch(() => {});
      if (redis.status === "ready") await redis.quit().catch(() => {});
      redis.disconnect();
    },
  };
}

function interrupted(): ProblemError {
  return new ProblemError({ code: "SP5003", message: "The run was interrupted before the queue was ready." });
}

/** The packages that only a queue needs: whoever uses one installs them beside setpoint. */
export async function packages() {
  try {
    const [{ Queue: Jobs, Worker, UnrecoverableError }, { Redis: Client }] = await Promise.all([
      import("bullmq"),
      import("ioredis"),
    ]);
    return { Jobs, Worker, UnrecoverableError, Client };
  } catch (error) {
    // A script, as the bundle has, requires what a module imports, and lacks it under another code.
    if (!(error instanceof Error && "code" in error && /^(ERR_)?MODULE_NOT_FOUND$/.test(`${error.code}`))) throw error;
    throw new ProblemError({
      code: "SP5008",
      message: "A queue needs the packages bullmq and ioredis, and they are not installed.",
      hint: "Install them beside setpoint: npm install bullmq ioredis.",
    });
  }
}
