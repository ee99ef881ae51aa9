import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProblemError } from "../../../src/core/problem.ts";
import type { Recorded } from "../../../src/core/run/outcome.ts";
import { renderRecorded } from "../../../src/reports/text/basis-text.ts";
import { type Desk, lock, openDesk, workflows } from "../../support/commands.ts";
import { commitAll, gitIn } from "../../support/git.ts";
import { applied, head, locks, planOf, problemsOf, refOf } from "./applied.ts";

test("a ref moves with every complete apply, and tells the next plan what left the manifests", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "Lock two branches");
  expect(await applyRecording(desk)).toEqual({ ref: applied, commit: head(desk), moved: true });
  expect(refOf(desk)).toBe(head(desk));

  // Two commits, of which the first is never applied: HEAD~1 would not know the lock that it removed.
  await desk.write("manifests/all.yaml", lock("platform/core", "release-2.3"));
  commitAll(desk.path, "Unlock release-2.2");
  await desk.write("notes/all.txt", "not a manifest\n");
  commitAll(desk.path, "Take\u001b[31m notes");
  const before = refOf(desk);
  const planned = await planOf(desk, { base: "applied" });
  expect(planned.plan.changes).toMatchObject([{ action: "delete", key: "platform/core:release-2.2" }]);
  expect(planned.plan.basis).toEqual({
    ref: applied,
    commit: before,
    at: expect.stringMatching(/^20\d\d-/),
    age: expect.stringMatching(/minute/),
    relation: "before",
    commits: 2,
    subjects: ["Take\u001b[31m notes", "Unlock release-2.2"],
  });

  const { code, out } = await desk.run(["apply", "--base", "applied", "--record", "--yes"]);
  expect(out).toMatch(
    /^Base: refs\/setpoint\/applied, [0-9a-f]{10}, \d+ minutes? old\. 2 commits since:\n {2}Take.*notes\n {2}Unlock release-2\.2\n\n/,
  );
  expect(out).not.toContain("\u001b");
  expect(out).toContain(`${applied} now names ${head(desk).slice(0, 10)}: everything is applied.\n`);
  expect(code).toBe(0);
  expect(refOf(desk)).toBe(head(desk));
});

test("a saved plan is recorded like any other: if complete, and from the base that it was compared with", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "One");
  await applyRecording(desk);
  await desk.write("manifests/all.yaml", lock("platform/core", "release-2.3") + lock("platform/ui", "release-2.4"));
  commitAll(desk.path, "Two");
  const workspace = desk.open();
  const plan = await workspace.save(await planOf(desk, { base: "applied" }));
  const resumed = async (record: string) => {
    const planned = await desk.open().resume(JSON.stringify(plan), { record });
    if (planned.is === "wrong") throw new ProblemError(...planned.problems);
    return planned;
  };

  const moved = gitIn(desk.path, "commit-tree", "-m", "Other", "HEAD^{tree}").trim();
  gitIn(desk.path, "update-ref", "refs/setpoint/other", moved);
  await expect(resumed("refs/setpoint/other")).rejects.toThrow(
    "what has left the manifests since would never be deleted",
  );
  const before = desk.sandbox.state().review;
  desk.sandbox.change(({ review }) => {
    const core = review.projects["platform/core"];
    if (core !== undefined) core.access = {};
  });
  const stale = await resumed(applied);
  expect(stale.withheld?.size).toBeGreaterThan(0);
  expect(await workspace.record(stale, await workspace.apply(stale))).toMatchObject({ moved: false });
  desk.sandbox.change((world) => {
    world.review = before;
  });

  await desk.write("plan.json", JSON.stringify(plan));
  const { code, out } = await desk.run(["apply", "plan.json", "--record"]);
  expect(out).toContain(`${applied} now names ${head(desk).slice(0, 10)}: everything is applied.\n`);
  expect([code, refOf(desk)]).toEqual([0, head(desk)]);
  // A job that runs again has nothing left to do.
  const again = await desk.run(["apply", "plan.json", "--record"]);
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining("Everything is as desired") });
  expect(refOf(desk)).toBe(head(desk));
  // A newer record is not an error: the plan is out of date, and a pipeline makes a new one.
  gitIn(desk.path, "update-ref", applied, moved);
  const newer = await desk.run(["apply", "plan.json", "--record"]);
  expect(newer).toMatchObject({
    code: 4,
    out: expect.stringContaining("SP2004  plan.json: Another apply was recorded since"),
  });
});

test("an apply with nothing to do is complete, and is recorded", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "One");
  await applyRecording(desk);
  await desk.write("manifests/all.yaml", `# the same\n${locks}`);
  commitAll(desk.path, "Two");
  const { code, out } = await desk.run(["apply", "--base", "applied", "--record", "--yes"]);
  expect(out).toContain(`${applied} now names ${head(desk).slice(0, 10)}:`);
  expect([code, refOf(desk)]).toEqual([0, head(desk)]);
});

