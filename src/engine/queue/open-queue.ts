import { randomUUID } from "node:crypto";
import type { PaceOf } from "../../clients/http/pace.ts";
import { ProblemError } from "../../core/problem.ts";
import type { ShardNumber } from "../../planner/parts/shards.ts";
import type { LookSettings } from "../observe/look.ts";
import type { ConnectionSettings } from "../sessions.ts";
import { connectQueue, queuePlace } from "./redis.ts";
import { openRun } from "./redis-board.ts";
import { sharedPaces } from "./redis-pace.ts";
import { spreadReading } from "./spread.ts";

/** Options for spreading the reading over workers. */
export interface QueueOptions {
  /** The URL of Redis; SETPOINT_QUEUE of the environment unless given. */
  readonly url?: string | undefined;
  /** The name of the run. Under the same name, it can be taken up again for a day. */
  readonly run?: string | undefined;
  /** Whether someone waits for the run, so that its jobs go before others. */
  readonly isUrgent?: boolean;
}

/** The queue of one run. */
export interface OpenQueue {
  /** The moment of the run; an earlier one if it is taken up again. */
  readonly now: Date;
  readonly paces: PaceOf;
  readonly spread: NonNullable<LookSettings["spread"]>;
  /** Closes the connection. If `isOver`, because the run has its report, the run is deleted. */
  close(isOver: boolean): Promise<void>;
}

interface QueueParts extends Required<Pick<ConnectionSettings, "env" | "clock" | "signal">> {
  readonly now: Date;
  /** Every shard is a run of its own. */
  readonly shard?: ShardNumber | undefined;
}

/** Connects to a queue and starts a run, or takes one up. Throws `ProblemError` SP5001, SP1015 and SP5008. */
export async function openQueue(
  { url, run: named, isUrgent = false }: QueueOptions,
  { env, clock, signal, now, shard }: QueueParts,
): Promise<OpenQueue> {
  if (named !== undefined && !/^[\w.-]{1,100}$/.test(named))
    throw new ProblemError({
      code: "SP5001",
      message: "The name of the run is not valid.",
      hint: "Expected letters, digits, dots, - and _, such as --run nightly-2027-01-13.",
    });
  const connection = await connectQueue(queuePlace(url, env), { env, signal });
  try {
    const isNamed = named !== undefined;
    const id = isNamed && shard !== undefined ? `${named} ${shard.index}/${shard.of}` : (named ?? randomUUID());
    const board = await openRun(connection, { id, isNamed, isUrgent, now });
    return {
      now: board.run.now,
      paces: sharedPaces(connection, clock),
      spread: (services, own) => spreadReading(board, board.run, services, own, { clock, signal }),
      async close(isOver) {
        // No one else needs the jobs of an unnamed run. Leftovers expire after a day, so a failure is not reported.
        if ((isOver || !isNamed) && connection.redis.status === "ready") await board.finish().catch(() => {});
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
