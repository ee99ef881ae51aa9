import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { World } from "../../src/sandbox/world.ts";
import { openWorkspace } from "../../src/setpoint.ts";
import { ended, setpoint, start, temporaryFolder } from "../support/commands.ts";
import { noLocks } from "../support/no-locks.ts";
import { warmScript } from "../support/warm/warm.ts";

test("the tour prints each command before its output and ends in the same state as a single apply", async () => {
  await using folder = await temporaryFolder();
  const program = join(folder.path, "setpoint");
  await folder.write("setpoint", `#!/bin/sh\n${await warmScript()}\n`);
  await chmod(program, 0o755);
  const tour = start(["--keep", "--program", program], { main: "scripts/tour.ts" });
  onTestFinished(() => void tour.kill("SIGINT"));
  const lines: string[] = [];
  for await (const line of createInterface({ input: tour.stdout })) {
    lines.push(line);
    if (line.includes("/_sandbox/requests")) break;
  }
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(lines[0] ?? "")?.[0] ?? "";
  const state = World.parse(await (await fetch(`${url}/_sandbox/state`)).json());
  tour.kill("SIGINT");
  expect(await ended(tour)).toMatchObject({ code: 0, err: "" });

  expect(told(lines)).toEqual([
    ["$ setpoint validate --workspace examples/tour", "18 resources in 7 files, no errors."],
    ["$ setpoint plan --workspace examples/tour", "2 in sync   16 pending   0 drift   0 conflicts   0 unknown"],
    ["$ setpoint apply --workspace examples/tour --yes", "16 applied, 0 failed, 0 skipped."],
    ["$ setpoint plan --workspace examples/tour", "Everything is as desired: 18 resources, 14 reads."],
    ["$ curl -X POST /review/a/projects/platform%2Fui/access …", ""],
    ["$ curl -X PUT /wiki/rest/api/content/48213 …", ""],
    ["$ setpoint drift --workspace examples/tour", "16 in sync   0 pending   2 drift   0 conflicts   0 unknown"],
    ["$ setpoint apply --workspace examples/tour --yes", "2 applied, 0 failed, 0 skipped."],
    ["$ setpoint drift --workspace examples/tour", "Everything is as desired: 18 resources, 14 reads."],
  ]);
  // A # in front would turn what is to be pasted into comments.
  expect(lines.some((line) => /^ {2}export SETPOINT_WIKI_URL=/.test(line))).toBe(true);
  expect(lines.some((line) => /^ {2}npm run -s setpoint -- plan /.test(line))).toBe(true);
  expect(withoutHistory(state)).toEqual(withoutHistory(await afterOneApply()));
});

test("the sources run without a build", async () => {
  const { code, out } = await setpoint(["validate", "--workspace", "examples/tour"], { main: "src/cli/main.ts" });
  expect({ code, out }).toEqual({ code: 0, out: "18 resources in 7 files, no errors.\n" });
});

/** Each command that the tour prints, with the line after it that states its result. */
function told(lines: readonly string[]): readonly (readonly [string, string])[] {
  const starts = lines.flatMap((line, index) => (line.startsWith("$ ") ? [index] : []));
  return starts.map((start, index) => {
    const command = (lines[start] ?? "").replace(/ --var port=\d+|http:\/\/127\.0\.0\.1:\d+/g, "");
    const result = lines.slice(start + 1, starts[index + 1]).findLast((line) => results.test(line));
    return [command, result ?? ""];
  });
}

const results = /no errors|in sync|applied|as desired/;

async function afterOneApply(): Promise<World> {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const workspace = openWorkspace({
    path: "examples/tour",
    variables: { port: new URL(sandbox.url).port },
    env: environmentFor(sandbox.url),
    locks: noLocks,
    runs: {
      newest: () => undefined,
      past: () => [],
      open: () => ({ path: "memory", write: async () => {}, close: async () => {} }),
    },
  });
  const planned = await workspace.plan();
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  const { outcomes } = await workspace.apply(planned);
  expect(outcomes.filter(({ result }) => result !== "applied")).toEqual([]);
  return sandbox.state();
}

/** The state of the services without their history. */
function withoutHistory({ review, wiki, ...rest }: World): unknown {
  const current = (history: Readonly<Record<string, object>>, ...names: readonly string[]) =>
    Object.entries(history).map(([id, object]) => [
      id,
      Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))),
    ]);
  return {
    ...rest,
    groups: review.groups,
    projects: current(review.projects, "commits"),
    pages: current(wiki.pages, "versions"),
  };
}
