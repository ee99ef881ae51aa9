import { readFileSync } from "node:fs";
import { getCACertificates } from "node:tls";
import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import type { Environment } from "../../clients/credentials.ts";
import { ProblemError } from "../../core/problem.ts";
import type { QueuePlace } from "./place.ts";

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
  /** Whether the connection was lost since the last call. */
  wasLost(): boolean;
  /** What Redis answers. Rejects with `ProblemError` SP5008 if it does not. */
  asked<T>(answer: Promise<T>): Promise<T>;
  queue(name: string): Queue;
  close(): Promise<void>;
}

/** Milliseconds without a connection after which a run gives up. */
const patience = 60_000;
const longestPause = 2_000;

/**
 * Connects to Redis. Throws `ProblemError` SP5008 if it is not there, or without the packages. A connection that is lost
 * later comes back by itself; with `forever` however long it takes.
 */
export async function connectQueue(
  place: QueuePlace,
  { env, forever = false }: { readonly env: Environment; readonly forever?: boolean },
): Promise<QueueConnection> {
  const { Client, Jobs } = await packages();
  let lostAt: number | undefined;
  let isLost = false;
  let lastError = "no connection";
  const redis = new Client(place.url, {
    lazyConnect: true,
    // The blocking commands of workers wait for a connection however often it is tried.
    maxRetriesPerRequest: null,
    connectTimeout: 10_000,
    ...(place.url.startsWith("rediss:") && env.SETPOINT_CA_FILE !== undefined
      ? { tls: { ca: [...getCACertificates("default"), readFileSync(env.SETPOINT_CA_FILE, "utf8")] } }
      : {}),
    retryStrategy: (times) => {
      lostAt ??= Date.now();
      const isPatient = forever || Date.now() - lostAt < patience;
      return isPatient ? Math.min(longestPause, times * 100) : null;
    },
  });
  redis.on("error", (error: Error) => {
    lastError = reasonOf(error);
  });
  redis.on("close", () => {
    isLost = true;
  });
  redis.on("ready", () => {
    lostAt = undefined;
  });
  let wasThere = false;
  const failure = () =>
    new ProblemError({
      code: "SP5008",
      message: `The queue at ${place.shown} does not answer (${lastError}).`,
      hint: /^(NOAUTH|WRONGPASS|NOPERM)$/.test(lastError)
        ? "Set SETPOINT_QUEUE to its URL with user and password, and pass --queue without one."
        : `Check the URL, and that Redis runs.${wasThere ? " Run again with the same --run: what was read is not read again." : ""}`,
    });
  const asked = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      lastError = redis.status === "ready" && error instanceof Error ? reasonOf(error) : lastError;
      throw failure();
    }
  };
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    if (error instanceof Error && lastError === "no connection") lastError = reasonOf(error);
    redis.disconnect();
    throw failure();
  }
  isLost = false;
  wasThere = true;
  const queues = new Map<string, Queue>();
  return {
    redis,
    asked,
    wasLost() {
      const was = isLost;
      isLost = false;
      return was;
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

/** The packages that only a queue needs: whoever uses one installs them beside setpoint. */
export async function packages() {
  try {
    const [{ Queue: Jobs, Worker }, { Redis: Client }] = await Promise.all([import("bullmq"), import("ioredis")]);
    return { Jobs, Worker, Client };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    throw new ProblemError({
      code: "SP5008",
      message: "A queue needs the packages bullmq and ioredis, and they are not installed.",
      hint: "Install them beside setpoint: npm install bullmq ioredis.",
    });
  }
}

/** The code of an error, or the first word with which Redis refuses. Its other words may hold what was sent. */
function reasonOf(error: Error): string {
  if ("code" in error && typeof error.code === "string") return error.code;
  return /^[A-Z]{3,}/.exec(error.message)?.[0] ?? error.name;
}
