import { expect, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import { linesOnSecrets } from "../../src/engine/journal/journal-file.ts";
import { renderPlan } from "../../src/reports/text/plan-text.ts";
import type { Planned, Wrong } from "../../src/setpoint.ts";
import { openDesk, workflows } from "../support/commands.ts";
import { commitAll, gitIn } from "../support/git.ts";

const run = "2027-01-13T180400Z-4f1c";

function planned(made: Planned | Wrong): Planned {
  if (made.is === "wrong") throw new ProblemError(...made.problems);
  return made;
}

test("a plan and an apply warn of a damaged journal, which might have recorded an undelivered secret", async () => {
  await using desk = await openDesk(workflows("website", false));
  const lines = [
    { event: "start", run, calls: 1 },
    { event: "end", outcomes: [] },
  ].map((one) => JSON.stringify(one));
  const workspace = desk.open();
  await desk.write(`.setpoint/runs/${run}.jsonl`, `${lines.join("\n")}\n{"event":`);
  // The partial last line of a killed run is not damage: nothing was sent after it.
  expect(planned(await workspace.plan()).plan.warnings).toBeUndefined();

  await desk.write(`.setpoint/runs/${run}.jsonl`, lines.join("\n{\n"));
  const warning = {
    code: "SP5007",
    message: expect.stringContaining(
      `The journal of the run ${run} is damaged, or was written by a newer setpoint, in line 2:`,
    ),
  };
  const made = planned(await workspace.plan());
  expect(made.plan.warnings).toMatchObject([warning]);
  const shown = renderPlan(made.plan, { width: 200, color: false, all: false });
  expect(shown).toMatch(/^SP5007 {2}The journal of the run/);

  // The plan can be applied on another machine, which has its own journals.
  const saved = await workspace.save(made);
  expect(saved.warnings).toBeUndefined();
  const resumed = planned(await workspace.resume(JSON.stringify(saved)));
  expect(resumed.plan.warnings).toMatchObject([warning]);
  expect((await workspace.apply(resumed)).plan.warnings).toMatchObject([warning]);
});

test("a journal that git tracks is not taken for one of this machine: a pull request could hide an undelivered secret", async () => {
  await using desk = await openDesk(workflows("website", false));
  await desk.write(`.setpoint/runs/${run}.jsonl`, `${JSON.stringify({ event: "start", run, calls: 1 })}\n`);
  commitAll(desk.path, "Manifests");
  expect(planned(await desk.open().plan()).plan.warnings).toBeUndefined();
  gitIn(desk.path, "add", "--force", ".setpoint");
  await expect(desk.open().plan()).rejects.toMatchObject({
    problems: [
      { code: "SP1017", message: expect.stringContaining("git tracks"), hint: expect.stringContaining("git rm") },
    ],
  });
  gitIn(desk.path, "rm", "-r", "--quiet", "--cached", ".setpoint");
  expect(planned(await desk.open().plan()).plan.warnings).toBeUndefined();
});

test("a plan reads the journals only once, since there can be many, and of each only what it says about secrets", async () => {
  await using desk = await openDesk(workflows("website", false));
  const readings: unknown[] = [];
  const past = (read: unknown) => {
    readings.push(read);
    return [];
  };
  const open = () => ({ path: "memory", write: async () => {}, close: async () => {} });
  planned(await desk.open({ runs: { newest: () => undefined, past, open } }).plan());
  expect(readings).toEqual([linesOnSecrets]);
});
