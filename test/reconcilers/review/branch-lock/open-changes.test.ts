import { describe, expect, test } from "vitest";
import { readerOf } from "../../../../src/clients/connect.ts";
import { reviewService } from "../../../../src/clients/review/service.ts";
import { ProblemError } from "../../../../src/core/problem.ts";
import { branchLock } from "../../../../src/reconcilers/review/branch-lock.ts";
import { BranchLock } from "../../../../src/reconcilers/review/shared/lock.ts";
import { ReviewChange } from "../../../../src/sandbox/review/change-state.ts";
import { type Lab, openLab, problemsOf } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";

const moving = { project: "platform/core", branch: "release-2.4", moveOpenChangesTo: "main" };
const address = "review/BranchLock/platform/core:release-2.4";

const lock = (spec: Readonly<Record<string, unknown>> = {}) => document("BranchLock", { ...moving, ...spec });

/** Adds changes, open unless stated otherwise, in the order of their numbers. */
function upload(lab: Lab, changes: readonly (Partial<ReviewChange> & { readonly number: number })[]) {
  lab.sandbox.change((world) => {
    const uploaded = changes.map((change) => ({
      project: "platform/core",
      branch: "release-2.4",
      changeId: `I${String(change.number).padStart(40, "0")}`,
      subject: "A change",
      owner: "jdoe",
      created: "2026-10-01T08:00:00Z",
      updated: "2026-10-01T08:00:00Z",
      revisions: [{ created: "2026-10-01T08:00:00Z" }],
      ...change,
    }));
    world.review.changes.push(...uploaded.map((change) => ReviewChange.parse(change)));
  });
}

function branchOf({ sandbox }: Lab, number: number) {
  return sandbox.state().review.changes.find((change) => change.number === number)?.branch;
}

const results = (report: Awaited<ReturnType<Lab["apply"]>>) => report.outcomes.map(({ result }) => result);

/** A reader of a project without rules, and of the given changes. */
function readerWith(queryChanges: () => unknown) {
  const getProjectAccess = () => ({ is_owner: true, config_visible: true, local: {}, groups: {} });
  const answers: Readonly<Record<string, () => unknown>> = { getProjectAccess, queryChanges };
  return readerOf(async (operation) => answers[operation]?.(), { wire: "product" }, reviewService);
}

