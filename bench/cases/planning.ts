import { join } from "node:path";
import { getHeapStatistics } from "node:v8";
import { z } from "zod";
import type { Case } from "../harness/case.ts";
import { shown } from "../harness/figures.ts";
import type { Sample } from "../harness/sample.ts";
import { ratio } from "../harness/statistics.ts";

const program = join(import.meta.dirname, "../programs/planning.ts");
const Planned = z.object({ decide: z.number(), plan: z.number(), processor: z.number() });

/** The planner alone. */
export const planning: Case = {
  name: "planning",
  title: "Planning in memory",
  how: "What was observed becomes a plan: no file is read and nothing is sent. Measured inside the process, without its start; memory is that of the whole process, with what was observed.",
  async prepare(context) {
    const scale = context.isQuick ? 10 : 1;
    const side = (name: string, count: number, percent: number, rounds: number) => ({
      name,
      rounds,
      async run(): Promise<Sample> {
        const command = [process.execPath, program, `${count / scale}`, `${percent}`];
        const { stdout, memory } = await context.run({ command, cwd: context.folder });
        const { decide, plan, processor } = Planned.parse(JSON.parse(stdout));
        return { wall: decide + plan, processor, memory };
      },
    });
    return {
      is: "ready",
      rounds: 3,
      note: `The heap has the limit that Node sets on this machine, ${shown(getHeapStatistics().heap_size_limit, "bytes")}.`,
      sides: [
        side("100,000 resources, 1 % changed", 100_000, 1, 3),
        side("100,000 resources, all changed", 100_000, 100, 3),
        side("1,000,000 resources, 1 % changed", 1_000_000, 1, 1),
        side("1,000,000 resources, all changed", 1_000_000, 100, 1),
      ],
      verdicts: (of) => [
        {
          what: "100,000, 1 % changed",
          value: of("100,000 resources, 1 % changed", "wall"),
          unit: "milliseconds",
          target: { is: "at most", value: 1500 },
        },
        {
          what: "100,000, all changed",
          value: of("100,000 resources, all changed", "wall"),
          unit: "milliseconds",
          target: { is: "at most", value: 4000 },
        },
        ...["1 % changed", "all changed"].map((share) => ({
          what: `1,000,000, ${share}, of 100,000`,
          value: ratio(of(`1,000,000 resources, ${share}`, "wall"), of(`100,000 resources, ${share}`, "wall")),
          unit: "times" as const,
          target: { is: "at most" as const, value: 12 },
        })),
      ],
    };
  },
};
