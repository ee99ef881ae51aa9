import { describe, expect, test } from "vitest";
import { readerOf } from "../../../../src/clients/connect.ts";
import type { ProjectAccess } from "../../../../src/clients/review/access.ts";
import { reviewService } from "../../../../src/clients/review/service.ts";
import { branchLock } from "../../../../src/reconcilers/review/branch-lock.ts";
import { type Lab, openLab } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";

const managers = "5f0e6d1c9a7b42388e4d3c2b1a09f8e7d6c5b4a3";
const project = "platform/core";
const address = "review/BranchLock/platform/core:main";

const lock = (spec: Readonly<Record<string, unknown>> = {}) =>
  document("BranchLock", { project, branch: "main", permissions: ["push"], reviewUploads: false, ...spec });

interface Rules {
  exclusive: boolean;
  rules: { group: string; action: "ALLOW" | "DENY" | "BLOCK"; force: boolean }[];
}

function rules(exclusive: boolean, action: "ALLOW" | "DENY"): Rules {
  return { exclusive, rules: [{ group: managers, action, force: false }] };
}

const block = { group: "global:Registered-Users", action: "BLOCK", force: false } as const;
const allow = (exclusive = false) => rules(exclusive, "ALLOW");

/** Replaces the push permissions of a project by foreign ones, by pattern. */
function others(lab: Lab, sections: Readonly<Record<string, Rules>>, of = project) {
  lab.sandbox.change(({ review }) => {
    const changed = review.projects[of];
    if (changed === undefined) throw new Error(of);
    changed.access = Object.fromEntries(Object.entries(sections).map(([ref, push]) => [ref, { push }]));
  });
}

/** The rules for pushes: where each is, and what it does. */
function pushRules(lab: Lab) {
  const access = Object.entries(lab.sandbox.state().review.projects[project]?.access ?? {});
  return access.flatMap(([ref, { push }]) => (push?.rules ?? []).map(({ action }) => `${action} ${ref}`)).sort();
}

