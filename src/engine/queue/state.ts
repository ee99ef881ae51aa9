import type { Environment } from "../../clients/credentials/credentials.ts";
import type { QueueState } from "../../core/run/queue-state.ts";
import { inOrder } from "../../core/text/words.ts";
import { isQueue, serviceOfQueue } from "./job.ts";
import { connectQueue, keys, prefix, queuePlace } from "./redis.ts";

/** Reads the state of the queue, by service. Throws `ProblemError` SP5001, SP1015, SP5003 and SP5008. */
export async function readQueueState(
  given: string | undefined,
  env: Environment,
  signal: AbortSignal,
): Promise<readonly QueueState[]> {
  const connection = await connectQueue(queuePlace(given, env), { env, signal });
  const { redis, asked } = connection;
  const named = async (pattern: string) => {
    const names: string[] = [];
    for await (const some of redis.scanStream({ match: pattern, count: 1000 })) names.push(...some.map(String));
    return names;
  };
  try {
    const found = (await asked(named(`${prefix}:*:meta`))).map((key) => key.slice(prefix.length + 1, -":meta".length));
    const names = found.filter(isQueue);
    const results = Map.groupBy(await asked(named(keys.result("*", "*"))), (key) => key.split(":")[1] ?? "");
    const states = names.sort(inOrder).map(async (name): Promise<QueueState> => {
      const queue = connection.queue(name);
      const counts = await asked(queue.getJobCounts("waiting", "prioritized", "delayed", "active", "failed"));
      const { waiting = 0, prioritized = 0, delayed = 0, active: underWay = 0, failed = 0 } = counts;
      return {
        service: serviceOfQueue(name),
        queue: name,
        workers: await asked(queue.getWorkersCount()),
        waiting: waiting + prioritized + delayed,
        underWay,
        done: results.get(name)?.length ?? 0,
        failed,
      };
    });
    return await Promise.all(states);
  } finally {
    await connection.close();
  }
}
