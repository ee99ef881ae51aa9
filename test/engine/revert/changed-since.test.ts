import { describe, expect, test } from "vitest";
import type { World } from "../../../src/sandbox/world.ts";
import { openDirectLab } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { all, config, group, rights } from "./run.ts";

describe("the revert of a run", () => {
  test("leaves alone, and names, what has been changed since", async () => {
    await using lab = await openDirectLab();
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
    await using lab = await openDirectLab();
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

  test.each([
    ["a group that has got members", "AnalysisGroup", { users: ["jdoe"] }],
    ["a role that has got a permission", "AnalysisRole", { manageUsers: true }],
  ])("keeps, and names, %s since the run created it", async (_how, kind, added) => {
    await using lab = await openDirectLab();
    const created = document(kind, { name: "newcomers" });
    await lab.apply(created);
    await lab.another().apply(document(kind, { name: "newcomers", ...added }));
    const { plan, left } = await lab.revert(created);
    expect(plan.changes).toEqual([]);
    expect(left).toMatchObject([
      { address: `analysis/${kind}/newcomers`, message: expect.stringContaining("changed since the run") },
    ]);
  });

  test("keeps what someone else has created after the service refused to", async () => {
    await using lab = await openDirectLab();
    const { outcomes } = await lab.apply(group(), rights(lab, "reader"));
    expect(outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
    rights(lab, "admin")();
    await lab.another().apply(group());
    const { plan, left } = await lab.revert(group());
    expect([plan.changes, left]).toEqual([[], []]);
  });
});