test("an apply that is not complete leaves the ref where it was", async () => {
  await using desk = await openDesk(locks + workflows("website", false));
  commitAll(desk.path, "One");
  const workspace = desk.open();
  const planned = await planOf(desk, { record: applied });
  const report = await workspace.apply(planned);
  const [first, ...others] = report.outcomes;
  if (first === undefined) throw new Error("Nothing was applied.");
  for (const result of ["failed", "skipped", "stale", "unknown"] as const) {
    const recorded = await workspace.record(planned, { ...report, outcomes: [{ ...first, result }, ...others] });
    expect(recorded).toEqual({ ref: applied, commit: head(desk), moved: false });
  }
  expect(await workspace.record(planned, { ...report, outcomes: others })).toMatchObject({ moved: false });
  const unmoved = await workspace.record(planned);
  expect(unmoved).toMatchObject({ moved: false });
  expect(unmoved && renderRecorded(unmoved, { width: 100, color: false })).toBe(
    `${applied} was not moved: the apply was not complete.`,
  );
  const [{ address = "", service = "" } = {}] = planned.plan.changes;
  const unknown = [{ address, service, problem: { code: "SP3009", message: "It failed." } as const }];
  const incomplete = { ...planned, plan: { ...planned.plan, unknown } };
  expect(await workspace.record(incomplete, report)).toMatchObject({ moved: false });
  expect(refOf(desk)).toBe("");
  expect(await workspace.record(planned, report)).toMatchObject({ moved: true });
});

test("the second of two applies planned concurrently does not move the ref that the first has moved", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "One");
  const workspace = desk.open();
  const early = await planOf(desk, { record: applied });
  const report = await workspace.apply(early);
  commitAll(desk.path, "Two");
  const late = await planOf(desk, { record: applied });
  expect(await workspace.record(late)).toMatchObject({ moved: true, commit: head(desk) });
  expect(await workspace.record(early, report)).toMatchObject({
    moved: false,
    problem: { code: "SP5002", message: expect.stringContaining("was moved to") },
  });
  expect(refOf(desk)).toBe(head(desk));
});

test("two concurrent applies of one commit both record it", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "One");
  const workspace = desk.open();
  const early = await planOf(desk, { record: applied });
  const late = await planOf(desk, { record: applied });
  const report = await workspace.apply(early);
  for (const one of [early, late])
    expect(await workspace.record(one, report)).toEqual({ ref: applied, commit: head(desk), moved: true });
  expect(refOf(desk)).toBe(head(desk));
});

test("if git cannot move a ref, the problem gives git's reason", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "One");
  const planned = await planOf(desk, { record: applied });
  const report = await desk.open().apply(planned);
  await desk.write(".git/refs/setpoint/applied.lock", "");
  expect(await desk.open().record(planned, report)).toMatchObject({
    moved: false,
    problem: { code: "SP5002", message: expect.stringContaining("applied.lock") },
  });
});

test("what is not in the commit cannot be recorded: changed, new or removed files, or files named by an option", async () => {
  await using desk = await openDesk(locks);
  await desk.write("manifests/more.yaml", workflows("website", false));
  await desk.write("values.yaml", "a: b\n");
  commitAll(desk.path, "One");
  const file = join(desk.path, "manifests/more.yaml");
  const text = await readFile(file, "utf8");
  const mistake = async () => {
    const planned = await desk.open({ values: ["values.yaml"] }).plan({ record: applied });
    if (planned.is === "planned") return undefined;
    expect(planned.problems.map(({ code }) => code)).toEqual(["SP5002"]);
    return planned.problems[0]?.message.replace(/.*recorded: /, "");
  };
  expect(await mistake()).toBeUndefined();
  await writeFile(file, `${text}# changed\n`);
  expect(await mistake()).toBe("manifests/more.yaml.");
  await rm(file);
  expect(await mistake()).toBe("manifests/more.yaml.");
  await writeFile(file, text);
  await desk.write("manifests/new.yaml", "# new\n");
  expect(await mistake()).toBe("manifests/new.yaml.");
  await rm(join(desk.path, "manifests/new.yaml"));
  await desk.write("values.yaml", "a: c\n");
  expect(await mistake()).toBe("values.yaml.");
  await desk.write("values.yaml", "a: b\n");
  // Files that contribute nothing to the apply can differ.
  await desk.write("notes.txt", "notes\n");
  await desk.write("manifests/notes.yml", "to: do\n");
  expect(await mistake()).toBeUndefined();
  expect(desk.sandbox.requests().filter(({ method }) => method !== "GET")).toEqual([]);
});

test("a run of only some manifests is not recorded, nor is one compared with another base", async () => {
  await using desk = await openDesk(lock("platform/core", "release-2.2", "metadata: { labels: { a: b } }\n"));
  commitAll(desk.path, "One");
  for (const narrowed of [
    { service: ["review"] },
    { kind: ["BranchLock"] },
    { only: ["review/*"] },
    { label: ["a=b"] },
  ])
    expect(await problemsOf(desk, { record: applied, ...narrowed })).toContainEqual(
      expect.objectContaining({ code: "SP5001" }),
    );
  for (const record of ["applied", "main", "refs/x", "refs/heads/a b", "--all", "refs/heads/main"])
    expect(await problemsOf(desk, { record }), record).toMatchObject([{ code: "SP5002" }]);
  await applyRecording(desk);
  commitAll(desk.path, "Two");
  const message = expect.stringContaining("what has left the manifests since would never be deleted");
  for (const base of [undefined, "HEAD"])
    expect(await problemsOf(desk, { record: applied, base })).toMatchObject([{ message, hint: "Add --base applied." }]);
  expect((await planOf(desk, { record: applied, base: "applied" })).recording?.ref).toBe(applied);
});

/** Applies everything and records it for the first time. */
async function applyRecording(desk: Desk): Promise<Recorded | undefined> {
  const workspace = desk.open();
  const planned = await planOf(desk, { record: applied });
  return workspace.record(planned, await workspace.apply(planned));
}
