import { join } from "node:path";
import { z } from "zod";
import type { Case } from "../harness/case.ts";
import { ratio } from "../harness/statistics.ts";

const program = join(import.meta.dirname, "../programs/shards.ts");

/** What `bench/programs/shards.ts <resources> <shards>` prints: times in milliseconds, sizes of shards in resources. */
const Simulated = z.object({
  divide: z.number(),
  plan: z.number(),
  shardMegabytes: z.number(),
  largest: z.int(),
  mean: z.number(),
});

/** Beyond one machine, without a machine. */
export const shards: Case = {
  name: "shards",
  title: "1,000,000 resources over 50 shards",
  how: "The planner alone, in one process: all resources are divided into shards, as every shard's machine has to, and the largest shard is planned. Times are without the start of the process and without making what is declared; memory is that of the whole process, with all that is declared. Nothing is read and nothing is sent.",
  async prepare(context) {
    const resources = context.isQuick ? 100_000 : 1_000_000;
    let balance: number | undefined;
    let own: number | undefined;
    return {
      is: "ready",
      rounds: 1,
      sides: [
        {
          name: "dividing all and planning the largest",
          async run() {
            const command = [process.execPath, program, String(resources), "50"];
            const { stdout, memory } = await context.run({ command, cwd: context.folder });
            const { divide, plan, shardMegabytes, largest, mean } = Simulated.parse(JSON.parse(stdout));
            balance = ratio(largest, mean);
            own = shardMegabytes * 1e6;
            return { wall: divide + plan, memory };
          },
        },
      ],
      verdicts: (of) => [
        { what: "time", value: of("dividing all and planning the largest", "wall"), unit: "milliseconds" },
        { what: "memory", value: of("dividing all and planning the largest", "memory"), unit: "bytes" },
        { what: "memory, without what is declared", value: own, unit: "bytes" },
        { what: "the largest, of the mean", value: balance, unit: "times" },
      ],
    };
  },
};