describe("a lock is judged by its effect", () => {
  test("it uses the most specific spelling beside an exclusive permission of its branch, which would override others", async () => {
    await using lab = await openLab();
    others(lab, { "refs/heads/main": allow(true) });
    const report = await lab.apply(lock());
    expect(report.outcomes).toEqual([{ address, result: "applied" }]);
    expect(pushRules(lab)).toEqual(["ALLOW refs/heads/main", "BLOCK ^refs/heads/main"]);
    expect((await lab.plan(lock())).changes).toEqual([]);
    await lab.apply(document("BranchLock", { project, branch: "main", permissions: ["push"] }, { state: "absent" }));
    expect(pushRules(lab)).toEqual(["ALLOW refs/heads/main"]);
  });

  test.each([
    [
      "in use",
      false,
      /push on \^refs\/heads\/release\/\.\*\$ has other rules, and the service accepts no other spelling/,
    ],
    ["in use and exclusive", true, /Release Managers can push to release\//],
  ])("it needs a person if the spellings that the service accepts are %s", async (_how, exclusive, instruction) => {
    await using lab = await openLab();
    others(lab, { "^refs/heads/release/.*$": allow(exclusive), "^refs/heads/(release/.*)$": allow(exclusive) });
    const declared = lock({ branch: "^release/.*$" });
    const { changes, calls } = await lab.plan(declared);
    expect(changes).toMatchObject([{ action: "check", instruction: expect.stringMatching(instruction) }]);
    expect(calls).toEqual([]);
  });

  test.each([
    ["its flag", { exclusive: false, rules: [block] }, {}],
    ["its groups", { exclusive: true, rules: [block] }, { groups: ["global:Registered-Users", managers] }],
  ])(
    "it moves to a spelling that the service accepts if %s must change under one that it refuses",
    async (_what, live, spec) => {
      await using lab = await openLab();
      others(lab, { "^refs/heads/.*": live });
      const declared = lock({ branch: "^.*$", ...spec });
      expect((await lab.apply(declared)).outcomes).toMatchObject([{ result: "applied" }]);
      expect(new Set(pushRules(lab))).toEqual(new Set(["BLOCK ^refs/heads/.*$"]));
      expect((await lab.plan(declared)).changes).toEqual([]);
    },
  );

  test("unlocking needs a person if the flag must change under a spelling that the service refuses", async () => {
    await using lab = await openLab();
    others(lab, { "^refs/heads/.*": { exclusive: true, rules: [block, ...allow().rules] } });
    const { changes, calls } = await lab.plan({
      now: document("BranchLock", { project, branch: "^.*$", permissions: ["push"] }, { state: "absent" }),
      base: lock({ branch: "^.*$" }),
    });
    expect(changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("^refs/heads/.*") }]);
    expect(calls).toEqual([]);
  });

  test("access that is allowed beside its block later is drift that says so, and the lock moves out of reach", async () => {
    await using lab = await openLab();
    others(lab, {});
    await lab.apply(lock());
    lab.sandbox.change(({ review }) => {
      review.projects[project]?.access["refs/heads/main"]?.push?.rules.push(...allow().rules);
    });
    const plan = await lab.plan({ now: lock(), base: lock() });
    expect(plan.changes).toMatchObject([
      {
        ...{ action: "update", verdict: "drift", fields: [{ path: ["permissions"], live: [], desired: ["push"] }] },
        note: "locked, but Release Managers can push to main, because push on refs/heads/main is exclusive and allows it",
      },
    ]);
    expect((await lab.apply(lock())).outcomes).toEqual([{ address, result: "applied" }]);
    expect(pushRules(lab)).toEqual(["ALLOW refs/heads/main", "BLOCK ^refs/heads/main$"]);
    expect((await lab.plan(lock())).changes).toEqual([]);
  });

  test.each([
    ["^mai.*$", "refs/heads/main", "Release Managers can push to main, because push on refs/heads/main is exclusive"],
    ["^m.*$", "^refs/heads/ma.*", "Release Managers can push to ma, because push on ^refs/heads/ma.* is exclusive"],
    ["main", "^refs/heads/(main|x-y-z)", "because push on ^refs/heads/(main|x-y-z) is exclusive and allows it"],
  ])(
    "a lock of %s needs a person if a more specific rule of %s allows access: it names who, what and where",
    async (branch, ref, words) => {
      await using lab = await openLab();
      others(lab, { [ref]: allow(true) });
      const plan = await lab.plan(lock({ branch }));
      expect(plan.changes).toMatchObject([{ action: "check", instruction: expect.stringContaining(words) }]);
      expect(plan.calls).toEqual([]);
    },
  );

  test("a block of forced operations holds no lock: only a push can be forced", async () => {
    await using lab = await openLab();
    const declared = lock({ permissions: ["push", "submit"], force: true });
    await lab.apply(declared);
    lab.sandbox.change(({ review }) => {
      for (const rule of review.projects[project]?.access["refs/heads/main"]?.submit?.rules ?? []) rule.force = true;
    });
    const fields = [{ path: ["permissions"], live: ["push"], desired: ["push", "submit"] }];
    expect((await lab.plan({ now: declared, base: declared })).changes).toMatchObject([{ action: "update", fields }]);
    expect((await lab.apply(declared)).outcomes).toEqual([{ address, result: "applied" }]);
    expect((await lab.plan(declared)).changes).toEqual([]);
  });

  test("a rule that defeats it after it was written is a failed outcome in the same words", async () => {
    await using lab = await openLab();
    others(lab, {});
    const report = await lab.apply(lock({ branch: "^m.*$" }), () =>
      lab.sandbox.change(({ review }) => {
        const access = review.projects[project]?.access;
        if (access) access["refs/heads/main"] = { push: allow(true) };
      }),
    );
    expect(report.outcomes).toMatchObject([
      {
        result: "failed",
        problem: {
          code: "SP4001",
          hint: expect.stringContaining("push on refs/heads/main is exclusive and allows it"),
        },
      },
    ]);
  });

  test("a lock is unknown if an expression beside it might mean something else in Java", async () => {
    await using lab = await openLab();
    for (const [branch, ref] of [
      ["^m.*$", "^refs/heads/main(?!x)"],
      ["main", "^refs/heads/(main|x-y-z\\b)"],
      ["^m.*$", `refs/heads/m\${username}/*`],
    ] as const) {
      others(lab, { [ref]: allow(true) });
      const plan = await lab.plan(lock({ branch }));
      expect(plan.unknown).toMatchObject([{ problem: { code: "SP3103", message: expect.stringContaining(ref) } }]);
      others(lab, { [ref]: allow() });
      expect((await lab.plan(lock({ branch }))).unknown).toEqual([]);
    }
  });

  test("budget: the parents are read only if a rule of the project lifts a block, and each only once", async () => {
    await using lab = await openLab();
    others(lab, { "refs/heads/*": allow(true), "refs/heads/x": allow() });
    await lab.plan(lock() + lock({ branch: "x" }));
    expect(lab.asked()).toEqual(["getProjectAccess"]);
    others(lab, { "refs/heads/main": allow(true) });
    await lab.plan(lock({ branch: "^mai.*$" }) + lock({ branch: "^m.*$" }));
    expect(lab.asked()).toEqual(["getProjectAccess", "getProjectAccess"]);
  });

  test("a lifted block still holds if a more specific permission of a parent leaves nothing allowed", async () => {
    await using lab = await openLab();
    others(lab, { "^refs/heads/(main|x-y-z)": allow(true) });
    expect((await lab.plan(lock())).changes).toMatchObject([{ action: "check" }]);
    others(lab, { "^refs/heads/(main|x-y-z-0)": rules(true, "DENY") }, "All-Projects");
    expect((await lab.apply(lock())).outcomes).toEqual([{ address, result: "applied" }]);
  });
});

test("the rules of a project are not scanned again for each of its locks", async () => {
  const specs = Array.from({ length: 100 }, (_, n) => branchLock.spec.parse({ project, branch: `release-${n}` }));
  const block = { rules: { "global:Registered-Users": { action: "BLOCK", force: false } } } as const;
  const sections = specs.map(({ branch }) => [`refs/heads/${branch}`, { permissions: { push: block, submit: block } }]);
  let looked = 0;
  const local: ProjectAccess["local"] = new Proxy(Object.fromEntries(sections), {
    get(all, ref) {
      looked++;
      return Reflect.get(all, ref);
    },
  });
  const nothing = readerOf(async () => [], { wire: "product" }, reviewService);
  const getProjectAccess = async () => ({ local, groups: {}, is_owner: true, config_visible: true });
  const found = await branchLock.observe({ ...nothing, getProjectAccess }, "", specs, new Date(0));
  expect([...found.values()].map(({ is }) => is)).toEqual(specs.map(() => "present"));
  expect(looked / specs.length).toBeLessThan(500);
});
