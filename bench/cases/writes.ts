import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "../harness/case.ts";
import { limitOf } from "../harness/references.ts";
import { minus, ratio } from "../harness/statistics.ts";
import { concurrency, used, workspaceFor } from "../harness/workspace.ts";

/** An apply that has everything to do. */
export const writes: Case = {
  name: "writes",
  title: "Apply of 1,000 resources, 20 ms an answer",
  how: `\`apply\` of 1,000 \`ActionsPermission\` of which none is as desired: each is read, written and read again, ${concurrency} at once, and the journal is on disk before and after each write. Against as many requests sent by undici alone. A plan of one resource, answered at once, is the start-up.`,
  async prepare(context) {
    const documents = context.isQuick ? 100 : 1000;
    const service = await context.fake("bench/fake/hosting.ts", "--latency", "20");
    const quick = await context.fake("bench/fake/hosting.ts");
    const all = workspaceFor(context, { url: service.url, documents });
    const one = workspaceFor(context, { url: quick.url, documents: 1 });
    return {
      is: "ready",
      rounds: context.isQuick ? 2 : 3,
      sides: [
        {
          name: "setpoint apply",
          async run() {
            await service.reset();
            rmSync(join(all.cwd, ".setpoint"), { recursive: true, force: true });
            return service.counted(async () => used(await context.setpoint(["apply", "--yes"], all)));
          },
        },
        limitOf(context, service.url, 3 * documents),
        { name: "start-up", run: async () => used(await context.setpoint(["plan"], one)) },
      ],
      verdicts: (of) => [
        {
          what: "time less start-up, of the limit",
          value: ratio(minus(of("setpoint apply", "wall"), of("start-up", "wall")), of("undici alone", "wall")),
          unit: "times",
          target: { is: "at most", value: 1.2 },
        },
        {
          what: "memory",
          value: of("setpoint apply", "memory"),
          unit: "bytes",
          target: { is: "at most", value: 150e6 },
        },
        { what: "requests", value: of("setpoint apply", "requests"), unit: "count" },
      ],
    };
  },
};
