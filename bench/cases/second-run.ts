import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "../harness/case.ts";
import { minus, ratio } from "../harness/statistics.ts";
import { used, workspaceFor } from "../harness/workspace.ts";

/** The same plan again where the service has entity tags. */
export const secondRun: Case = {
  name: "second-run",
  title: "The same plan again",
  how: "`plan` of 1,000 `ActionsPermission` twice, each in a process of its own, where the service answers with entity tags, 20 ms an answer. An answer of 304 costs nothing of the quota.",
  async prepare(context) {
    const documents = context.isQuick ? 100 : 1000;
    const service = await context.fake("bench/fake/hosting.ts", "--latency", "20", "--etags");
    const workspace = workspaceFor(context, { url: service.url, documents });
    const plan = () => service.counted(async () => used(await context.setpoint(["plan"], workspace)));
    return {
      is: "ready",
      rounds: context.isQuick ? 2 : 3,
      sides: [
        {
          name: "first plan",
          run() {
            // Readings are kept below the home folder or beside the workspace.
            for (const kept of [join(context.folder, "home"), join(workspace.cwd, ".setpoint")])
              rmSync(kept, { recursive: true, force: true });
            mkdirSync(join(context.folder, "home"));
            return plan();
          },
        },
        { name: "second plan", run: plan },
      ],
      verdicts: (of) => [
        {
          what: "answers other than 304",
          value: minus(of("second plan", "requests"), of("second plan", "notModified")),
          unit: "count",
          target: { is: "at most", value: 0 },
        },
        {
          what: "used of the quota",
          value: of("second plan", "quota"),
          unit: "count",
          target: { is: "at most", value: 0 },
        },
        {
          what: "time, of the first plan's",
          value: ratio(of("second plan", "wall"), of("first plan", "wall")),
          unit: "times",
        },
      ],
    };
  },
};
