import { describe, expect, test } from "vitest";
import { branchLock } from "../../../src/reconcilers/review/branch-lock.ts";
import { openLab } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { accessOf, block, lock, registered } from "./branch-lock/locks.ts";

describe("BranchLock", () => {
  test("locks a branch: one read, one write, one read to verify, and a commit that says why", async () => {
    await using lab = await openLab();
    const report = await lab.apply(lock({ reason: "Frozen for 2.4 GA" }));
    expect(report.outcomes).toEqual([{ address: "review/BranchLock/platform/core:release-2.4", result: "applied" }]);
    expect(lab.asked()).toEqual(["getProjectAccess", "modifyProjectAccess", "getProjectAccess"]);
    expect(accessOf(lab.sandbox.state())).toMatchObject({
      "refs/heads/release-2.4": {
        ...{ submit: block(), push: block(), pushMerge: block() },
        ...{ create: block(), delete: block() },
      },
      "refs/for/refs/heads/release-2.4": { addPatchSet: block(), push: block(), pushMerge: block() },
    });
    expect(lab.sandbox.state().review.projects["platform/core"]?.commits).toMatchObject([
      { message: "Lock release-2.4: Frozen for 2.4 GA" },
    ]);
  });

  test("budget: ten locks on a project are one read and one commit of its configuration", async () => {
    await using lab = await openLab();
    const locks = Array.from({ length: 10 }, (_, n) => lock({ branch: `release-${n}` })).join("");
    const report = await lab.apply(locks);
    expect(report.outcomes.map(({ result }) => result)).toEqual(Array(10).fill("applied"));
    expect(lab.asked()).toEqual(["getProjectAccess", "modifyProjectAccess", "getProjectAccess"]);
    expect(lab.sandbox.state().review.projects["platform/core"]?.commits).toHaveLength(1);
  });

  test("budget: locks on several projects are read in one request", async () => {
    await using lab = await openLab();
    await lab.plan(lock({}) + lock({ project: "platform/ui" }) + lock({ project: "tools" }));
    expect(lab.asked()).toEqual(["listAccess"]);
  });

  test("budget: under wire: documented, each project is read separately", async () => {
    await using lab = await openLab({ wire: "documented" });
    await lab.plan(lock({}) + lock({ project: "platform/ui" }));
    expect(lab.asked()).toEqual(["getProjectAccess", "getProjectAccess"]);
  });

  test.each([
    ["fix(core", "^refs/heads/fix\\(core$"],
    ["{x}", "^refs/heads/\\{x\\}$"],
  ])("locks %s as an expression: the service refuses a name that is not also one", async (branch, ref) => {
    await using lab = await openLab();
    expect((await lab.apply(lock({ branch }))).outcomes).toMatchObject([{ result: "applied" }]);
    expect(accessOf(lab.sandbox.state())[ref]).toMatchObject({ push: block() });
    expect((await lab.plan(lock({ branch }))).changes).toEqual([]);
    await lab.apply(lock({ branch }, { state: "absent" }));
    expect(accessOf(lab.sandbox.state())[ref]).toBeUndefined();
  });

  test("unlocking leaves every other rule unchanged", async () => {
    await using lab = await openLab();
    const before = accessOf(lab.sandbox.state());
    await lab.apply(lock({}));
    await lab.apply(lock({}, { state: "absent" }));
    expect(accessOf(lab.sandbox.state())).toEqual(before);
  });

  test("unlocks what leaves the manifests if there is a base, and keeps it otherwise", async () => {
    await using lab = await openLab();
    await lab.apply(lock({}));
    const kept = await lab.plan("");
    expect(kept.changes).toEqual([]);
    const pruned = await lab.apply({ now: "", base: lock({}) });
    expect(pruned.outcomes.map(({ result }) => result)).toEqual(["applied"]);
    expect(accessOf(lab.sandbox.state())).not.toHaveProperty("refs/heads/release-2.4");
  });

  test("forces only push rules of the branch, and only if force has a meaning", async () => {
    await using lab = await openLab();
    await lab.apply(lock({ force: true }));
    expect(accessOf(lab.sandbox.state())).toMatchObject({
      "refs/heads/release-2.4": { submit: block(), push: block(true) },
      "refs/for/refs/heads/release-2.4": { push: block() },
    });
    expect((await lab.plan(lock({ force: true }))).changes).toEqual([]);
  });

  test("unblocks a permission removed from the manifest if the base shows that the lock had it", async () => {
    await using lab = await openLab();
    await lab.apply(lock({}));
    const smaller = lock({ permissions: ["submit", "push"] });
    expect((await lab.plan(smaller)).changes).toEqual([]);
    const plan = await lab.plan({ now: smaller, base: lock({}) });
    expect(plan.changes).toMatchObject([{ action: "update", verdict: "pending", risks: ["widens-access"] }]);
    await lab.apply({ now: smaller, base: lock({}) });
    expect(Object.keys(accessOf(lab.sandbox.state())["refs/heads/release-2.4"] ?? {}).sort()).toEqual([
      "push",
      "submit",
    ]);
  });

  test.each([
    [{ exclusive: false }, ["widens-access"], ["narrows-access"]],
    [{ force: true }, ["widens-access"], ["narrows-access"]],
    [{ exclusive: false, permissions: ["push", "submit", "rebase"] }, ["widens-access", "narrows-access"], undefined],
  ])("a plan says who may do more and who less if a lock becomes %j", async (changed, risks, back = risks) => {
    await using lab = await openLab();
    await lab.apply(lock({}));
    const there = lock({ ...changed });
    expect((await lab.plan({ now: there, base: lock({}) })).changes).toMatchObject([{ action: "update", risks }]);
    await lab.apply({ now: there, base: lock({}) });
    expect((await lab.plan({ now: lock({}), base: there })).changes).toMatchObject([{ action: "update", risks: back }]);
  });

  test("finds a group by name and locks out several groups", async () => {
    await using lab = await openLab();
    const spec = { groups: ["Release Managers", registered] };
    const report = await lab.apply(lock(spec));
    expect(report.outcomes.map(({ result }) => result)).toEqual(["applied"]);
    expect((await lab.plan(lock(spec))).changes).toEqual([]);
  });

  test("locks branches by a regular expression, and by names that only look like one", async () => {
    await using lab = await openLab();
    const names = ["^release-.*$", "feature/ü+(x)", "v1.0"];
    const locks = names.map((branch) => lock({ branch })).join("");
    const report = await lab.apply(locks);
    expect(report.outcomes.map(({ result }) => result)).toEqual(["applied", "applied", "applied"]);
    expect(Object.keys(accessOf(lab.sandbox.state()))).toEqual(
      expect.arrayContaining(["^refs/heads/release-.*$", "refs/heads/feature/ü+(x)", "refs/heads/v1.0"]),
    );
    expect((await lab.plan(locks)).changes).toEqual([]);
  });

  test("rules that the account may not see are unknown, not absent", async () => {
    await using lab = await openLab({ as: { username: "jdoe", secret: "jdoe-secret" } });
    const plan = await lab.plan(lock({}));
    expect(plan.unknown).toMatchObject([
      { problem: { code: "SP3004", hint: expect.stringContaining("refs/meta/config") } },
    ]);
    expect(plan.calls).toEqual([]);
  });

  test("a project that does not exist makes only its own lock unknown", async () => {
    await using lab = await openLab();
    const plan = await lab.plan(lock({}) + lock({ project: "nowhere" }));
    expect(plan.unknown.map(({ address, problem }) => [address, problem.code])).toEqual([
      ["review/BranchLock/nowhere:release-2.4", "SP3005"],
    ]);
    expect(plan.changes).toHaveLength(1);
  });

  test("a project that is hidden from the account makes only its own lock unknown", async () => {
    await using lab = await openLab({ as: { username: "auditor", secret: "auditor-secret" } });
    lab.sandbox.change(({ review }) => {
      const tools = review.projects.tools;
      if (tools !== undefined) tools.state = "HIDDEN";
    });
    const plan = await lab.plan(lock({}) + lock({ project: "tools" }) + lock({ project: "platform/ui" }));
    expect(plan.unknown).toMatchObject([
      { address: "review/BranchLock/tools:release-2.4", problem: { message: expect.stringContaining("HIDDEN") } },
    ]);
    expect(plan.changes).toHaveLength(2);
  });

  test("budget: a project that does not exist costs a list and a read, and the others no separate read", async () => {
    await using lab = await openLab();
    const projects = ["platform/core", "nowhere", "platform/ui", "no/where", "tools", "firmware/bootloader"];
    const plan = await lab.plan(projects.map((project) => lock({ project })).join(""));
    const alone = ["getProjectAccess", "getProjectAccess"];
    const asked = lab.asked().filter((operation) => operation !== "getServerVersion");
    expect(asked.toSorted()).toEqual([...alone, "listAccess", "listAccess", "listAccess"]);
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3005", "SP3005"]);
    expect(plan.changes).toHaveLength(4);
  });

  test("budget: ten locks of one project that does not exist are one read, and one that proves the service works", async () => {
    await using lab = await openLab();
    await lab.plan(Array.from({ length: 10 }, (_, n) => lock({ project: "nowhere", branch: `r${n}` })).join(""));
    expect(lab.asked()).toEqual(["getProjectAccess", "getServerVersion"]);
  });

  test("a service that takes access rules only through review needs a person to lock and unlock, but still moves changes", async () => {
    await using lab = await openLab();
    await lab.apply(lock({}));
    lab.sandbox.change(({ review }) => {
      review.requireChange = true;
    });
    const rule = { project: "platform/core", ref: "refs/heads/x", permission: "push", rules: [{ group: registered }] };
    const now = lock({ branch: "main" }) + document("AccessRule", rule);
    const { changes, calls } = await lab.plan({ now, base: lock({}) });
    expect(changes.map(({ action, instruction }) => [action, instruction])).toEqual(
      Array(3).fill(["check", expect.stringContaining("platform/core accepts access rules only through review")]),
    );
    expect(calls).toEqual([]);
    const both = await lab.plan(lock({ moveOpenChangesTo: "main", exclusive: false }));
    expect(both).toMatchObject({ changes: [{ action: "check" }], calls: [] });
    const moved = await lab.apply(lock({ moveOpenChangesTo: "main" }));
    expect(moved.plan.calls.map(({ operation }) => operation)).toEqual(["moveChange"]);
    expect(moved.outcomes).toMatchObject([{ result: "applied" }]);
  });

  test("a branch is a name, or a whole regular expression", () => {
    const branch = (name: string) => branchLock.spec.safeParse({ project: "p", branch: name }).success;
    expect(["main", "release-2.4", "^release-.*$", "^.*$"].filter(branch)).toHaveLength(4);
    const others = ["refs/heads/main", "^release-.*", "main$", "", "^[unclosed$", "a b", "^a b$"];
    expect(others.filter(branch)).toEqual([]);
  });

  // A live lock has each of them once, so a plan would never be empty.
  test("a permission and a group are named once", () => {
    const mistakes = (spec: object) =>
      branchLock.spec.safeParse({ project: "p", branch: "b", ...spec }).error?.issues.map(({ message }) => message);
    expect(mistakes({ permissions: ["push", "submit", "push"] })).toEqual(["expected each permission once"]);
    expect(mistakes({ groups: ["a", "a"] })).toEqual(["expected each group once"]);
    expect(mistakes({ permissions: ["push", "submit"], groups: ["a", "A"] })).toBeUndefined();
  });
});