describe("a lock that moves open changes", () => {
  test("finds them with one query, and moves each with its own call after the lock", async () => {
    await using lab = await openLab();
    upload(lab, [{ number: 400 }, { number: 401, status: "MERGED" }, { number: 402, status: "ABANDONED" }]);
    const report = await lab.apply(lock());
    expect(report.plan.calls.map(({ operation, args }) => ({ operation, change: args.changeNumber }))).toEqual([
      { operation: "modifyProjectAccess" },
      { operation: "moveChange", change: 304 },
      { operation: "moveChange", change: 400 },
    ]);
    expect(report.plan.changes).toMatchObject([
      { action: "create", risks: ["narrows-access", "irreversible"], note: "2 open changes: 304, 400" },
    ]);
    expect(report.outcomes).toEqual([{ address, result: "applied" }]);
    expect(lab.asked()).toEqual([
      ...["getProjectAccess", "queryChanges", "getBranch", "modifyProjectAccess", "moveChange", "moveChange"],
      ...["getProjectAccess", "queryChanges"],
    ]);
    expect([304, 400, 401, 402].map((number) => branchOf(lab, number))).toEqual([
      ...["main", "main"],
      ...["release-2.4", "release-2.4"],
    ]);
    const again = await lab.plan(lock());
    expect([again.changes, again.inSync]).toEqual([[], [address]]);
  });

  test("budget: one query per lock that moves changes, and one read of the branch to which they are moved", async () => {
    await using lab = await openLab();
    const locks = [lock(), lock({ branch: "a" }), document("BranchLock", { project: "platform/core", branch: "b" })];
    await lab.plan(locks.join(""));
    expect(lab.asked().toSorted()).toEqual(["getBranch", "getProjectAccess", "queryChanges", "queryChanges"]);
    await lab.plan(document("BranchLock", { project: "platform/core", branch: "b" }));
    expect(lab.asked()).toEqual(["getProjectAccess"]);
  });

  test("a new change on a locked branch is drift, and is moved without touching the lock", async () => {
    await using lab = await openLab();
    await lab.apply(lock());
    upload(lab, [{ number: 400 }]);
    const plan = await lab.plan({ now: lock(), base: lock() });
    expect(plan.changes).toMatchObject([
      {
        action: "update",
        verdict: "drift",
        note: "1 open change: 400",
        risks: ["irreversible"],
        fields: [{ path: ["moveOpenChangesTo"], desired: "main" }],
      },
    ]);
    expect(plan.calls).toMatchObject([
      { operation: "moveChange", args: { changeNumber: 400, destination_branch: "main" }, carries: [address] },
    ]);
  });

  test("moves nothing if the field is ignored or the lock is deleted", async () => {
    await using lab = await openLab();
    await lab.apply(document("BranchLock", { project: "platform/core", branch: "release-2.4" }));
    const ignoring = await lab.plan(document("BranchLock", moving, { ignore: ["moveOpenChangesTo"] }));
    expect([ignoring.changes, ignoring.ignored]).toEqual([[], [{ address, field: "moveOpenChangesTo" }]]);
    const gone = await lab.plan(document("BranchLock", moving, { state: "absent" }));
    expect(gone.calls.map(({ operation }) => operation)).toEqual(["modifyProjectAccess"]);
  });

  test("reads all pages, and names the first of many changes", async () => {
    await using lab = await openLab();
    upload(
      lab,
      Array.from({ length: 501 }, (_, index) => ({ number: 1000 + index })),
    );
    const plan = await lab.plan(lock());
    expect(lab.asked()).toEqual(["getProjectAccess", "queryChanges", "queryChanges", "getBranch"]);
    expect(plan.calls.filter(({ operation }) => operation === "moveChange")).toHaveLength(502);
    expect(plan.changes[0]?.note).toBe("502 open changes: 304, 1000, 1001, 1002, 1003, …");
  });

  test("accepts special characters in names of projects and branches, and matches no other branch", async () => {
    await using lab = await openLab();
    const project = `team/ü "co" OR (x) 100%+\\;'<x>`;
    const branch = `r"1",-is=open{}+ü'&%|(x)`;
    lab.sandbox.change(({ review }) => {
      review.projects[project] = { state: "ACTIVE", branches: [branch, "next/ü"], access: {}, commits: [] };
    });
    upload(lab, [
      { number: 500, project, branch },
      { number: 501, project, branch: `${branch}2` },
      { number: 502, branch },
    ]);
    expect(results(await lab.apply(lock({ project, branch, moveOpenChangesTo: "next/ü" })))).toEqual(["applied"]);
    expect([500, 501, 502].map((number) => branchOf(lab, number))).toEqual(["next/ü", `${branch}2`, branch]);
  });

  test("a change that was merged in the meantime leaves nothing to move", async () => {
    await using lab = await openLab();
    const report = await lab.apply(lock(), () =>
      lab.sandbox.change(({ review }) => {
        for (const change of review.changes) if (change.number === 304) change.status = "MERGED";
      }),
    );
    expect(lab.asked()).toContain("moveChange");
    expect(report.outcomes).toEqual([{ address, result: "applied" }]);
  });

  test("a refused move leaves the branch locked and the changes where they are, and the outcome says so", async () => {
    await using lab = await openLab();
    upload(lab, [{ number: 400 }]);
    const report = await lab.apply(lock(), () =>
      lab.sandbox.change(({ review }) => {
        const core = review.projects["platform/core"];
        if (core) core.branches = ["release-2.4"];
      }),
    );
    expect(report.outcomes).toMatchObject([
      {
        result: "failed",
        problem: {
          operation: "moveChange",
          message: expect.stringMatching(/main not found.* still in effect: modifyProjectAccess\. Reading it again/),
        },
      },
    ]);
    expect([304, 400].map((number) => branchOf(lab, number))).toEqual(["release-2.4", "release-2.4"]);
    const after = await lab.plan(document("BranchLock", { project: "platform/core", branch: "release-2.4" }));
    expect(after.changes).toEqual([]);
  });

  test("a target branch that does not exist needs a person, and nothing is written", async () => {
    await using lab = await openLab();
    const report = await lab.apply(lock({ moveOpenChangesTo: "nowhere" }));
    expect(report.plan.changes).toMatchObject([
      { action: "check", instruction: expect.stringContaining('no branch "nowhere" to move 1 open change to') },
    ]);
    expect(lab.asked()).toEqual(["getProjectAccess", "queryChanges", "getBranch"]);
  });

  test("under wire: documented, the target branch is not read", async () => {
    await using lab = await openLab({ wire: "documented" });
    await lab.apply(lock());
    expect(lab.asked()).not.toContain("getBranch");
    expect(branchOf(lab, 304)).toBe("main");
  });

  test("a failed query makes only its own lock unknown", async () => {
    const problem = { code: "SP3007", message: "The service refuses the request." } as const;
    const read = readerWith(() => {
      throw new ProblemError(problem);
    });
    const other = { project: "platform/core", branch: "other" };
    const wanted = [moving, other].map((spec) => BranchLock.parse(spec));
    const found = await branchLock.observe(read, "access of platform/core", wanted, new Date(0));
    expect(found.get("platform/core:release-2.4")).toEqual({ is: "unknown", problem });
    expect(found.get("platform/core:other")?.is).toBe("absent");
  });

  test("changes that the service returns for other branches are not moved", async () => {
    const of = (_number: number, project: string, branch: string) => ({ _number, project, branch });
    const read = readerWith(() => [
      of(3, "platform/core", "release-2.4"),
      of(1, "platform/core", "release-2.40"),
      of(2, "platform", "release-2.4"),
    ]);
    const found = await branchLock.observe(read, "access", [BranchLock.parse(moving)], new Date(0));
    expect(found.get("platform/core:release-2.4")).toMatchObject({ marker: { openChanges: [3] } });
  });

  test("a branch that is an expression, the branch itself and a full ref are errors at the field", async () => {
    const mistakes = (spec: object) =>
      BranchLock.safeParse({ ...moving, ...spec }).error?.issues.map(({ path, message }) => [path.join("."), message]);
    expect(mistakes({})).toBeUndefined();
    expect(mistakes({ branch: "^release-.*$" })).toEqual([
      ["moveOpenChangesTo", expect.stringContaining("expected `branch` to be a name")],
    ]);
    expect(mistakes({ moveOpenChangesTo: "release-2.4" })).toEqual([
      ["moveOpenChangesTo", "expected a branch other than the locked one"],
    ]);
    expect(mistakes({ moveOpenChangesTo: "refs/heads/main" })).toEqual([
      ["moveOpenChangesTo", expect.stringContaining("without refs/heads/")],
    ]);
    await using lab = await openLab();
    expect(await problemsOf(lab.plan(lock({ branch: "^r.*$" })))).toMatchObject([
      { code: "SP1002", place: { line: expect.any(Number) } },
    ]);
  });
});
