import { describe, expect, test } from "vitest";
import { RoleAssignmentList, RoleAssignmentRecord } from "../../../../src/clients/analysis/access-records.ts";
import { analysisRoleAssignment } from "../../../../src/reconcilers/analysis/analysis-role-assignment.ts";
import { problemsOf } from "../../../support/lab.ts";
import { readerWith } from "../live.ts";

describe("AnalysisRoleAssignment", () => {
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
});
