import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Case, Context, Medians, Side } from "../harness/case.ts";
import { ratio } from "../harness/statistics.ts";
import { used } from "../harness/workspace.ts";
import { ansible } from "../peers/ansible.ts";
import { openTofu } from "../peers/opentofu.ts";
import type { Peer } from "../peers/peer.ts";
import { pythonLoop } from "../peers/python.ts";
import { setpoint } from "../peers/setpoint.ts";

const tools = [setpoint, openTofu, pythonLoop, ansible];
const steps = ["plan", "apply", "second plan"] as const;

/** What a user would pick instead. */
export const sideBySide: Case = {
  name: "side-by-side",
  title: "Side by side: 1,000 repositories, 20 ms an answer",
  how: "The workflow permissions of 1,000 repositories, none of them as desired, 16 at once: a plan, an apply, and a plan when there is nothing left to do. Each tool has a service of its own. setpoint reads, writes and reads again; OpenTofu plans from its empty state without reading, then writes and reads again; the Python loop, as octoDNS does it, reads and writes; so does Ansible, with a process for each request, which is why it is given a twentieth of the repositories, once. Memory is that of the largest process.",
  async prepare(context) {
    const missing = tools.map((tool) => ({ tool, why: tool.whyMissing() }));
    const there = missing.filter(({ why }) => why === undefined).map(({ tool }) => tool);
    const sides = await Promise.all(there.map((tool) => sidesOf(context, tool)));
    const versions = await Promise.all(there.map((tool) => versionOf(context, tool)));
    return {
      is: "ready",
      note: `Versions: ${versions.join(", ")}.`,
      rounds: context.isQuick ? 1 : 3,
      // A step of every tool before the next step, so that they meet the same moments.
      sides: steps.flatMap((_, step) => sides.flatMap((ofTool) => ofTool.slice(step, step + 1))),
      verdicts: (of) =>
        there.some((tool) => tool === openTofu) ? steps.map((step) => comparison(of, step, openTofu)) : [],
      gaps: missing.flatMap(({ tool, why }) => (why === undefined ? [] : [{ what: tool.name, why }])),
    };
  },
};

async function versionOf(context: Context, tool: Peer): Promise<string> {
  const command = tool.version?.();
  if (command === undefined) return `${tool.name} as it is here`;
  const { stdout } = await context.run({ command, cwd: context.folder, env: { HOME: join(context.folder, "home") } });
  return stdout.split("\n", 1)[0] ?? tool.name;
}

/** The steps of a tool in their order. */
async function sidesOf(context: Context, tool: Peer): Promise<readonly Side[]> {
  const service = await context.fake("bench/fake/hosting.ts", "--latency", "20");
  const repositories = (context.isQuick ? 100 : 1000) * (tool.share ?? 1);
  const cwd = join(context.folder, tool.name.replaceAll(" ", "-"));
  mkdirSync(cwd);
  const ready = tool.prepare(context, { url: service.url, repositories, cwd });
  const name = tool.share === undefined ? tool.name : `${tool.name}, ${repositories} repositories`;
  const rounds = tool.rounds === undefined ? {} : { rounds: tool.rounds };
  return [
    {
      ...rounds,
      name: `${name}: plan`,
      async run() {
        ready.forget();
        await service.reset();
        return service.counted(async () => used(await ready.plan()));
      },
    },
    { ...rounds, name: `${name}: apply`, run: () => service.counted(async () => used(await ready.apply())) },
    { ...rounds, name: `${name}: second plan`, run: () => service.counted(async () => used(await ready.plan())) },
  ];
}

function comparison(of: Medians, step: string, tool: Peer) {
  return {
    what: `${step}, of the time of ${tool.name}`,
    value: ratio(of(`setpoint: ${step}`, "wall"), of(`${tool.name}: ${step}`, "wall")),
    unit: "times" as const,
  };
}
