import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReviewAccess } from "../../../../src/sandbox/review/state.ts";
import { locking, written } from "../../../support/generate.ts";
import { type Lab, openLab, problemsOf } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";
import { listed } from "../../../support/read-lists.ts";
import { lawRuns } from "../../../support/worlds/parts.ts";
import { world } from "../../../support/worlds/world.ts";

const both = ["BranchLock", "AccessRule"];
const registered = "global:Registered-Users";
const block = (group = registered, more = {}) => ({ group, action: "BLOCK" as const, force: false, ...more });
const allow = (group: string) => ({ group, action: "ALLOW" as const, force: false });

/** Gives this access to one project, and none to any other. */
function setAccess(lab: Lab, access: ReviewAccess) {
  lab.sandbox.change(({ review }) => {
    for (const project of Object.values(review.projects)) project.access = {};
    const core = review.projects["platform/core"];
    if (core) core.access = access;
  });
}

async function locksIn(lab: Lab) {
  return (await listed(lab, "review", ["BranchLock"])).map(({ spec }) => spec);
}

const lock = {
  project: "platform/core",
  branch: "release-2.4",
  permissions: ["submit", "push", "pushMerge"],
  reviewUploads: true,
  groups: [registered],
  exclusive: true,
  force: false,
};

describe("the live state as manifests", () => {
  test("budget: all projects are 1 listProjects and 1 listAccess, for locks and rules together", async () => {
    await using lab = await openLab();
    await listed(lab, "review", both);
    expect(lab.asked()).toEqual(["listProjects", "listAccess"]);
  });

  test.each([
    ["as they are by default", {}],
    ["of an expression", { branch: "^release-2\\.[0-9]+$" }],
    ["of an expression with alternatives", { branch: "^(a|b)$" }],
    ["of a name that looks like an expression", { branch: "v1.0+(x)" }],
    ["of groups by name", { groups: ["Release Managers", registered] }],
    ["of some permissions, without uploads", { permissions: ["push", "delete"], reviewUploads: false }],
    ["of forced pushes", { force: true, exclusive: false }],
  ])("a lock is found as it was declared: %s", async (_what, more) => {
    await using lab = await openLab();
    const declared = { ...lock, ...more };
    await lab.apply(document("BranchLock", declared));
    expect(await locksIn(lab)).toEqual([declared]);
    const rules = await listed(lab, "review", ["AccessRule"]);
    expect(JSON.stringify(rules)).not.toContain("pushMerge");
    const plan = await lab.plan(written(await listed(lab, "review", both)));
    expect(plan.changes).toEqual([]);
  });

  test("a lock beside foreign rules is found, and so are the rules that it does not manage", async () => {
    await using lab = await openLab();
    setAccess(lab, { "refs/heads/main": { push: { exclusive: false, rules: [allow("b3a1"), allow(registered)] } } });
    await lab.apply(document("BranchLock", { ...lock, branch: "main" }));
    expect(await locksIn(lab)).toEqual([{ ...lock, branch: "main" }]);
    expect((await listed(lab, "review", ["AccessRule"])).map(({ spec }) => spec)).toEqual([
      { project: "platform/core", ref: "refs/heads/main", permission: "push", rules: [allow("b3a1")] },
    ]);
  });

  test("locks are distinguished from other blocks: rules beside blocks, other groups, votes", async () => {
    await using lab = await openLab();
    setAccess(lab, {
      "refs/heads/a": {
        push: { exclusive: false, rules: [block(), allow("b3a1")] },
        "label-Code-Review": { exclusive: false, rules: [block(registered, { min: -1, max: 1 })] },
        read: { exclusive: false, rules: [block()] },
      },
      "refs/heads/b": {
        push: { exclusive: true, rules: [block()] },
        submit: { exclusive: true, rules: [block()] },
        create: { exclusive: true, rules: [block("b3a1")] },
        revert: { exclusive: false, rules: [block()] },
        delete: { exclusive: true, rules: [block(registered, { force: true })] },
      },
      "refs/for/refs/heads/c": { push: { exclusive: true, rules: [block()] } },
      "refs/heads/*": { push: { exclusive: true, rules: [block()] } },
      "refs/heads/g": {
        submit: { exclusive: true, rules: [block("b3a1")] },
        push: { exclusive: true, rules: [block()] },
        delete: { exclusive: true, rules: [block()] },
      },
      "refs/heads/h": { push: { exclusive: true, rules: [block(), { ...allow("b3a1"), action: "DENY" }] } },
      "refs/heads/i": { push: { exclusive: true, rules: [block(), block("b3a1", { force: true })] } },
    });
    expect(await locksIn(lab)).toEqual([
      { ...lock, branch: "b", permissions: ["submit", "push"], reviewUploads: false },
      { ...lock, branch: "g", permissions: ["push", "delete"], reviewUploads: false },
    ]);
    const rules = await listed(lab, "review", ["AccessRule"]);
    expect(rules.map(({ spec }) => `${spec.ref} ${spec.permission}`).toSorted()).toEqual([
      ...["refs/for/refs/heads/c push", "refs/heads/* push", "refs/heads/a label-Code-Review", "refs/heads/a push"],
      ...["refs/heads/a read", "refs/heads/b create", "refs/heads/b delete", "refs/heads/b revert"],
      ...["refs/heads/g submit", "refs/heads/h push", "refs/heads/i push"],
    ]);
  });

  test("a block that an exclusive rule under another spelling lifts is a rule, not a lock", async () => {
    await using lab = await openLab();
    setAccess(lab, {
      "refs/heads/d": { push: { exclusive: true, rules: [allow("b3a1")] } },
      "^refs/heads/d$": {
        push: { exclusive: false, rules: [block()] },
        submit: { exclusive: false, rules: [block()] },
      },
    });
    expect((await locksIn(lab)).map(({ branch, permissions }) => [branch, permissions])).toEqual([["d", ["submit"]]]);
    const planned = await lab.tryPlan(written(await listed(lab, "review", both)));
    expect(planned).toMatchObject({ is: "planned", plan: { changes: [], unknown: [] } });
  });

  test("a block of merges on the branch alone is a rule: a lock also blocks them on the uploads", async () => {
    await using lab = await openLab();
    setAccess(lab, {
      "refs/heads/e": { pushMerge: { exclusive: true, rules: [block()] }, push: { exclusive: true, rules: [block()] } },
      "refs/heads/f": { pushMerge: { exclusive: true, rules: [block()] } },
    });
    expect((await locksIn(lab)).map(({ branch, permissions }) => [branch, permissions])).toEqual([["e", ["push"]]]);
    const planned = await lab.tryPlan(written(await listed(lab, "review", both)));
    expect(planned).toMatchObject({ is: "planned", plan: { changes: [], unknown: [] } });
  });

  test.each([
    ["opens", "refs/heads/release-2.4"],
    ["perhaps opens", "refs/heads/release-${username}/*"],
  ])(
    "blocks of an expression that an exclusive rule %s are rules, not a lock that no plan can close",
    async (_how, ref) => {
      await using lab = await openLab();
      setAccess(lab, {
        "^refs/heads/release.*$": {
          push: { exclusive: true, rules: [block()] },
          submit: { exclusive: true, rules: [block()] },
        },
        [ref]: { push: { exclusive: true, rules: [allow("b3a1")] } },
      });
      const found = await listed(lab, "review", both);
      expect(found.map(({ kind, spec }) => `${kind} ${spec.ref} ${spec.permission}`).toSorted()).toEqual([
        "AccessRule ^refs/heads/release.*$ push",
        "AccessRule ^refs/heads/release.*$ submit",
        `AccessRule ${ref} push`,
      ]);
      const planned = await lab.tryPlan(written(found).replaceAll("${", () => "$${"));
      expect(planned).toMatchObject({ is: "planned", plan: { changes: [], unknown: [] } });
    },
  );

  test("blocks under several spellings of a branch, or under a spelling of two branches, are found only once", async () => {
    await using lab = await openLab();
    setAccess(lab, {
      "refs/heads/d": { push: { exclusive: true, rules: [block()] } },
      "^refs/heads/d$": { push: { exclusive: false, rules: [block()] } },
      "^refs/heads/a|b$": { push: { exclusive: true, rules: [block()] } },
      "^refs/heads/(a|b)$": { submit: { exclusive: true, rules: [block()] } },
      "^refs/heads/(x.*)$": { push: { exclusive: true, rules: [block()] } },
      "^refs/heads/x.*$": { submit: { exclusive: true, rules: [block()] } },
      "^refs/heads/(j\\.k)$": { push: { exclusive: true, rules: [block()] } },
      "^refs/heads/m(n.*)$": { push: { exclusive: true, rules: [block()] } },
      "^refs/heads/(o)p.*$": { push: { exclusive: true, rules: [block()] } },
    });
    expect((await locksIn(lab)).map(({ branch, permissions }) => [branch, permissions])).toEqual([
      ["^(a|b)$", ["submit"]],
      ["^(o)p.*$", ["push"]],
      ["^m(n.*)$", ["push"]],
      ["^x.*$", ["submit", "push"]],
      ["j.k", ["push"]],
    ]);
    const planned = await lab.tryPlan(written(await listed(lab, "review", both)));
    expect(planned).toMatchObject({ is: "planned", plan: { changes: [], unknown: [] } });
  });

  test("groups have their names if these are unambiguous, and their UUIDs otherwise", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ review }) => {
      review.groups.push({ uuid: "c1", name: "Twins" }, { uuid: "c2", name: "Twins" }, { uuid: "c3", name: "2" });
    });
    const groups = ["c1", "c2", "c3", registered, "5f0e6d1c9a7b42388e4d3c2b1a09f8e7d6c5b4a3", "gone"];
    setAccess(lab, { "refs/tags/*": { createTag: { exclusive: false, rules: groups.map(allow) } } });
    const [rule] = await listed(lab, "review", ["AccessRule"]);
    expect(rule?.spec.rules).toEqual(["c1", "c2", "c3", registered, "Release Managers", "gone"].map(allow));
    expect((await lab.plan(written(rule === undefined ? [] : [rule]))).changes).toEqual([]);
  });

  test("a project whose rules the account may not see makes the list fail instead of being left out", async () => {
    await using lab = await openLab();
    const jdoe = { username: "jdoe", secret: "jdoe-secret" };
    expect(await problemsOf(listed(lab, "review", both, jdoe))).toMatchObject([{ code: "SP3004" }]);
  });

  test("any world that is declared as it was found is in sync, with no rule of a lock among the rules", async () => {
    await fc.assert(
      fc.asyncProperty(world, async (generated) => {
        await using lab = await openLab({ world: generated });
        const planned = await lab.tryPlan(written(await listed(lab, "review", both)));
        expect(planned).toMatchObject({ is: "planned", plan: { changes: [], unknown: [], calls: [] } });
      }),
      { numRuns: lawRuns },
    );
  });

  test("what manifests applied to any world is found again, or something equivalent", async () => {
    await fc.assert(
      fc.asyncProperty(locking, async ({ world: before, now, locks }) => {
        await using lab = await openLab({ world: before });
        await lab.apply(written([...now, ...locks]));
        const plan = await lab.plan(written(await listed(lab, "review", both)));
        expect([plan.changes, plan.unknown]).toEqual([[], []]);
      }),
      { numRuns: lawRuns },
    );
  });
});
