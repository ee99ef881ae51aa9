import { describe, expect, test } from "vitest";
import { RoleRecord } from "../../../src/clients/analysis/access-records.ts";
import type { Metadata } from "../../../src/core/resource.ts";
import { analysisRole } from "../../../src/reconcilers/analysis/analysis-role.ts";
import { type Lab, openLab } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { listLive, readerWith } from "./live.ts";

function role(spec: Readonly<Record<string, unknown>>, metadata: Partial<Metadata> = {}): string {
  return document("AnalysisRole", { name: "Triage", ...spec }, metadata);
}

function roleOf({ sandbox }: Lab, name = "Triage") {
  return sandbox.state().analysis.roles.find((one) => one.name === name);
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

const analyzeToFix = { from: "Analyze", to: "Fix" };
const fixToIgnore = { from: "Fix", to: "Ignore" };

describe("AnalysisRole", () => {
  test("creates a role: one read, one write, one read to verify", async () => {
    await using lab = await openLab();
    const spec = { name: "Lead", manageUsers: true, allowedStatusTransitions: [{ from: "Any", to: "Not a Problem" }] };
    const report = await lab.apply(role(spec));
    expect(report.outcomes).toEqual([{ address: "analysis/AnalysisRole/Lead", result: "applied" }]);
    expect(lab.asked()).toEqual(["roles", "createRole", "roles"]);
    expect(roleOf(lab, "Lead")).toEqual({
      name: "Lead",
      permissions: ["manage_users"],
      allowed_status_transitions: "Any,Not a Problem",
    });
    expect((await lab.plan(role(spec))).inSync).toEqual(["analysis/AnalysisRole/Lead"]);
  });

  test("budget: twenty roles are one read, one write each, and one read to verify", async () => {
    await using lab = await openLab();
    const roles = Array.from({ length: 20 }, (_, n) => role({ name: `role ${n}`, createBuild: true })).join("");
    expect(results(await lab.apply(roles))).toEqual(Array(20).fill("applied"));
    expect(lab.asked()).toEqual(["roles", ...Array(20).fill("createRole"), "roles"]);
    await lab.plan(roles);
    expect(lab.asked()).toEqual(["roles"]);
  });

  test("sends only changed permissions and leaves the others as they are", async () => {
    await using lab = await openLab();
    const report = await lab.apply(role({ changeIssueStatus: true, deleteBuild: true }));
    expect(report.plan.calls.map(({ operation, args }) => [operation, args])).toEqual([
      ["updateRolePermissions", { name: "Triage", delete_build: true }],
    ]);
    expect(report.plan.changes).toMatchObject([{ risks: ["widens-access"] }]);
    expect(roleOf(lab)).toEqual({
      name: "Triage",
      permissions: ["change_issue_status", "delete_build"],
      allowed_status_transitions: "Analyze,Fix;Fix,Ignore",
    });
  });

  test("leaves an ignored permission as it is, and counts it", async () => {
    await using lab = await openLab();
    const report = await lab.apply(
      role({ changeIssueStatus: false, createBuild: true }, { ignore: ["changeIssueStatus"] }),
    );
    expect(report.plan.ignored).toEqual([{ address: "analysis/AnalysisRole/Triage", field: "changeIssueStatus" }]);
    expect(roleOf(lab)?.permissions).toEqual(["change_issue_status", "create_build"]);
  });

  test("ignores the order of status transitions, and notices a missing one", async () => {
    await using lab = await openLab();
    const both = role({ allowedStatusTransitions: [fixToIgnore, analyzeToFix] });
    expect((await lab.plan(both)).changes).toEqual([]);
    const report = await lab.apply(role({ allowedStatusTransitions: [analyzeToFix] }));
    expect(report.plan.changes).toMatchObject([{ risks: ["narrows-access"] }]);
    expect(roleOf(lab)?.allowed_status_transitions).toBe("Analyze,Fix");
    await lab.apply(role({ allowedStatusTransitions: [] }));
    expect(roleOf(lab)?.allowed_status_transitions).toBe("");
  });

  test("counts a transition that is stated twice as one", async () => {
    await using lab = await openLab();
    const twice = role({ allowedStatusTransitions: [analyzeToFix, fixToIgnore, analyzeToFix] });
    expect((await lab.plan(twice)).changes).toEqual([]);
  });

  test("deletes a role that is declared absent", async () => {
    await using lab = await openLab();
    const report = await lab.apply(role({}, { state: "absent" }));
    expect(report.plan.changes).toMatchObject([{ action: "delete", risks: ["irreversible", "narrows-access"] }]);
    expect(lab.asked()).toEqual(["roles", "deleteRole", "roles"]);
    expect(roleOf(lab)).toBeUndefined();
  });

  test("deletes what is removed from the manifests if there is a base, and keeps it otherwise", async () => {
    await using lab = await openLab();
    expect((await lab.plan("")).changes).toEqual([]);
    expect(results(await lab.apply({ now: "", base: role({}) }))).toEqual(["applied"]);
    expect(roleOf(lab)).toBeUndefined();
  });

  test("reports which side changed: the manifest, the service or both", async () => {
    await using lab = await openLab();
    const verdicts = async (now: Readonly<Record<string, unknown>>, base: Readonly<Record<string, unknown>>) =>
      (await lab.plan({ now: role(now), base: role(base) })).changes.map(({ verdict }) => verdict);
    expect(await verdicts({ changeIssueStatus: false }, { changeIssueStatus: true })).toEqual(["pending"]);
    expect(await verdicts({ changeIssueStatus: false }, { changeIssueStatus: false })).toEqual(["drift"]);
    const none = { allowedStatusTransitions: [] };
    expect(await verdicts(none, { allowedStatusTransitions: [analyzeToFix] })).toEqual(["conflict"]);
    expect(await verdicts({ name: "Gone" }, { name: "Gone" })).toEqual(["drift"]);
  });

  test.each([
    ["the synchronization of issues between projects", "executeKwxsync", "execute_kwxsync"],
    ["the creation of streams", "createStream", "create_stream"],
    ["the deletion of streams", "deleteStream", "delete_stream"],
  ])("grants and revokes %s", async (_what, field, permission) => {
    await using lab = await openLab();
    const role = (granted: boolean) => document("AnalysisRole", { name: "Triage", [field]: granted });
    const report = await lab.apply(role(true));
    expect(report.plan.calls.map(({ args }) => args)).toEqual([{ name: "Triage", [permission]: true }]);
    expect(roleOf(lab)?.permissions).toContain(permission);
    const { changes } = (await lab.apply(role(false))).plan;
    expect(changes).toMatchObject([{ risks: ["narrows-access"] }]);
    expect(roleOf(lab)?.permissions).not.toContain(permission);
  });

  test("a permission that the version does not have is unknown, not off", async () => {
    const permissions = [{ name: "create_build", enabled: true }];
    const read = readerWith({
      roles: async () => [RoleRecord.parse({ name: "Triage", readonly: false, permissions })],
    });
    const seen = (spec: object) => analysisRole.observe(read, "roles", [{ name: "Triage", ...spec }], new Date());
    expect((await seen({ createBuild: true })).get("Triage")?.is).toBe("present");
    expect((await seen({ createStream: false })).get("Triage")?.is).toBe("unknown");
  });

  test("lists every role and its permissions with one read; importing then planning gives an empty plan", async () => {
    await using lab = await openLab();
    const { specs, manifest, asked } = await listLive(lab, "AnalysisRole");
    expect(specs).toMatchObject([
      { name: "Projects root", createProject: true, deleteBuild: false, allowedStatusTransitions: [] },
      { name: "Triage", createProject: false, allowedStatusTransitions: [analyzeToFix, fixToIgnore] },
    ]);
    expect(asked).toEqual(["roles"]);
    expect(await lab.plan(manifest)).toMatchObject({ changes: [], unknown: [] });
  });

  test.each([
    ["names", { permissions: ["create_build"] }, { createBuild: true, deleteBuild: false }],
    ["named objects", { permissions: [{ name: "create_build" }] }, { createBuild: true, deleteBuild: false }],
    [
      "named objects with values",
      {
        permissions: [
          { name: "create_build", enabled: true },
          { name: "delete_build", value: false },
        ],
      },
      { createBuild: true, deleteBuild: false },
    ],
    ["flags", { permissions: { create_build: true, delete_build: false } }, { createBuild: true, deleteBuild: false }],
    ["a list of flags", { permissions: [{ create_build: true }] }, { createBuild: true }],
    ["its own flags", { create_build: true, delete_build: false }, { createBuild: true, deleteBuild: false }],
    ["a flag in a form that nobody knows", { create_build: "partly", delete_build: false }, { deleteBuild: false }],
    ["a name that nobody knows", { permissions: ["delete_build", "CreateBuild"] }, { deleteBuild: true }],
    ["a permission with a condition", { permissions: [{ name: "create_build", project: 7 }] }, {}],
    ["a permission with a word that nobody knows", { permissions: [{ name: "create_build", inherited: true }] }, {}],
    ["a permission with more than a value", { permissions: [{ name: "create_build", value: true, project: 7 }] }, {}],
    [
      "transitions as text",
      { create_build: true, allowed_status_transitions: "Analyze, Fix;; Fix ,Ignore; " },
      { createBuild: true, allowedStatusTransitions: [analyzeToFix, fixToIgnore] },
    ],
    ["a flag that it contradicts", { create_build: true, permissions: { create_build: false } }, {}],
    ["a transition with a condition", { allowed_status_transitions: "Any,Fix,owner" }, {}],
    ["the name of a role among its permissions", { permissions: { name: "Other" } }, {}],
  ])("a record with %s grants what it says, and leaves the rest open", async (_what, said, granted) => {
    const roles = RoleRecord.array().parse([{ name: "Triage", ...said }]);
    const read = readerWith({ roles: async () => roles });
    const [listed] = (await analysisRole.list?.(read)) ?? [];
    const { createBuild, deleteBuild, name, allowedStatusTransitions } = listed ?? {};
    expect({ createBuild, deleteBuild, name, allowedStatusTransitions }).toEqual({ name: "Triage", ...granted });
    const spec = { name: "Triage", createBuild: false };
    const found = await analysisRole.observe(read, "roles", [spec], new Date(0));
    expect(found.get("Triage")?.is).toBe("createBuild" in granted ? "present" : "unknown");
  });

  test("a service that rejects the credentials makes its roles unknown", async () => {
    await using lab = await openLab({ as: { username: "admin", secret: "wrong" } });
    const plan = await lab.plan(role({ createBuild: true }));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
    expect(plan.calls).toEqual([]);
  });

  test("an account without write access gets a failed outcome that names the missing permission", async () => {
    await using lab = await openLab({ as: { username: "jdoe", secret: "jdoe-secret" } });
    const report = await lab.apply(role({ createBuild: true }));
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
  });

  test("accepts special characters in names, but not the list separator in names of statuses", async () => {
    await using lab = await openLab();
    const spec = {
      name: `+ü,\\"';/&=%`,
      webapiAccess: true,
      allowedStatusTransitions: [{ from: `ü\\"'/&=%`, to: "Not a Problem" }],
    };
    expect(results(await lab.apply(role(spec)))).toEqual(["applied"]);
    expect((await lab.plan(role(spec))).changes).toEqual([]);
    const isFine = (from: string) =>
      analysisRole.spec.safeParse({ name: "r", allowedStatusTransitions: [{ from, to: "Fix" }] }).success;
    expect(["Any", "a,b", "a;b", ""].map(isFine)).toEqual([true, false, false, false]);
    // They are not read back, so a plan would never be empty.
    expect([" Any", "Any ", "Not a Problem"].map(isFine)).toEqual([false, false, true]);
  });
});
