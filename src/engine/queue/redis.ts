import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import type { Environment } from "../../clients/credentials/credentials.ts";
import { trustedCertificates } from "../../clients/http/connections/trusted-certificates.ts";
import { ProblemError } from "../../core/problem.ts";
import { hasUserInfo } from "../../core/text/url-secret.ts";
import { type Trouble, troubled, troubleOf, unfitness } from "./trouble.ts";

/** The URL of the queue, and how the URL is shown. */
export interface QueuePlace {
  readonly url: string;
  readonly shown: string;
}

const variable = "SETPOINT_QUEUE";

/**
 * Returns the place of the queue that the command line names, or else the environment. Throws `ProblemError`: SP5001 if it is not
 * a URL of Redis; SP1015 for a URL with a password on the command line, which every process of the machine can read.
 */
export function queuePlace(given: string | undefined, env: Environment): QueuePlace {
  const url = given ?? env[variable];
  if (url === undefined || url === "")
    throw new ProblemError({
      code: "SP5001",
      message: `--queue has no URL, and ${variable} is not set.`,
      hint: `Pass --queue redis://host:6379, or set ${variable}.`,
    });
  if (given !== undefined && hasUserInfo(given))
    throw new ProblemError({
      code: "SP1015",
      message: "The URL of the queue has a user or a password, and everyone on the machine can see the command line.",
      hint: `Set ${variable} to the URL in the environment, and pass --queue without one.`,
    });
  const parsed = URL.parse(url);
  // The client would take options such as a password from a query.
  const isPlain = parsed !== null && parsed.hostname !== "" && parsed.search === "" && parsed.hash === "";
  if (!isPlain || !/^rediss?:$/.test(parsed.protocol) || !/^(\/\d{0,4})?$/.test(parsed.pathname))
    throw new ProblemError({
      code: "SP5001",
      message: `${given === undefined ? variable : "--queue"} is not a Redis URL.`,
      hint: "Expected redis://host:port or rediss://host:port, optionally with the number of a database; @, : and / in a password must be written as %40, %3A and %2F.",
    });
  return { url, shown: `${parsed.protocol}//${parsed.host}${parsed.pathname}` };
}

/** The prefix of the keys of jobs, which are BullMQ's own. */
export const prefix = "setpoint";

/** Names of the keys other than those of jobs. */
export const keys = {
  run: (run: string) => `setpoint-run:${run}`,
  result: (queue: string, job: string) => `setpoint-result:${queue}:${job}`,
  pace: (digest: string) => `setpoint-pace:${digest}`,
} as const;

/** Seconds for which results and a named run are kept. */
export const timeToLive = 86_400;

/** A connection to Redis. */
export interface QueueConnection {
  readonly redis: Redis;
  /** Awaits an answer of Redis. Rejects with `ProblemError`: SP5008 if there is none, SP5003 after an interrupt without a connection. */
  asked<T>(answer: Promise<T>): Promise<T>;
  queue(name: string): Queue;
  close(): Promise<void>;
}

/** Milliseconds without a connection after which a run gives up. */
const patience = 60_000;
const longestPause = 2_000;

/**
 * Connects to Redis. Throws `ProblemError`: SP5008 if Redis cannot be reached, is unsuitable for a queue, or its packages are
 * missing; SP3106 for certificates that cannot be read; SP5003 if `signal` is aborted meanwhile. A connection that is lost later
 * is restored automatically; with `forever`, however long that takes.
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
    // The blocking commands of workers wait for a connection, regardless of the number of attempts.
    maxRetriesPerRequest: null,
    connectTimeout: 10_000,
    // Longer than a worker's blocking wait for a job.
    socketTimeout: 15_000,
    // The process would wait this long even if there is nothing to disconnect from.
    disconnectTimeout: 100,
    ...(place.url.startsWith("rediss:") && ca ? { tls: { ca: trustedCertificates(ca) } } : {}),
    // The server is no longer the primary; the address may lead to another server by now.
    reconnectOnError: ({ message }) => message.includes("READONLY"),
    retryStrategy: (times) => {
      lostAt ??= performance.now();
      const isPatient = forever || (!signal.aborted && performance.now() - lostAt < patience);
      return isPatient ? Math.min(longestPause, times * 1000) : null;
    },
  });
  redis.on("error", (error: Error) => {
    last = troubleOf(error);
  });
  redis.on("connect", () => {
    lostAt ??= performance.now();
    if (forever && isBegun) return;
    // A Redis that is loading a large file accepts connections but is not ready, and the client would wait forever.
    limit = setTimeout(
      () => {
        last = { reason: "not ready for a minute", isAnswer: true };
        redis.disconnect();
      },
      lostAt + patience - performance.now(),
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
  // An error counts even with a connection: if the database does not exist, Redis would use the first one.
  if (last !== undefined || redis.status !== "ready") {
    redis.disconnect();
    throw failure();
  }
  isBegun = true;
  const queues = new Map<string, Queue>();
  return {
    redis,
    async asked(answer) {
      const stopped = Promise.withResolvers<never>();
      // A worker has its own end.
      const end = () => {
        if (!forever && redis.status !== "ready") stopped.reject(interrupted());
      };
      if (signal.aborted) end();
      signal.addEventListener("abort", end);
      try {
        return await Promise.race([answer, stopped.promise]);
      } catch (error) {
        if (error instanceof ProblemError) throw error;
        if (redis.status === "ready" && error instanceof Error) last = troubleOf(error);
        throw failure(" What a run with --run has read is not read again.");
      } finally {
        signal.removeEventListener("abort", end);
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
  return new ProblemError({ code: "SP5003", message: "The run was interrupted before the queue answered." });
}

/** Loads the packages that only a queue needs. Users of a queue install them beside setpoint. Throws `ProblemError` SP5008. */
export async function packages() {
  try {
    const [{ Queue: Jobs, Worker, UnrecoverableError }, { Redis: Client }] = await Promise.all([
      import("bullmq"),
      import("ioredis"),
    ]);
    return { Jobs, Worker, UnrecoverableError, Client };
  } catch (error) {
    // In a script, such as the bundle, imports become `require`, which reports a missing package under another code.
    if (!(error instanceof Error && "code" in error && /^(ERR_)?MODULE_NOT_FOUND$/.test(`${error.code}`))) throw error;
    throw new ProblemError({
      code: "SP5008",
      message: "A queue needs the packages bullmq and ioredis, which are not installed.",
      hint: "Install them beside setpoint: npm install bullmq ioredis.",
    });
  }
}
