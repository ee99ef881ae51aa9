import { describe, expect, test } from "vitest";
import { branchLock } from "../../../src/reconcilers/review/branch-lock.ts";
import type { World } from "../../../src/sandbox/world.ts";
import { openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";

const registered = "global:Registered-Users";

function lock(spec: Readonly<Record<string, unknown>>, metadata: Readonly<Record<string, unknown>> = {}): string {
  return `---\n${JSON.stringify({ kind: "BranchLock", metadata, spec: { project: "platform/core", branch: "release-2.4", ...spec } })}\n`;
}

/** The access without empty sections: the service keeps the heading of one that had an exclusive permission. */
function accessOf(world: World, project = "platform/core") {
  const sections = Object.entries(world.review.projects[project]?.access ?? {});
  return Object.fromEntries(sections.filter(([, permissions]) => Object.keys(permissions).length > 0));
}

type LiveAccess = NonNullable<World["review"]["projects"][string]>["access"];

const block = (force = false) => ({ exclusive: true, rules: [{ group: registered, action: "BLOCK", force }] });

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

  test("a lock that gives up a permission while it gets a group keeps the group's block of that permission, which it did not add", async () => {
    await using lab = await openLab();
    const one = { group: "Administrators", action: "BLOCK", force: false };
    const place = { project: "platform/core", ref: "refs/heads/release-2.4", permission: "submit" };
    const rule = document("AccessRule", { ...place, rules: [one] });
    const before = lock({ permissions: ["submit"], groups: [registered] }) + rule;
    await lab.apply(before);
    const now = lock({ permissions: ["push"], groups: [registered, "Administrators"] }) + rule;
    const { outcomes } = await lab.apply({ now, base: before });
    expect(outcomes).toEqual([{ address: "review/BranchLock/platform/core:release-2.4", result: "applied" }]);
    expect((await lab.plan({ now, base: before })).changes).toEqual([]);
    expect(accessOf(lab.sandbox.state())["refs/heads/release-2.4"]?.submit?.rules).toMatchObject([{ action: "BLOCK" }]);
  });

  test.each([
    [true, "ALLOW"],
    [true, "DENY"],
    [false, "ALLOW"],
  ] as const)(
    "unlocking resets the flag only if the lock had set it, and resets no other flag (exclusive: %s, beside someone's %s)",
    async (exclusive, action) => {
      await using lab = await openLab();
      const declared = lock({ permissions: ["push"], exclusive });
      await lab.apply(declared);
      const somebodys = { group: "global:Project-Owners", action, force: false } as const;
      lab.sandbox.change(({ review }) => {
        const push = review.projects["platform/core"]?.access["refs/heads/release-2.4"]?.push;
        push?.rules.push(somebodys);
        if (push) push.exclusive = true;
      });
      await lab.apply({ now: "", base: declared });
      expect(accessOf(lab.sandbox.state())["refs/heads/release-2.4"]?.push).toEqual({
        exclusive: !exclusive,
        rules: [somebodys],
      });
    },
  );

  test("never shares a permission with foreign rules, but uses another spelling of the branch", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ review }) => {
      const core = review.projects["platform/core"];
      if (core)
        core.access["refs/heads/release-2.4"] = {
          push: { exclusive: false, rules: [{ group: registered, action: "ALLOW", force: true }] },
        };
    });
    const before = accessOf(lab.sandbox.state());
    await lab.apply(lock({}));
    expect(accessOf(lab.sandbox.state())).toMatchObject({
      ...before,
      "^refs/heads/release-2\\.4$": { push: block() },
      "refs/heads/release-2.4": { push: before["refs/heads/release-2.4"]?.push, submit: block() },
    });
    expect((await lab.plan(lock({}))).changes).toEqual([]);
    await lab.apply(lock({}, { state: "absent" }));
    expect(accessOf(lab.sandbox.state())).toEqual(before);
  });

  test("repairs a partly removed lock with the change alone", async () => {
    await using lab = await openLab();
    await lab.apply(lock({}));
    lab.sandbox.change(({ review }) => {
      delete review.projects["platform/core"]?.access["refs/heads/release-2.4"]?.push;
    });
    const plan = await lab.plan({ now: lock({}), base: lock({}) });
    expect(plan.changes).toMatchObject([{ action: "update", verdict: "drift", fields: [{ path: ["permissions"] }] }]);
    expect(plan.calls).toMatchObject([
      { args: { add: { "refs/heads/release-2.4": { permissions: { push: { exclusive: true } } } } } },
    ]);
    expect(plan.calls[0]?.args).not.toHaveProperty("remove");
  });

  test("several groups are locked out only if each is blocked from everything", async () => {
    await using lab = await openLab();
    const groups = ["Release Managers", registered];
    const declared = lock({ permissions: ["push", "submit"], groups });
    await lab.apply(declared);
    const unblock = (permission: "push" | "submit") =>
      lab.sandbox.change(({ review }) => {
        const live = review.projects["platform/core"]?.access["refs/heads/release-2.4"]?.[permission];
        if (live) live.rules = live.rules.filter(({ group }) => group === registered);
      });
    unblock("push");
    const fields = [{ path: ["permissions"], live: ["submit"], desired: ["push", "submit"] }];
    expect((await lab.plan(declared)).changes).toMatchObject([{ action: "update", fields }]);
    const submits = lock({ permissions: ["submit"], groups });
    await lab.apply({ now: submits, base: declared });
    expect(accessOf(lab.sandbox.state())["refs/heads/release-2.4"]).not.toHaveProperty("push");
  });

  test("a block of forced pushes alone is no lock of all pushes, and is made one", async () => {
    await using lab = await openLab();
    await lab.apply(lock({ force: true }));
    const fields = [{ path: ["force"], live: true, desired: false }];
    expect((await lab.plan(lock({}))).changes).toMatchObject([{ action: "update", fields }]);
    await lab.apply(lock({}));
    expect(accessOf(lab.sandbox.state())["refs/heads/release-2.4"]?.push).toEqual(block());
  });

  test("unlocking leaves a rule that someone put in the place of a block", async () => {
    await using lab = await openLab();
    const declared = lock({ permissions: ["push"], groups: ["Release Managers", registered] });
    await lab.apply(declared);
    lab.sandbox.change(({ review }) => {
      for (const rule of review.projects["platform/core"]?.access["refs/heads/release-2.4"]?.push?.rules ?? [])
        if (rule.group !== registered) rule.action = "DENY";
    });
    await lab.apply({ now: "", base: declared });
    expect(accessOf(lab.sandbox.state())["refs/heads/release-2.4"]?.push?.rules).toMatchObject([{ action: "DENY" }]);
  });

  test("changes the exclusive flag by replacing the permission with all its rules", async () => {
    await using lab = await openLab();
    await lab.apply(lock({}));
    lab.sandbox.change(({ review }) => {
      review.projects["platform/core"]?.access["refs/heads/release-2.4"]?.push?.rules.push({
        group: "global:Project-Owners",
        action: "DENY",
        force: false,
      });
    });
    await lab.apply(lock({ exclusive: false }));
    expect(accessOf(lab.sandbox.state())["refs/heads/release-2.4"]?.push).toEqual({
      exclusive: false,
      rules: expect.arrayContaining([
        { group: registered, action: "BLOCK", force: false },
        { group: "global:Project-Owners", action: "DENY", force: false },
      ]),
    });
    expect((await lab.plan(lock({ exclusive: false }))).changes).toEqual([]);
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

  test.each([
    ["half of it was gone", (access: LiveAccess) => delete access["refs/for/refs/heads/release-2.4"]?.addPatchSet],
    [
      "an exclusive rule had opened it",
      (access: LiveAccess) =>
        access["refs/heads/release-2.4"]?.push?.rules.push({
          group: "global:Project-Owners",
          action: "ALLOW",
          force: false,
        }),
    ],
    [
      "one of them had lost its flag",
      (access: LiveAccess) => Object.assign(access["refs/heads/release-2.4"]?.push ?? {}, { exclusive: false }),
    ],
    [
      "one of them was of forced pushes only",
      (access: LiveAccess) => Object.assign(access["refs/heads/release-2.4"]?.push?.rules[0] ?? {}, { force: true }),
    ],
  ])(
    "blocks that no manifest can declare, because %s, need a person to restore: a revert would remove the rest of them",
    async (_, change) => {
      for (const then of ["present", "absent"]) {
        await using lab = await openLab();
        const ours = { groups: [registered, "global:Anonymous-Users"] };
        await lab.apply(lock(ours));
        lab.sandbox.change(({ review }) => {
          change(review.projects["platform/core"]?.access ?? {});
        });
        expect((await lab.apply({ now: lock(ours, { state: then }), base: lock(ours) })).outcomes).toMatchObject([
          { result: "applied" },
        ]);
        const { left, plan } = await lab.revert("");
        expect([left, plan.calls]).toMatchObject([
          [{ code: "SP4007", message: expect.stringContaining("more than a manifest can declare") }],
          [],
        ]);
      }
    },
  );

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

  test("an unlock needs a person if its flag would add the rule of a group again that the service no longer knows", async () => {
    await using lab = await openLab();
    const spec = { permissions: ["push"], reviewUploads: false };
    await lab.apply(lock(spec));
    lab.sandbox.change(({ review }) => {
      const push = review.projects["platform/core"]?.access["refs/heads/release-2.4"]?.push;
      push?.rules.push({ group: "gone", action: "DENY", force: false });
    });
    const report = await lab.apply(lock(spec, { state: "absent" }));
    expect([report.calls, report.plan.changes]).toMatchObject([
      [],
      [{ action: "check", instruction: expect.stringContaining('"gone", a group that it does not know') }],
    ]);
  });

  test("a lock and a rule that manage the same permission are an error", async () => {
    await using lab = await openLab();
    const rule = {
      project: "platform/core",
      ref: "refs/heads/release-2.4",
      permission: "push",
      rules: [{ group: registered }],
    };
    const manifests = `${lock({})}---\n${JSON.stringify({ kind: "AccessRule", spec: rule })}\n`;
    expect(await problemsOf(lab.plan(manifests))).toMatchObject([
      {
        code: "SP1016",
        message: expect.stringContaining("the rule of global:Registered-Users for push on refs/heads/release-2.4"),
      },
    ]);
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
