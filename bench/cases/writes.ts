import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "../harness/case.ts";
import { latency, shortestTime, timeVerdicts, undiciAlone } from "../harness/references.ts";
import { concurrency, used, workspaceFor } from "../harness/workspace.ts";

/** An apply that has everything to do. */
export const writes: Case = {
  name: "writes",
  title: `Apply of 1,000 resources, ${latency} ms an answer`,
  how: `\`apply\` of 1,000 \`ActionsPermission\` of which none is as desired: each is read, written and read again, ${concurrency} at once, and each write is in the journal on disk before it is sent; its outcome is written there too, and is on disk with the next entry that is not an outcome. Against the shortest time that so many answers can take, ${shortestTime(3000) / 1000} s (3,000 × ${latency} ms / ${concurrency}), and against as many requests sent by undici alone. Both without the start of a process: a plan of one resource, answered at once, is the start-up.`,
  async prepare(context) {
    const documents = context.isQuick ? 100 : 1000;
    const requests = 3 * documents;
    const service = await context.fake("bench/fake/hosting.ts", "--latency", `${latency}`);
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
        undiciAlone(context, service.url, requests),
        { name: "start-up", run: async () => used(await context.setpoint(["plan"], one)) },
      ],
      verdicts: (of) => [
        ...timeVerdicts(of, "setpoint apply", { requests, most: 1.2 }),
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
