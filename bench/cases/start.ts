import { cpSync } from "node:fs";
import { basename, join } from "node:path";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import type { Case } from "../harness/case.ts";
import { ratio } from "../harness/statistics.ts";
import { used } from "../harness/workspace.ts";

const root = join(import.meta.dirname, "../..");

/** What a command costs before it does anything. */
export const start: Case = {
  name: "start",
  title: "Start-up",
  how: "Commands on the tour's manifests, and on the tour's sandbox in a process of its own, against `node -e 0`.",
  async prepare(context) {
    const tour = join(context.folder, "tour");
    // What runs of the tour have left in a checkout is read by a plan too.
    cpSync(join(root, "examples/tour"), tour, { recursive: true, filter: (path) => basename(path) !== ".setpoint" });
    const sandbox = await context.fake("bin/setpoint.js", "sandbox", "--json");
    const settings = { cwd: tour, env: environmentFor(sandbox.url) };
    const port = `port=${new URL(sandbox.url).port}`;
    const side = (name: string, ...args: readonly string[]) => ({
      name,
      run: async () => used(await context.setpoint(args, settings)),
    });
    const most = { "setpoint --version": 1.5, "setpoint validate": 5, "setpoint plan": 8 };
    return {
      is: "ready",
      rounds: context.isQuick ? 3 : 11,
      sides: [
        {
          name: "node -e 0",
          run: async () => used(await context.run({ command: [process.execPath, "-e", "0"], cwd: tour })),
        },
        side("setpoint --version", "--version"),
        side("setpoint validate", "validate", "--var", port),
        side("setpoint plan", "plan", "--var", port),
      ],
      verdicts: (of) =>
        Object.entries(most).map(([name, value]) => ({
          what: name,
          value: ratio(of(name, "wall"), of("node -e 0", "wall")),
          unit: "times",
          target: { is: "at most", value },
        })),
    };
  },
};
