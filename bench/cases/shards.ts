import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Case } from "../harness/case.ts";
import { ratio } from "../harness/statistics.ts";

const program = join(import.meta.dirname, "../programs/shards.ts");

/** What `bench/programs/shards.ts <resources> <shards>` prints: times in milliseconds, memory in bytes. */
const Simulated = z.looseObject({ wall: z.number(), processor: z.number(), largest: z.int(), mean: z.number() });

/** Beyond one machine, without a machine. */
export const shards: Case = {
  name: "shards",
  title: "1,000,000 resources over 50 shards",
  how: "The planner alone plans every shard, one after the other, in a process for the largest of them; nothing is read and nothing is sent.",
  async prepare(context) {
    if (!existsSync(program)) return { is: "skipped", why: "this version does not split a plan into shards" };
    let balance: number | undefined;
    return {
      is: "ready",
      rounds: 1,
      sides: [
        {
          name: "all shards",
          async run() {
            const resources = context.isQuick ? 100_000 : 1_000_000;
            const command = [process.execPath, program, String(resources), "50"];
            const { stdout, memory } = await context.run({ command, cwd: context.folder, seconds: 300 });
            const { wall, processor, largest, mean } = Simulated.parse(JSON.parse(stdout));
            balance = ratio(largest, mean);
            return { wall, processor, memory };
          },
        },
      ],
      verdicts: (of) => [
        { what: "time", value: of("all shards", "wall"), unit: "milliseconds" },
        { what: "memory", value: of("all shards", "memory"), unit: "bytes" },
        { what: "the largest shard, of the mean", value: balance, unit: "times" },
      ],
    };
  },
};
