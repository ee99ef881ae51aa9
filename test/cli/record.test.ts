import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import type { Recorded } from "../../src/core/run/outcome.ts";
import { renderRecorded } from "../../src/reports/text/basis-text.ts";
import { openWorkspace, type Planned, type PlanOptions } from "../../src/setpoint.ts";
import { type Desk, lock, openDesk, temporaryFolder, workflows } from "../support/commands.ts";
import { commitAll, gitIn } from "../support/git.ts";

const applied = "refs/setpoint/applied";
const locks = lock("platform/core", "release-2.2") + lock("platform/core", "release-2.3");

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

test("a clone without the trees of older commits still reports the age of its base", async () => {
  await using desk = await openDesk(locks);
  for (const message of ["One", "Two"]) {
    await desk.write("notes.txt", message);
    commitAll(desk.path, message);
  }
  gitIn(desk.path, "config", "uploadpack.allowFilter", "true");
  await using folder = await temporaryFolder();
  const clone = join(folder.path, "clone");
  gitIn(folder.path, "clone", "--quiet", "--filter=tree:0", `file://${desk.path}`, clone);
  const planned = await openWorkspace({ path: clone, env: desk.env }).plan({ base: "HEAD" });
  expect(planned).toMatchObject({ is: "planned", plan: { basis: { relation: "before", commits: 0 } } });
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

test('"applied" is a word of setpoint\'s own: no branch or tag counts, and a clone without the ref says what to fetch', async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "One");
  gitIn(desk.path, "branch", "applied");
  gitIn(desk.path, "tag", "applied");
  expect(await problemsOf(desk, { base: "applied" })).toMatchObject([
    {
      code: "SP5002",
      message: "The clone has no refs/setpoint/applied.",
      hint: expect.stringContaining("git fetch origin refs/setpoint/applied:refs/setpoint/applied."),
    },
  ]);
});

test("a shallow clone says which fetch it needs", async () => {
  await using desk = await openDesk(locks);
  for (const message of ["One", "Two", "Three"]) commitAll(desk.path, message);
  gitIn(desk.path, "update-ref", applied, "HEAD~2");
  await using folder = await temporaryFolder();
  const clone = join(folder.path, "clone");
  gitIn(folder.path, "clone", "--quiet", "--depth", "1", `file://${desk.path}`, clone);
  const { env } = desk;
  const hintOf = async (base: string) => {
    const planned = await openWorkspace({ path: clone, env }).plan({ base });
    return planned.is === "wrong" ? planned.problems.map(({ hint }) => hint) : [];
  };
  const history = ["Fetch the history: git fetch --unshallow origin."];
  expect(await hintOf("HEAD~1")).toEqual(history);
  expect(await hintOf(gitIn(desk.path, "rev-parse", "HEAD~1").trim())).toEqual(history);
  expect(await hintOf("origin/other")).toEqual(["Fetch it: git fetch origin other:refs/remotes/origin/other."]);
  expect(await hintOf("applied")).toEqual([expect.stringContaining(`git fetch origin ${applied}:${applied}`)]);

  gitIn(clone, "fetch", "--quiet", "--depth", "1", "origin", `${applied}:${applied}`);
  const basis = async () => {
    const planned = await openWorkspace({ path: clone, env }).plan({ base: "applied" });
    return planned.is === "planned" ? planned.plan.basis : undefined;
  };
  expect(await basis()).toMatchObject({ relation: "unknown", commits: 0 });
  gitIn(clone, "fetch", "--quiet", "--unshallow", "origin");
  expect(await basis()).toMatchObject({ relation: "before", commits: 2, subjects: ["Three", "Two"] });
});

test("a ref that names an annotated tag is the base, and is moved on to a commit", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "One");
  gitIn(desk.path, "tag", "--annotate", "--message", "Applied", "one");
  gitIn(desk.path, "update-ref", applied, gitIn(desk.path, "rev-parse", "one").trim());
  expect((await planOf(desk, { base: "applied", record: applied })).plan.basis?.commit).toBe(head(desk));
  commitAll(desk.path, "Two");
  const { code, out } = await desk.run(["apply", "--base", "applied", "--record", "--yes"]);
  expect([code, refOf(desk)], out).toEqual([0, head(desk)]);
});

