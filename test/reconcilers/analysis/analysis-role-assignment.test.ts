import { describe, expect, test } from "vitest";
import { RoleAssignmentList, RoleAssignmentRecord } from "../../../src/clients/analysis/access-records.ts";
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

  test("understands the product's list, which has one record for each role, with its accounts and the ids of projects", async () => {
    const records = RoleAssignmentList.parse([
      {
        name: "Triage",
        readonly: false,
        assignments: [
          { name: "jdoe", projectId: "2", group: false },
          { name: "firmware", projectId: "", group: true },
        ],
      },
      { name: "Projects root admin", readonly: true, assignments: [{ name: "admin", group: false }] },
      { name: "Nobody's", readonly: false, assignments: [] },
    ]);
    const read = readerWith({
      roleAssignments: async () => records,
      projects: async () => [{ id: "2", name: "bootloader" }],
    });
    expect(await analysisRoleAssignment.list?.(read)).toEqual([
      { role: "Triage", project: "bootloader", account: "jdoe", group: false },
      { role: "Triage", account: "firmware", group: true },
      { role: "Projects root admin", account: "admin", group: false },
    ]);
  });

  test.each<[what: string, assignments: readonly unknown[]]>([
    ["that is no object", ["jdoe"]],
    ["with something that nobody knows", [{ name: "jdoe", group: false, scope: "bootloader" }]],
    ["with two accounts", [{ name: "jdoe", account: "mlind", group: false }]],
    ["without an account", [{ group: false }]],
  ])("an entry %s of a role is unknown, and hides no other role's", async (_what, assignments) => {
    const read = readerWith({
      roleAssignments: async () => RoleAssignmentList.parse([{ name: "Triage", readonly: false, assignments }]),
    });
    const spec = { role: "Triage", account: "jdoe", group: false };
    const other = { ...spec, role: "Other" };
    const found = await analysisRoleAssignment.observe(read, "role assignments", [spec, other], new Date(0));
    const seen = [spec, other].map((one) => found.get(analysisRoleAssignment.key(one))?.is);
    expect(seen).toEqual(["unknown", "absent"]);
  });

  test("records that identify a project only by its id are understood", async () => {
    const read = readerWith({
      roleAssignments: async () => [{ name: "Triage", project_id: 2, account: "jdoe", group: false }],
      projects: async () => [{ id: "2", name: "bootloader" }],
    });
    const spec = { role: "Triage", project: "bootloader", account: "jdoe", group: false };
    const found = await analysisRoleAssignment.observe(read, "role assignments", [spec], new Date(0));
    expect(found.get(analysisRoleAssignment.key(spec))?.is).toBe("present");
  });

  test.each([
    ["the id of a project", { projectId: 2 }, "bootloader"],
    ["an id and an empty name", { projectId: "2", project: "" }, "bootloader"],
    ["no project at all", { project: null, project_id: null }, ""],
    ["nothing but a member without a value", { scope: null }, ""],
    ["two ids", { project_id: 2, projectId: 3 }, undefined],
    ["an id that no project has", { projectId: 9 }, undefined],
    ["something that nobody knows", { scope: "bootloader" }, undefined],
    ["a project in another form", { project: { id: 2 } }, undefined],
    ["two roles", { role: "Other" }, undefined],
    ["no word about what the account is", { group: undefined }, undefined],
    ["the id of a project, and no word about what the account is", { group: undefined, projectId: 2 }, undefined],
  ])("a record with %s is for what it says, or unknown, but never for more", async (_what, said, project) => {
    const [record] = RoleAssignmentRecord.array().parse([{ name: "Triage", account: "jdoe", group: false, ...said }]);
    const projects = [{ id: "2", name: "bootloader" }];
    const read = readerWith({
      roleAssignments: async () => (record === undefined ? [] : [record]),
      projects: async () => projects,
    });
    const spec = { role: "Triage", account: "jdoe", group: false };
    const specs = [spec, { ...spec, project: "bootloader" }, { ...spec, project: "hidden" }];
    const found = await analysisRoleAssignment.observe(read, "role assignments", specs, new Date(0));
    const seen = specs.map((one) => found.get(analysisRoleAssignment.key(one))?.is);
    const listed = await analysisRoleAssignment.list?.(read).catch(() => "refused");
    expect([seen, listed]).toEqual(
      project === undefined
        ? [expect.not.arrayContaining(["present"]), "refused"]
        : project === ""
          ? [["present", "absent", "absent"], [spec]]
          : [["absent", "present", "absent"], [{ ...spec, project }]],
    );
    if (project === undefined) expect(seen).toContain("unknown");
  });

  test.each<[what: string, record: Readonly<Record<string, unknown>>]>([
    ["role", { name: "Other", account: "jdoe", group: undefined, project: "bootloader" }],
    ["account", { name: undefined, account: "mlind", group: false, project: "bootloader" }],
    ["kind of account", { name: undefined, account: "jdoe", group: true, project: "bootloader" }],
    ["project", { name: undefined, account: "jdoe", group: false, project: "core" }],
    ["range", { name: undefined, account: "jdoe", group: false }],
    ["project that the service does not list", { name: "Triage", account: "jdoe", group: false, project_id: 9 }],
  ])("an unclear record of another %s does not hide that a role is not assigned", async (_what, record) => {
    const read = readerWith({
      roleAssignments: async () => [RoleAssignmentRecord.parse(record)],
      projects: async () => [{ id: "2", name: "bootloader" }],
    });
    const spec = { role: "Triage", account: "jdoe", group: false, project: "bootloader" };
    const found = await analysisRoleAssignment.observe(read, "role assignments", [spec], new Date(0));
    expect(found.get(analysisRoleAssignment.key(spec))).toMatchObject({ is: "absent" });
  });

  test("a record with an id that no project has can be for any project that is not listed, and for no other", async () => {
    const read = readerWith({
      roleAssignments: async () => [
        { name: "Triage", account: "jdoe", group: false, project_id: 9 },
        { name: "Triage", account: "mlind", group: false, project_id: 7, project: "seen" },
      ],
      projects: async () => [{ id: "2", name: "bootloader" }],
    });
    const spec = { role: "Triage", account: "jdoe", group: false };
    const seen = { ...spec, account: "mlind", project: "seen" };
    const specs = [spec, { ...spec, project: "bootloader" }, { ...spec, project: "hidden" }, seen];
    const found = await analysisRoleAssignment.observe(read, "role assignments", specs, new Date(0));
    expect(specs.map((one) => found.get(analysisRoleAssignment.key(one)))).toMatchObject([
      { is: "absent" },
      { is: "absent" },
      { is: "unknown", problem: { code: "SP3104", message: expect.stringContaining("with id 9") } },
      { is: "present", marker: 7 },
    ]);
  });

  test("a list says which fields of a record are not understood", async () => {
    const record = RoleAssignmentRecord.parse({ name: "Triage", group: false, scope: "x" });
    const list = analysisRoleAssignment.list?.(readerWith({ roleAssignments: async () => [record] }));
    expect(await problemsOf(list ?? Promise.resolve())).toMatchObject([
      {
        code: "SP3103",
        message:
          "The service gives Triage to an account, but setpoint does not understand who has it and where: see account, scope.",
      },
    ]);
  });

  test("a record that identifies a project only by its id does not count as a role for all projects", async () => {
    const read = readerWith({
      roleAssignments: async () => [{ name: "Triage", project_id: 2, account: "mlind", group: false }],
      projects: async () => [{ id: "2", name: "bootloader" }],
    });
    const spec = { role: "Triage", account: "jdoe", group: false };
    const found = await analysisRoleAssignment.observe(read, "role assignments", [spec], new Date(0));
    expect(found.get(analysisRoleAssignment.key(spec))).toEqual({ is: "absent", marker: undefined });
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

  test("lists projects by name if records only have their ids, and refuses a list in which one is missing", async () => {
    const read = readerWith({
      roleAssignments: async () => [{ name: "Triage", project_id: 2, account: "jdoe", group: false }],
      projects: async () => [{ id: "2", name: "bootloader" }],
    });
    expect(await analysisRoleAssignment.list?.(read)).toEqual([
      { role: "Triage", project: "bootloader", account: "jdoe", group: false },
    ]);
    const cut = analysisRoleAssignment.list?.({ ...read, projects: async () => [] }) ?? Promise.resolve();
    expect(await problemsOf(cut)).toMatchObject([{ code: "SP3104" }]);
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
