import { describe, expect, test } from "vitest";
import { type Lab, openDirectLab } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { rule, shown } from "./run.ts";

describe("the revert of a run", () => {
  const both = rule("Release Managers", "Administrators");

  test("names what the run added to a shared object if that has changed since", async () => {
    const newcomers = (...users: readonly string[]) =>
      document("AnalysisGroup", { name: "newcomers", exclusive: false, users });
    await using lab = await openDirectLab();
    await lab.apply(newcomers("jdoe"));
    await lab.apply(newcomers("jdoe", "auditor", "mlind"));
    lab.sandbox.change(({ analysis }) => {
      const group = analysis.groups.find(({ name }) => name === "newcomers");
      if (group !== undefined) group.users = ["jdoe", "auditor"];
    });
    const { plan, left } = await lab.revert(newcomers("jdoe", "auditor", "mlind"));
    expect(plan.changes).toEqual([]);
    expect(left).toMatchObject([{ code: "SP4007", address: "analysis/AnalysisGroup/newcomers" }]);
  });

  test("leaves alone, without a word, what someone has added again to a shared object", async () => {
    const newcomers = (...users: readonly string[]) => document("AnalysisGroup", { name: "newcomers", users });
    await using lab = await openDirectLab();
    await lab.apply(newcomers("jdoe", "auditor"));
    await lab.apply({ now: newcomers("jdoe"), base: newcomers("jdoe", "auditor") });
    lab.sandbox.change(({ analysis }) => {
      for (const group of analysis.groups) if (group.name === "newcomers") group.users = ["jdoe", "auditor"];
    });
    const { plan, left } = await lab.revert(newcomers("jdoe"));
    expect([plan.changes, left]).toEqual([[], []]);
  });

  test("keeps and names what another resource now manages", async () => {
    await using lab = await openDirectLab();
    await lab.apply(both);
    const lock = document("BranchLock", { project: "platform/ui", branch: "old", groups: ["Administrators"] });
    const back = await lab.revert(lock);
    expect(back.left).toMatchObject([{ address: "review/AccessRule/platform/ui:refs/heads/old:push" }]);
    await back.apply();
    const section = lab.sandbox.state().review.projects["platform/ui"]?.access["refs/heads/old"]?.push;
    expect(section?.rules).toHaveLength(1);
  });

  describe("of a run that replaced a lock with a rule", () => {
    const groups = ["Release Managers"];
    const lock = (metadata = {}) => document("BranchLock", { project: "platform/ui", branch: "old", groups }, metadata);
    const now = lock({ state: "absent" }) + rule(...groups);
    const replaced = { now, consent: { maxDeletePercent: 100 } };

    /** Locks the branch, and moves the block of pushes to another spelling of it. */
    async function lockAtExpression(lab: Lab): Promise<void> {
      await lab.apply(lock());
      lab.sandbox.change(({ review }) => {
        const access = review.projects["platform/ui"]?.access ?? {};
        const { push, ...others } = access["refs/heads/old"] ?? {};
        Object.assign(access, { "refs/heads/old": others, "^refs/heads/old": { push } });
      });
    }

    test("restores the lock, and names the rule that has taken its place", async () => {
      await using lab = await openDirectLab();
      await lab.apply(lock());
      await lab.apply(replaced);
      const back = await lab.revert(replaced);
      expect(back.left).toMatchObject([
        {
          address: "review/AccessRule/platform/ui:refs/heads/old:push",
          message: expect.stringMatching(
            /BranchLock.* and .*AccessRule.* both manage .* Only one of them is restored\./,
          ),
        },
      ]);
      expect((await back.apply()).outcomes).toMatchObject([
        { address: "review/BranchLock/platform/ui:old", result: "applied" },
      ]);
      expect((await lab.plan(lock())).changes).toEqual([]);
    });

    test("restores the rule if someone has locked the branch again since, so that the lock is not restored", async () => {
      await using lab = await openDirectLab();
      await lab.apply(lock());
      await lab.apply(replaced);
      lab.sandbox.change(({ review }) => {
        const { push } = review.projects["platform/ui"]?.access["refs/heads/old"] ?? {};
        const group = push?.rules[0]?.group ?? "";
        const submit = { exclusive: true, rules: [{ group, action: "BLOCK" as const, force: false }] };
        Object.assign(review.projects["platform/ui"]?.access ?? {}, { "refs/heads/old": { push, submit } });
      });
      const back = await lab.revert(replaced);
      expect(back.left).toMatchObject([
        { address: "review/BranchLock/platform/ui:old", message: expect.stringContaining("changed since the run") },
      ]);
      expect(shown(back.plan.changes)).toEqual(["update review/AccessRule/platform/ui:refs/heads/old:push"]);
    });

    test("names a rule of which it removes only what the restored lock does not manage", async () => {
      await using lab = await openDirectLab();
      await lockAtExpression(lab);
      const wider = lock({ state: "absent" }) + rule(...groups, "Administrators");
      await lab.apply({ ...replaced, now: wider });
      const back = await lab.revert({ ...replaced, now: wider });
      expect(shown(back.plan.changes)).toEqual([
        "delete review/AccessRule/platform/ui:refs/heads/old:push",
        "create review/BranchLock/platform/ui:old",
      ]);
      expect(back.left).toMatchObject([{ address: "review/AccessRule/platform/ui:refs/heads/old:push" }]);
      await back.apply();
      const push = lab.sandbox.state().review.projects["platform/ui"]?.access["refs/heads/old"]?.push;
      expect(push?.rules).toHaveLength(1);
    });

    test("restores a lock at another spelling of the branch, and names the rule that the run added", async () => {
      await using lab = await openDirectLab();
      await lockAtExpression(lab);
      await lab.apply(replaced);
      const back = await lab.revert(replaced);
      expect(shown(back.plan.changes)).toEqual(["create review/BranchLock/platform/ui:old"]);
      expect(back.left).toMatchObject([
        {
          address: "review/AccessRule/platform/ui:refs/heads/old:push",
          message: "Another resource then manages what the run added here, so it is kept.",
        },
      ]);
    });
  });

  test("restores a lock of which less counts as held once it is asked for as it was", async () => {
    const managers = "5f0e6d1c9a7b42388e4d3c2b1a09f8e7d6c5b4a3";
    const one = (action: "ALLOW" | "BLOCK") => ({ group: managers, action, force: false });
    await using lab = await openDirectLab();
    lab.sandbox.change(({ review }) => {
      const project = review.projects["platform/ui"];
      if (project === undefined) throw new Error("The project is missing.");
      // Only forced pushes are blocked despite the first rule.
      project.access["refs/heads/r1"] = { push: { exclusive: true, rules: [one("ALLOW")] } };
      project.access["^refs/heads/r1$"] = { push: { exclusive: false, rules: [one("BLOCK")] } };
    });
    const groups = ["global:Registered-Users", "Release Managers"];
    const place = { project: "platform/ui", branch: "r1", permissions: ["push"] };
    const lock = document("BranchLock", { ...place, groups, force: true });
    await lab.apply(lock);
    const back = await lab.revert(lock);
    expect(back.left).toEqual([]);
    expect((await back.apply()).outcomes).toMatchObject([{ result: "applied" }]);
    const former = { ...place, groups: ["Release Managers"], reviewUploads: false, exclusive: false };
    expect((await lab.plan(document("BranchLock", former))).changes).toEqual([]);
  });

  test("removes what the run added to an object that has more", async () => {
    await using lab = await openDirectLab();
    await lab.apply(rule("Release Managers"));
    const before = lab.sandbox.state().review.projects["platform/ui"]?.access;
    await lab.apply(both);
    expect(lab.sandbox.state().review.projects["platform/ui"]?.access).not.toEqual(before);
    await (await lab.revert(both)).apply();
    expect(lab.sandbox.state().review.projects["platform/ui"]?.access).toEqual(before);
  });
});