test("a shallow clone lists no commits since the base if a branch that was merged since may have begun before it", async () => {
  await using desk = await openDesk(locks);
  const git = (...args: readonly string[]) => gitIn(desk.path, ...args);
  commitAll(desk.path, "One");
  for (const round of ["Early", "Late"]) {
    git("checkout", "--quiet", "-B", "side");
    git("commit", "--quiet", "--allow-empty", "--message", `${round} on the side`);
    git("checkout", "--quiet", "main");
    git("commit", "--quiet", "--allow-empty", "--message", round);
    git("merge", "--quiet", "--no-edit", "side");
    if (round === "Early") {
      git("update-ref", applied, "HEAD");
      git("checkout", "--quiet", "side");
    }
  }
  await using folder = await temporaryFolder();
  const clone = join(folder.path, "clone");
  gitIn(folder.path, "clone", "--quiet", "--depth", "3", `file://${desk.path}`, clone);
  gitIn(clone, "fetch", "--quiet", "origin", `${applied}:${applied}`);
  const basis = async () => {
    const planned = await openWorkspace({ path: clone, env: desk.env }).plan({ base: "applied" });
    return planned.is === "planned" ? planned.plan.basis : undefined;
  };
  expect(await basis()).toMatchObject({ relation: "unknown", commits: 0 });
  gitIn(clone, "fetch", "--quiet", "--unshallow", "origin");
  const subjects = ["Merge branch 'side'", "Late", "Late on the side"];
  expect(await basis()).toMatchObject({ relation: "before", commits: 3, subjects: expect.arrayContaining(subjects) });
});

test("a base that is not an ancestor of the manifests' commit is reported as apart", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "One");
  commitAll(desk.path, "Two");
  gitIn(desk.path, "update-ref", applied, "HEAD");
  gitIn(desk.path, "reset", "--quiet", "--hard", "HEAD~1");
  expect((await planOf(desk, { base: "applied" })).plan.basis).toMatchObject({ relation: "apart", commits: 0 });
});

test("signatures of commits are not checked, which would run a program that the repository's configuration names", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "One");
  gitIn(desk.path, "update-ref", applied, "HEAD");
  await using folder = await temporaryFolder();
  await folder.write("gpg", `#!/bin/sh\necho checked; touch '${folder.path}/ran'\n`);
  await chmod(join(folder.path, "gpg"), 0o755);
  gitIn(desk.path, "config", "gpg.program", join(folder.path, "gpg"));
  gitIn(desk.path, "config", "log.showSignature", "true");
  const who = "a <a@example.com> 1700000000 +0000";
  const header = `tree ${gitIn(desk.path, "rev-parse", "HEAD^{tree}")}parent ${head(desk)}\nauthor ${who}\ncommitter ${who}\n`;
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n a\n -----END PGP SIGNATURE-----\n";
  await folder.write("commit", `${header}${signature}\nTwo\n`);
  const signed = gitIn(desk.path, "hash-object", "-t", "commit", "-w", join(folder.path, "commit")).trim();
  gitIn(desk.path, "update-ref", "HEAD", signed);
  expect((await planOf(desk, { base: "applied" })).plan.basis).toMatchObject({ commits: 1, subjects: ["Two"] });
  expect((await planOf(desk, { base: "HEAD" })).plan.basis).toMatchObject({ at: "2023-11-14T22:13:20.000Z" });
  expect(await readdir(folder.path)).not.toContain("ran");
});

async function planOf(desk: Desk, options: PlanOptions): Promise<Planned> {
  const planned = await desk.open().plan(options);
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  return planned;
}

async function problemsOf(desk: Desk, options: PlanOptions): Promise<ProblemError["problems"]> {
  const planned = await desk.open().plan(options);
  return planned.is === "wrong" ? planned.problems : [];
}

/** Applies everything and records it for the first time. */
async function applyRecording(desk: Desk): Promise<Recorded | undefined> {
  const workspace = desk.open();
  const planned = await planOf(desk, { record: applied });
  return workspace.record(planned, await workspace.apply(planned));
}

function head(desk: Desk): string {
  return gitIn(desk.path, "rev-parse", "HEAD").trim();
}

function refOf(desk: Desk): string {
  return gitIn(desk.path, "for-each-ref", "--format=%(objectname)", applied).trim();
}
