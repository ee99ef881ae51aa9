import { describe, expect, test } from "vitest";
import { ProjectRecord } from "../../../src/clients/analysis/records.ts";
import type { Metadata } from "../../../src/core/resource.ts";
import { analysisRoleAssignment } from "../../../src/reconcilers/analysis/analysis-role-assignment.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { listLive, readerWith } from "./live.ts";

function assignment(spec: Readonly<Record<string, unknown>>, metadata: Partial<Metadata> = {}): string {
  return document("AnalysisRoleAssignment", { role: "Triage", account: "jdoe", ...spec }, metadata);
}

function assignmentsOf({ sandbox }: Lab) {
  return sandbox.state().analysis.assignments;
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

const forAdmin = { role: "Projects root", account: "admin", group: false };
const forFirmware = { role: "Triage", project: "2", account: "firmware", group: true };

describe("AnalysisRoleAssignment", () => {
  test("assigns a role for all projects, without the need to declare what it refers to", async () => {
    await using lab = await openLab();
    const report = await lab.apply(assignment({}));
    expect(report.outcomes).toEqual([{ address: "analysis/AnalysisRoleAssignment/Triage::jdoe", result: "applied" }]);
    expect(report.plan.changes).toMatchObject([{ action: "create", risks: ["widens-access"] }]);
    expect(assignmentsOf(lab)).toEqual([forAdmin, forFirmware, { role: "Triage", account: "jdoe", group: false }]);
  });

  test("assigns a role in a project by the project's id", async () => {
    await using lab = await openLab();
    const report = await lab.apply(assignment({ project: "core" }));
    expect(report.plan.calls.map(({ args }) => args)).toEqual([
      { name: "Triage", account: "jdoe", group: false, project: "1" },
    ]);
    expect(assignmentsOf(lab)).toContainEqual({ role: "Triage", project: "1", account: "jdoe", group: false });
    expect((await lab.plan(assignment({ project: "core" }))).changes).toEqual([]);
  });

  test("budget: assignments are one read, one write each and one read to verify; what they refer to is read once", async () => {
    await using lab = await openLab();
    const accounts = ["admin", "auditor", "jdoe", "mlind"];
    const all = accounts.map((account) => assignment({ account, project: "bootloader" })).join("");
    expect(results(await lab.apply(all))).toEqual(Array(4).fill("applied"));
    const [first, ...rest] = lab.asked();
    expect(first).toBe("roleAssignments");
    expect(rest.slice(0, 3).toSorted()).toEqual(["projects", "roles", "users"]);
    expect(rest.slice(3)).toEqual([...Array(4).fill("updateRoleAssignment"), "roleAssignments", "projects"]);
    await lab.plan(all);
    expect(lab.asked()).toEqual(["roleAssignments", "projects"]);
  });

  test("budget: projects are read once, and only if an assignment is for a project", async () => {
    await using lab = await openLab();
    await lab.plan(assignment({ ...forFirmware, project: "bootloader" }));
    expect(lab.asked()).toEqual(["roleAssignments", "projects"]);
    lab.sandbox.change(({ analysis }) => {
      analysis.assignments = analysis.assignments.filter(({ project }) => project === undefined);
    });
    await lab.plan(assignment(forAdmin));
    expect(lab.asked()).toEqual(["roleAssignments"]);
  });

  test("removes a role that is declared absent, and no other", async () => {
    await using lab = await openLab();
    const spec = { ...forFirmware, project: "bootloader" };
    const report = await lab.apply(assignment(spec, { state: "absent" }));
    expect(report.plan.changes).toMatchObject([{ action: "delete", risks: ["narrows-access"] }]);
    const reads = ["roleAssignments", "projects"];
    expect(lab.asked()).toEqual([...reads, "updateRoleAssignment", ...reads]);
    expect(assignmentsOf(lab)).toEqual([forAdmin]);
  });

  test("deletes what is removed from the manifests if there is a base, and keeps it otherwise", async () => {
    await using lab = await openLab();
    expect((await lab.plan("")).changes).toEqual([]);
    expect(results(await lab.apply({ now: "", base: assignment(forAdmin) }))).toEqual(["applied"]);
    expect(assignmentsOf(lab)).toEqual([forFirmware]);
  });

  test("reports which side changed: a role that was declared before was removed on the service", async () => {
    await using lab = await openLab();
    const verdicts = async (base: string) =>
      (await lab.plan({ now: assignment({}), base })).changes.map(({ verdict }) => verdict);
    expect(await verdicts("")).toEqual(["pending"]);
    expect(await verdicts(assignment({}))).toEqual(["drift"]);
  });

  test("waits until a project exists whose name is the id of another one, which would get the role instead", async () => {
    await using lab = await openLab();
    const both = document("AnalysisProject", { name: "2", renamedFrom: "core" }) + assignment({ project: "2" });
    const report = await lab.apply(both);
    expect(report.plan.unknown).toMatchObject([
      { problem: { code: "SP3005", message: expect.stringContaining("for the project bootloader, whose id it is") } },
    ]);
    expect(assignmentsOf(lab)).toEqual([forAdmin, forFirmware]);
    expect(results(await lab.apply(both))).toEqual(["applied"]);
    expect(assignmentsOf(lab)).toContainEqual({ role: "Triage", project: "1", account: "jdoe", group: false });
  });

  test("a user and a group with the same name are two accounts", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ analysis }) => {
      analysis.users.push({ name: "firmware", readonly: false });
    });
    const [asUser, asGroup] = [false, true].map((group) => assignment({ account: "firmware", group }));
    expect(results(await lab.apply(`${asUser}${asGroup}`))).toEqual(["applied", "applied"]);
    const report = await lab.apply({ now: asGroup ?? "", base: asUser ?? "" });
    expect(results(report)).toEqual(["applied"]);
    expect(assignmentsOf(lab)).toEqual([forAdmin, forFirmware, { role: "Triage", account: "firmware", group: true }]);
  });

  test("role, user, group and assignment are created in this order in one apply, and deleted in reverse", async () => {
    await using lab = await openLab();
    const all = [
      assignment({ role: "R", account: "g", group: true }),
      assignment({ role: "R", account: "u" }),
      document("AnalysisGroup", { name: "g", users: ["u"] }),
      document("AnalysisRole", { name: "R" }),
      document("AnalysisUser", { name: "u" }),
    ].join("");
    const writes = () => lab.asked().filter((name) => /^(create|update|delete)/.test(name));
    expect(results(await lab.apply(all))).toEqual(Array(5).fill("applied"));
    const created = writes();
    expect(created.slice(0, 2).toSorted()).toEqual(["createRole", "createUser"]);
    expect(created.slice(2).toSorted()).toEqual(["createGroup", "updateRoleAssignment", "updateRoleAssignment"]);
    expect(created.at(-1)).toBe("updateRoleAssignment");
    const before = lab.sandbox.state().analysis;
    expect(results(await lab.apply({ now: "", base: all }))).toEqual(Array(5).fill("applied"));
    const deleted = writes();
    expect(deleted.slice(0, 2)).toEqual(["updateRoleAssignment", "updateRoleAssignment"]);
    expect(deleted.indexOf("deleteGroup")).toBeLessThan(deleted.indexOf("deleteUser"));
    expect(before.assignments).toHaveLength(4);
    expect(assignmentsOf(lab)).toEqual([forAdmin, forFirmware]);
  });

  test.each([
    ["role", { role: "Nothing" }, "analysis/AnalysisRole/Nothing"],
    ["user", { account: "nobody" }, "analysis/AnalysisUser/nobody"],
    ["group", { account: "jdoe", group: true }, "analysis/AnalysisGroup/jdoe"],
    ["project", { project: "nowhere" }, "analysis/AnalysisProject/nowhere"],
  ])("a %s that is neither declared nor live is an error", async (_what, spec, address) => {
    await using lab = await openLab();
    expect(await problemsOf(lab.plan(assignment(spec)))).toMatchObject([
      { code: "SP1010", message: expect.stringContaining(address) },
    ]);
  });

  test("many assignments take time proportional to their number", async () => {
    const specs = Array.from({ length: 300 }, (_, n) => ({
      ...{ role: "Triage", project: `p${n}`, account: `a${n}`, group: false },
    }));
    let looked = 0;
    const projects = specs.map(({ project }, id) => ({
      id: String(id),
      get name() {
        looked++;
        return project;
      },
    }));
    const records = specs.map(({ role, account, group }, id) => ({ name: role, project_id: id, account, group }));
    const read = readerWith({ roleAssignments: async () => records, projects: async () => projects });
    const found = await analysisRoleAssignment.observe(read, "role assignments", specs, new Date(0));
    expect([...found.values()].every(({ is }) => is === "present")).toBe(true);
    expect(looked).toBeLessThan(10 * specs.length);
  });

  test("a number that cannot be represented exactly is not an id, since a write would change another project", () => {
    expect(ProjectRecord.safeParse({ id: 2 ** 53 - 1, name: "core" }).success).toBe(true);
    expect(ProjectRecord.safeParse({ id: JSON.parse("9007199254740993"), name: "core" }).success).toBe(false);
  });

  test("lists every assignment with two reads; importing then planning gives an empty plan", async () => {
    await using lab = await openLab();
    const { specs, manifest, asked } = await listLive(lab, "AnalysisRoleAssignment");
    expect(specs).toEqual([forAdmin, { ...forFirmware, project: "bootloader" }]);
    expect(asked).toEqual(["roleAssignments", "projects"]);
    expect(await lab.plan(manifest)).toMatchObject({ changes: [], unknown: [] });
  });

  test("a service that rejects the credentials makes its assignments unknown", async () => {
    await using lab = await openLab({ as: { username: "admin", secret: "wrong" } });
    const plan = await lab.plan(assignment({}));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
    expect(plan.calls).toEqual([]);
  });

  test("an account without write access gets a failed outcome that names the missing permission", async () => {
    await using lab = await openLab({ as: { username: "jdoe", secret: "jdoe-secret" } });
    const report = await lab.apply(assignment({}));
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
  });

  test("accepts names with special characters", async () => {
    await using lab = await openLab();
    const name = `+ü,\\"';/&=% :x`;
    lab.sandbox.change(({ analysis }) => {
      analysis.projects.push({ id: "9", name });
    });
    const all = [
      assignment({ role: name, account: name, project: name }),
      assignment({ role: name, account: name, group: true }),
      document("AnalysisRole", { name }),
      document("AnalysisUser", { name }),
      document("AnalysisGroup", { name, users: [name] }),
    ].join("");
    expect(results(await lab.apply(all))).toEqual(Array(5).fill("applied"));
    expect((await lab.plan(all)).changes).toEqual([]);
  });
});
