import type { Clock } from "../../src/clients/http/clock.ts";
import type { Service } from "../../src/core/service.ts";
import type { Job } from "../../src/engine/queue/job.ts";
import type { OpenQueue } from "../../src/engine/queue/open-queue.ts";
import { type Board, spreadReading } from "../../src/engine/queue/spread.ts";
import { answerJob } from "../../src/engine/queue/work.ts";
import { openReaders, openSessions } from "../../src/engine/sessions.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import type { OpenOptions } from "../../src/setpoint.ts";

/** A board in memory. */
export interface MemoryBoard extends Board {
  /** The jobs that were left on it, in order. */
  readonly put: Board["put"];
  readonly left: Job[];
  readonly kept: Map<string, string>;
}

/** Creates a board in memory. `answer` returns the result of a job as soon as it is left, or undefined for none. */
export function memoryBoard(
  answer: (job: Job) => Promise<string | undefined>,
  more: Partial<Pick<Board, "workers" | "givenUp">> = {},
): MemoryBoard {
  const left: Job[] = [];
  const kept = new Map<string, string>();
  return {
    left,
    kept,
    results: async (jobs) => new Map([...kept].filter(([id]) => jobs.some((job) => job.id === id))),
    async put(jobs) {
      for (const job of jobs) {
        left.push(job);
        kept.delete(job.id);
        const text = await answer(job);
        if (text !== undefined) kept.set(job.id, text);
      }
    },
    givenUp: async () => new Map(),
    workers: async () => 1,
    ...more,
  };
}

/** Creates a queue in memory. Its only worker has its own connections and receives its jobs as text. */
export function memoryQueue(clock: Clock): NonNullable<OpenOptions["openQueue"]> {
  return async (_options, { env, signal, now }): Promise<OpenQueue> => {
    let closing = async () => {};
    const worker = async (services: readonly Service[]) => {
      const { sessions, close } = await openSessions(services, "read", { env, signal, clock });
      closing = close;
      return openReaders(sessions);
    };
    return {
      now,
      paces: () => undefined,
      spread: (services, own) => {
        const readers = worker(services);
        const board = memoryBoard(async ({ ask, service }) =>
          JSON.stringify({ reads: 1, seen: await answerJob(throughText(ask), service, kinds, await readers) }),
        );
        return spreadReading(board, { id: "run", now }, services, own, { clock, signal });
      },
      close: () => closing(),
    };
  };
}

/** Returns what is left of a value after a round trip through JSON. */
function throughText(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
