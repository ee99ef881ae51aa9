import { describe, expect, test } from "vitest";
import { openLab } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";
import { accessOf, main, managers, rule } from "./rules.ts";

describe("AccessRule", () => {
  test("rules that the account may not see are unknown, not absent", async () => {
    await using lab = await openLab({ as: { username: "jdoe", secret: "jdoe-secret" } });
    const plan = await lab.plan(rule() + rule({ project: "platform/ui" }));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3004", "SP3004"]);
    expect(plan.calls).toEqual([]);
    // One message, so that a report names it once for however many projects.
    expect(new Set(plan.unknown.map(({ problem }) => problem.message)).size).toBe(1);
  });

  test("a service that rejects the credentials makes its rules unknown", async () => {
    await using lab = await openLab({ as: { username: "admin", secret: "wrong" } });
    const plan = await lab.plan(rule());
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
    expect(plan.calls).toEqual([]);
  });

  test("an account without write access gets a failed outcome that names the missing permission", async () => {
    await using lab = await openLab({ as: { username: "auditor", secret: "auditor-secret" } });
    const report = await lab.apply(rule());
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
    expect(lab.asked()).toEqual(["getProjectAccess", "modifyProjectAccess"]);
  });

  test("a rule that the service refuses blocks no lock of its project, since the joint call is sent in parts", async () => {
    await using lab = await openLab();
    const locks = Array.from({ length: 9 }, (_, n) =>
      document("BranchLock", { project: "platform/core", branch: `r${n}` }),
    );
    const report = await lab.apply(locks.join("") + rule({ permission: "psuh" }));
    expect(report.outcomes).toEqual([
      {
        address: `review/AccessRule/platform/core:${main}:psuh`,
        result: "failed",
        problem: expect.objectContaining({ code: "SP3007", message: expect.stringContaining("psuh") }),
      },
      ...locks.map((_, n) => ({ address: `review/BranchLock/platform/core:r${n}`, result: "applied" })),
    ]);
    expect(lab.asked()).toEqual(["getProjectAccess", ...Array(11).fill("modifyProjectAccess"), "getProjectAccess"]);
    expect(Object.keys(accessOf(lab.sandbox.state()))).toContain("refs/heads/r8");
  });

  test("parts keep together what two resources manage in one permission", async () => {
    await using lab = await openLab();
    const lock = { project: "platform/core", branch: "x", permissions: ["push"], reviewUploads: false };
    const both = document("BranchLock", lock) + rule({ ref: "refs/heads/x", rules: [{ group: managers }] });
    const plan = await lab.plan(both + rule({ permission: "submit" }));
    expect(plan.calls.map(({ parts = [] }) => parts.map(({ carries }) => carries.length))).toEqual([[1, 2]]);
  });

  test("under wire: documented, a group that does not exist is a failed outcome in the service's words", async () => {
    await using lab = await openLab({ wire: "documented" });
    const report = await lab.apply(rule({ rules: [{ group: "Nobody" }] }));
    expect(report.outcomes).toMatchObject([
      { result: "failed", problem: { code: "SP3007", message: expect.stringContaining("Nobody") } },
    ]);
  });
});
