import { describe, expect, test } from "vitest";
import { openDirectLab, problemsOf, signOut } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { all, group, job, rights, shown, switched } from "./run.ts";

describe("the revert of a run", () => {
  test("restores what was updated and deletes what was created; then nothing is left to revert", async () => {
    await using lab = await openDirectLab();
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
    await using lab = await openDirectLab();
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
    await using lab = await openDirectLab();
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

  test("says only that it does not know about what cannot be read", async () => {
    await using lab = await openDirectLab();
    await lab.apply(switched);
    signOut(lab);
    const { plan, left } = await lab.revert(switched);
    expect(plan.unknown).toMatchObject([{ address: "hosting/ActionsPermission/meridian-kites/website" }]);
    expect([plan.changes, left]).toEqual([[], []]);
  });

  test("skips what is already as before, for example because someone undid a change", async () => {
    await using lab = await openDirectLab();
    const before = lab.sandbox.state();
    await lab.apply(all);
    lab.sandbox.change((world) => {
      world.analysis.groups = before.analysis.groups;
    });
    const { plan, left } = await lab.revert(all);
    expect(plan.changes.map(({ address }) => address)).not.toContain("analysis/AnalysisGroup/newcomers");
    expect(left).toEqual([]);
  });

  test("leaves to a person what would need a new secret, and what cannot be undone", async () => {
    await using lab = await openDirectLab();
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

  test("does not name what could not be undone if the service refused it", async () => {
    await using lab = await openDirectLab();
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
    await using lab = await openDirectLab();
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

  test("deletes nothing that a manifest protects", async () => {
    await using lab = await openDirectLab();
    await lab.apply(group());
    expect((await lab.revert(group({ protect: true }))).plan.refusals).toMatchObject([{ code: "SP2002" }]);
  });

  test("needs a run whose journal exists", async () => {
    await using lab = await openDirectLab();
    expect(await problemsOf(lab.revert(all))).toMatchObject([{ code: "SP1018" }]);
  });
});
