import { describe, expect, test } from "vitest";
import type { World } from "../../../../src/sandbox/world.ts";
import { openLab, problemsOf } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";
import { accessOf, block, lock, registered } from "./locks.ts";

type LiveAccess = NonNullable<World["review"]["projects"][string]>["access"];

describe("BranchLock", () => {
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
});
