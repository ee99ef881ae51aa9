import { describe, expect, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import type { World } from "../../src/sandbox/world.ts";
import { type Lab, openLab, problemsOf, signOut } from "../support/lab.ts";
import { document } from "../support/manifest.ts";

const config = (text: string) => `<project><description>${text}</description></project>`;
const job = (text: string) => document("JobConfig", { job: "nightly-checks", config: config(text) });
const switched = document("ActionsPermission", { org: "meridian-kites", repo: "website", enabled: false });
const group = (metadata = {}) => document("AnalysisGroup", { name: "newcomers" }, metadata);
const assigned = document("AnalysisRoleAssignment", { role: "Projects root", account: "newcomers", group: true });
const all = job("new") + switched + group();

const shown = (changes: readonly { readonly address: string; readonly action: string }[]) =>
  changes.map(({ address, action }) => `${action} ${address}`);

/** Returns a function that changes what the account of a lab may do. */
const rights =
  ({ sandbox }: Lab, is: "reader" | "admin") =>
  () =>
    sandbox.change(({ accounts: [account] }) => {
      if (account !== undefined) account.rights = is;
    });

describe("the revert of a run", () => {
  test("restores what was updated and deletes what was created; then nothing is left to revert", async () => {
    await using lab = await openLab();
    const before = lab.sandbox.state();
    expect((await lab.apply(all)).outcomes.map(({ result }) => result)).toEqual(["applied", "applied", "applied"]);
    const back = await lab.revert(all);
    expect(shown(back.plan.changes)).toEqual([
      "delete analysis/AnalysisGroup/newcomers",
      "update ci/JobConfig/nightly-checks",
      "update hosting/ActionsPermission/meridian-kites/website",
    ]);
    expect(back.left).toEqual([]);
    expect((await back.apply()).outcomes.map(({ result }) => result)).toEqual(["applied", "applied", "applied"]);
    expect(lab.sandbox.state().analysis.groups).toEqual(before.analysis.groups);
    expect(lab.sandbox.state().hosting).toEqual(before.hosting);
    expect((await lab.plan(job("Runs the long checks."))).changes).toEqual([]);
    // A revert is a run like any other, but a group that is gone has lost its members.
    const again = await lab.revert(all);
    expect(again.plan.changes).toHaveLength(2);
    expect(again.left).toMatchObject([{ address: "analysis/AnalysisGroup/newcomers" }]);
  });

  test("restores a field that the service loses with another, and does not widen access instead", async () => {
    await using lab = await openLab();
    const limited = { ...{ org: "meridian-kites", repo: "website" }, enabled: true, allowedActions: "local_only" };
    await lab.apply(document("ActionsPermission", limited));
    const before = lab.sandbox.state().hosting;
    await lab.apply(switched);
    const after = lab.sandbox.state().hosting;
    const back = await lab.revert(switched);
    expect(back.left).toEqual([]);
    await back.apply();
    expect(lab.sandbox.state().hosting).toEqual(before);
    const again = await lab.revert(switched);
    expect(again.left).toEqual([]);
    await again.apply();
    expect(lab.sandbox.state().hosting).toEqual(after);
  });

  test("creates what was deleted, as it was seen", async () => {
    await using lab = await openLab();
    const rule = document("AccessRule", {
      ...{ project: "platform/ui", ref: "refs/heads/old", permission: "push", exclusive: true },
      rules: [{ group: "Release Managers" }],
    });
    await lab.apply(rule);
    const before = lab.sandbox.state().review;
    await lab.apply({ now: job("new"), base: rule + job("new") });
    expect(lab.sandbox.state().review).not.toEqual(before);
    const back = await lab.revert(job("new"));
    expect(shown(back.plan.changes)).toEqual([
      "update ci/JobConfig/nightly-checks",
      "create review/AccessRule/platform/ui:refs/heads/old:push",
    ]);
    await back.apply();
    expect((await lab.plan(rule)).changes).toEqual([]);
  });

  test("leaves alone, and names, what has been changed since", async () => {
    await using lab = await openLab();
    await lab.apply(all);
    lab.sandbox.change(({ ci }) => {
      const changed = ci.jobs["nightly-checks"];
      if (changed !== undefined) changed.config = config("somebody else's");
    });
    const { plan, left } = await lab.revert(all);
    expect(plan.changes.map(({ address }) => address)).not.toContain("ci/JobConfig/nightly-checks");
    expect(left).toMatchObject([{ code: "SP4007", address: "ci/JobConfig/nightly-checks" }]);
  });

  test("leaves alone a field that someone else has changed since, and restores the others of the object", async () => {
    await using lab = await openLab();
    const settings = (allowedActions: string) =>
      document("ActionsPermission", {
        ...{ org: "meridian-kites", repo: "website", enabled: true },
        ...{ allowedActions, shaPinningRequired: false },
      });
    await lab.apply(settings("all"));
    await lab.apply(settings("local_only"));
    const actionsOf = ({ hosting }: World) => hosting.repositories.find(({ name }) => name === "website")?.actions;
    lab.sandbox.change((world) => void Object.assign(actionsOf(world) ?? {}, { sha_pinning_required: true }));
    const back = await lab.revert(settings("local_only"));
    await back.apply();
    expect(back.left).toEqual([]);
    expect(actionsOf(lab.sandbox.state())).toMatchObject({ allowed_actions: "all", sha_pinning_required: true });
  });

  test("says only that it does not know about what cannot be read", async () => {
    await using lab = await openLab();
    await lab.apply(switched);
    signOut(lab);
    const { plan, left } = await lab.revert(switched);
    expect(plan.unknown).toMatchObject([{ address: "hosting/ActionsPermission/meridian-kites/website" }]);
    expect([plan.changes, left]).toEqual([[], []]);
  });

  test.each([
    ["a group that has got members", "AnalysisGroup", { users: ["jdoe"] }],
    ["a role that has got a permission", "AnalysisRole", { manageUsers: true }],
  ])("keeps, and names, %s since the run created it", async (_how, kind, added) => {
    await using lab = await openLab();
    const created = document(kind, { name: "newcomers" });
    await lab.apply(created);
    await lab.another().apply(document(kind, { name: "newcomers", ...added }));
    const { plan, left } = await lab.revert(created);
    expect(plan.changes).toEqual([]);
    expect(left).toMatchObject([
      { address: `analysis/${kind}/newcomers`, message: expect.stringContaining("changed since the run") },
    ]);
  });

  test("skips what is already as before, for example because someone undid a change", async () => {
    await using lab = await openLab();
    const before = lab.sandbox.state();
    await lab.apply(all);
    lab.sandbox.change((world) => {
      world.analysis.groups = before.analysis.groups;
    });
    const { plan, left } = await lab.revert(all);
    expect(plan.changes.map(({ address }) => address)).not.toContain("analysis/AnalysisGroup/newcomers");
    expect(left).toEqual([]);
  });

  test("deletes what only a declaration still refers to, because what refers to it is already as before", async () => {
    await using lab = await openLab();
    const user = document("AnalysisUser", { name: "newcomer" });
    const members = (users: readonly string[]) => document("AnalysisGroup", { name: "night", users, exclusive: true });
    await lab.apply(members(["jdoe"]));
    const declared = user + members(["jdoe", "newcomer"]);
    await lab.apply(declared);
    lab.sandbox.change(({ analysis }) => {
      const night = analysis.groups.find(({ name }) => name === "night");
      if (night) night.users = ["jdoe"];
    });
    const back = await lab.revert(declared);
    expect([shown(back.plan.changes), back.left]).toEqual([["delete analysis/AnalysisUser/newcomer"], []]);
    expect((await back.apply()).outcomes).toMatchObject([{ result: "applied" }]);
  });

  test("leaves to a person what would need a new secret, and what cannot be undone", async () => {
    await using lab = await openLab();
    const token = document("AccessToken", {
      description: "deploy",
      scope: "applied-permissions/admin",
      deliver: { file: "deploy" },
    });
    await lab.apply(token + group());
    await lab.apply({ now: token + job("new"), base: token + group() + job("new") });
    const { plan, left } = await lab.revert(token);
    expect(shown(plan.changes)).toEqual(["update ci/JobConfig/nightly-checks"]);
    expect(left).toMatchObject([{ code: "SP4007", address: "analysis/AnalysisGroup/newcomers" }]);
  });

  test.each([
    ["no longer declare it", ""],
    ["declare it again", group() + assigned],
  ])("restores everything else if something refers to what is gone for good, and manifests %s", async (_how, more) => {
    await using lab = await openLab();
    await lab.apply(job("old") + group() + assigned);
    await lab.apply({ now: job("new"), base: job("old") + group() + assigned });
    const { plan, left, apply } = await lab.revert(job("new") + more);
    expect(shown(plan.changes)).toEqual(["update ci/JobConfig/nightly-checks"]);
    const key = "Projects root::group:newcomers";
    expect(left.map(({ address, message }) => [address, message])).toEqual([
      ["analysis/AnalysisGroup/newcomers", "What the run did to it cannot be undone."],
      [
        `analysis/AnalysisRoleAssignment/${key}`,
        `AnalysisRoleAssignment ${key} refers to analysis/AnalysisGroup/newcomers, which is neither declared nor live.`,
      ],
    ]);
    expect((await apply()).outcomes.map(({ result }) => result)).toEqual(["applied"]);
  });

  test("keeps and names what something now refers to, and undoes everything else", async () => {
    await using lab = await openLab();
    await lab.apply(job("old"));
    await lab.apply(job("new") + group());
    const { plan, left, apply } = await lab.revert(job("new") + group() + assigned);
    expect(shown(plan.changes)).toEqual(["update ci/JobConfig/nightly-checks"]);
    expect(left).toMatchObject([
      {
        ...{ code: "SP4007", address: "analysis/AnalysisGroup/newcomers" },
        message: expect.stringMatching(
          /^AnalysisRoleAssignment .* refers to analysis\/AnalysisGroup\/newcomers, which did not exist before the run .*\.$/,
        ),
      },
    ]);
    expect((await apply()).outcomes.map(({ result }) => result)).toEqual(["applied"]);
  });

  test("keeps what something refers to, and not what has the beginning of its name", async () => {
    await using lab = await openLab();
    const groups = ["newcomers", "newcomers, 2027"].map((name) => document("AnalysisGroup", { name })).join("");
    await lab.apply(groups);
    const refers = document("AnalysisRoleAssignment", {
      role: "Projects root",
      account: "newcomers, 2027",
      group: true,
    });
    const { plan, left } = await lab.revert(groups + refers);
    expect(shown(plan.changes)).toEqual(["delete analysis/AnalysisGroup/newcomers"]);
    expect(left.map(({ address }) => address)).toEqual(["analysis/AnalysisGroup/newcomers, 2027"]);
  });

  test.each([
    ["was refused", "intent", new ProblemError({ code: "SP3007", message: "No." })],
    ["may have been sent", "intent", new Error("killed")],
    ["was never sent", "outcome", new Error("killed")],
  ] as const)("deletes what a run created if what refers to it %s", async (_how, event, end) => {
    let isOver = false;
    await using lab = await openLab({
      onStep() {
        const last = lab.journal.at(-1);
        const isSecond =
          lab.journal.filter((entry) => entry.event === "intent").length === (event === "intent" ? 2 : 1);
        if (isOver || !isSecond || last?.event !== event) return;
        isOver = true;
        throw end;
      },
    });
    await lab.apply(group() + assigned).catch((error: unknown) => expect(error).toBe(end));
    expect(lab.sandbox.state().analysis.groups.map(({ name }) => name)).toContain("newcomers");
    const { plan, left } = await lab.revert(group() + assigned);
    expect([shown(plan.changes), left]).toEqual([["delete analysis/AnalysisGroup/newcomers"], []]);
  });

  test("keeps what a run created if what the service refused, and refers to it, has been made by someone else", async () => {
    let calls = 0;
    const turn = async () => {
      if (++calls === 2) throw new ProblemError({ code: "SP3007", message: "No." });
    };
    await using lab = await openLab({ turn });
    await lab.apply(group() + assigned);
    await lab.another().apply(assigned);
    const { plan, left } = await lab.revert(group() + assigned);
    expect([plan.changes, left]).toMatchObject([[], [{ address: "analysis/AnalysisGroup/newcomers" }]]);
  });

  test("keeps what someone else has created after the service refused to", async () => {
    await using lab = await openLab();
    const { outcomes } = await lab.apply(group(), rights(lab, "reader"));
    expect(outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
    rights(lab, "admin")();
    await lab.another().apply(group());
    const { plan, left } = await lab.revert(group());
    expect([plan.changes, left]).toEqual([[], []]);
  });

  test("does not name what could not be undone if the service refused it", async () => {
    await using lab = await openLab();
    await lab.apply(group());
    const before = lab.sandbox.state();
    const { outcomes } = await lab.apply({ now: "", base: group() }, rights(lab, "reader"));
    expect(outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
    rights(lab, "admin")();
    expect(lab.sandbox.state()).toEqual(before);
    const { plan, left } = await lab.revert("");
    expect([plan.changes, left]).toEqual([[], []]);
  });

  test("leaves to a person a secret that the run created", async () => {
    await using lab = await openLab();
    const token = document("AccessToken", {
      description: "deploy",
      scope: "applied-permissions/admin",
      deliver: { file: "deploy" },
    });
    await lab.apply(token);
    const { plan, left } = await lab.revert(token);
    expect(plan.changes).toEqual([]);
    expect(left).toMatchObject([{ code: "SP4007", message: expect.stringContaining("issued a new secret") }]);
  });

  const rule = (...groups: readonly string[]) =>
    document("AccessRule", {
      ...{ project: "platform/ui", ref: "refs/heads/old", permission: "push" },
      rules: groups.map((group) => ({ group })),
    });
  const both = rule("Release Managers", "Administrators");

  test("names what the run added to a shared object if that has changed since", async () => {
    const newcomers = (...users: readonly string[]) =>
      document("AnalysisGroup", { name: "newcomers", exclusive: false, users });
    await using lab = await openLab();
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
    await using lab = await openLab();
    await lab.apply(newcomers("jdoe", "auditor"));
    await lab.apply({ now: newcomers("jdoe"), base: newcomers("jdoe", "auditor") });
    lab.sandbox.change(({ analysis }) => {
      for (const group of analysis.groups) if (group.name === "newcomers") group.users = ["jdoe", "auditor"];
    });
    const { plan, left } = await lab.revert(newcomers("jdoe"));
    expect([plan.changes, left]).toEqual([[], []]);
  });

  test("keeps and names what another resource now manages", async () => {
    await using lab = await openLab();
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
      await using lab = await openLab();
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
      await using lab = await openLab();
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
      await using lab = await openLab();
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
      await using lab = await openLab();
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
    await using lab = await openLab();
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
    await using lab = await openLab();
    await lab.apply(rule("Release Managers"));
    const before = lab.sandbox.state().review.projects["platform/ui"]?.access;
    await lab.apply(both);
    expect(lab.sandbox.state().review.projects["platform/ui"]?.access).not.toEqual(before);
    await (await lab.revert(both)).apply();
    expect(lab.sandbox.state().review.projects["platform/ui"]?.access).toEqual(before);
  });

  test("deletes nothing that a manifest protects", async () => {
    await using lab = await openLab();
    await lab.apply(group());
    expect((await lab.revert(group({ protect: true }))).plan.refusals).toMatchObject([{ code: "SP2002" }]);
  });

  test("needs a run whose journal exists", async () => {
    await using lab = await openLab();
    expect(await problemsOf(lab.revert(all))).toMatchObject([{ code: "SP1018" }]);
  });
});
