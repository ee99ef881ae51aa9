import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readHistory } from "../../src/core/run/run-history.ts";
import { emptyPlan } from "../reports/fixture.ts";
import { type Desk, openDesk, workflows } from "../support/commands.ts";
import { commitAll, gitIn } from "../support/git.ts";
import { problemsOf } from "../support/lab.ts";

const night = (day: number) => () => new Date(`2027-01-0${day}T02:00:00.000Z`);
const ref = "refs/setpoint/history";
const run = { command: "drift", plan: { ...emptyPlan, inSync: ["a/B/c"] } } as const;

async function repositoryDesk(): Promise<Desk> {
  const desk = await openDesk(workflows("website", true));
  commitAll(desk.path, "All");
  return desk;
}

test("a folder has one file per command, with one line per run", async () => {
  await using desk = await openDesk(workflows("website", true));
  const folder = join(desk.path, "kept/history");
  const first = await desk
    .open({ now: night(1) })
    .history(folder)
    .add(run);
  const second = await desk
    .open({ now: night(2) })
    .history(folder)
    .add(run);
  expect([first, second].map(({ entries }) => entries.map(({ at }) => at.slice(0, 10)))).toEqual([
    ["2027-01-01"],
    ["2027-01-01", "2027-01-02"],
  ]);
  await desk
    .open()
    .history(folder)
    .add({ ...run, command: "plan" });
  expect(readdirSync(folder).sort()).toEqual(["drift.jsonl", "plan.jsonl"]);
  const text = readFileSync(join(folder, "drift.jsonl"), "utf8");
  expect(text.split("\n")).toHaveLength(3);
});

test("runs that end at the same time all add their line to a folder that is full; without locks, it is kept all the same", async () => {
  await using desk = await openDesk(workflows("website", true));
  const folder = join(desk.path, "history");
  await desk
    .open({ now: night(1) })
    .history(folder)
    .add(run);
  const path = join(folder, "drift.jsonl");
  const full = readFileSync(path, "utf8").repeat(400);
  for (const state of [join(desk.path, "state"), path]) {
    writeFileSync(path, full);
    await Promise.all(
      [2, 3, 4, 5].map((day) =>
        desk
          .open({ now: night(day), env: { XDG_STATE_HOME: state } })
          .history(folder)
          .add(run),
      ),
    );
    const days = readHistory(readFileSync(path, "utf8")).entries.map(({ at }) => at.slice(9, 10));
    expect(days).toHaveLength(400);
    if (state !== path) expect(days.slice(-5).sort()).toEqual(["1", "2", "3", "4", "5"]);
  }
});

test("damaged lines in a folder are reported and kept", async () => {
  await using desk = await openDesk(workflows("website", true));
  const folder = join(desk.path, "history");
  mkdirSync(folder);
  writeFileSync(join(folder, "drift.jsonl"), "torn");
  const kept = desk.open().history(folder);
  expect(await kept.add(run)).toMatchObject({ entries: [{}], problems: [{ code: "SP5007" }] });
  expect(await kept.read("drift")).toMatchObject({ entries: [{}], problems: [{ code: "SP5007" }] });
  expect(readFileSync(join(folder, "drift.jsonl"), "utf8")).toMatch(/^torn\n\{"version":1.*\}\n$/);
});

test("a folder that cannot be written is a problem", async () => {
  await using desk = await openDesk(workflows("website", true));
  const kept = desk.open().history(join(desk.path, "setpoint.yaml"));
  const message = expect.stringMatching(/setpoint\.yaml" cannot be kept: what should be a folder is a file\.$/);
  expect(await problemsOf(kept.add(run))).toMatchObject([{ code: "SP1017", message }]);
});

test("a git ref has one commit per run, and neither the checkout, the index nor any branch is touched", async () => {
  await using desk = await repositoryDesk();
  const before = [gitIn(desk.path, "status", "--porcelain"), gitIn(desk.path, "rev-parse", "HEAD")];
  await desk
    .open({ now: night(1) })
    .history(ref)
    .add(run);
  await desk
    .open({ now: night(2) })
    .history(ref)
    .add(run);
  await desk
    .open()
    .history(ref)
    .add({ ...run, command: "apply" });
  expect([gitIn(desk.path, "status", "--porcelain"), gitIn(desk.path, "rev-parse", "HEAD")]).toEqual(before);
  expect(gitIn(desk.path, "ls-tree", "--name-only", ref)).toBe("apply.jsonl\ndrift.jsonl\n");
  expect(gitIn(desk.path, "log", "--format=%an", ref)).toBe("setpoint\nsetpoint\nsetpoint\n");
  expect(readHistory(gitIn(desk.path, "show", `${ref}:drift.jsonl`)).entries).toHaveLength(2);
  expect(await desk.open().history(ref).read("drift")).toMatchObject({ entries: [{}, {}], problems: [] });
});

test("runs that end at the same time all add their line to a git ref", async () => {
  await using desk = await repositoryDesk();
  await Promise.all(
    [1, 2, 3].map((day) =>
      desk
        .open({ now: night(day) })
        .history(ref)
        .add(run),
    ),
  );
  const { entries } = await desk.open().history(ref).read("drift");
  expect(entries.map(({ at }) => at.slice(9, 10)).sort()).toEqual(["1", "2", "3"]);
});

test("a history is not kept in a branch, a tag or an incomplete ref", async () => {
  await using desk = await repositoryDesk();
  for (const place of ["refs/heads/main", "refs/tags/v1", "refs/x"])
    expect(await problemsOf(desk.open().history(place).add(run))).toMatchObject([{ code: "SP5002" }]);
});
