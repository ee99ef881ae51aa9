import { describe, expect, onTestFinished, test } from "vitest";
import { analysisOperations } from "../../../src/clients/analysis/operations.ts";
import { openConnection } from "../../../src/clients/connect.ts";
import { Secret } from "../../../src/core/secret.ts";
import type { JsonObject } from "../../../src/core/text/json.ts";
import type { AnalysisState } from "../../../src/sandbox/analysis/state.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { problemOf, serviceOf } from "../fixtures.ts";

interface Case {
  readonly args: JsonObject;
  /** The records that a read returns, each in part. */
  readonly gives?: readonly object[];
  /** The state of the service after a write, in part. */
  readonly leaves?: (state: AnalysisState) => unknown;
  readonly as?: unknown;
}

const source = { sourceURL: "https://old.example.com:8080", sourceAdmin: "root", sourcePassword: "${env:OLD}" };
const named = (records: readonly { readonly name: string }[]) => records.map(({ name }) => name);

const cases: Readonly<Record<keyof typeof analysisOperations, Case>> = {
  importServerConfiguration: {
    args: source,
    leaves: ({ imports }) => imports,
    as: [{ source: source.sourceURL, status: "Completed" }],
  },
  licenseCount: { args: { feature: "desktop" }, gives: [{ feature: "desktop", count: 25 }] },
  taskStatus: { args: {}, gives: [] },
  version: { args: {}, gives: [{ majorVersion: "24", minorVersion: "1" }] },
  roles: {
    args: { search: "+Triage" },
    gives: [
      {
        name: "Triage",
        change_issue_status: true,
        manage_roles: false,
        allowed_status_transitions: [
          { from: "Analyze", to: "Fix" },
          { from: "Fix", to: "Ignore" },
        ],
      },
    ],
  },
  createRole: {
    args: { name: "Lead", create_build: true, allowed_status_transitions: [{ from: "Fix", to: "Analyze" }] },
    leaves: ({ roles }) => roles.at(-1),
    as: { name: "Lead", permissions: ["create_build"], allowed_status_transitions: "Fix,Analyze" },
  },
  deleteRole: { args: { name: "Triage" }, leaves: ({ roles }) => named(roles), as: ["Projects root"] },
  users: { args: { search: "jd*" }, gives: [{ name: "jdoe", readonly: false }] },
  createUser: {
    args: { name: "newbie", password: "${env:NEW}" },
    leaves: ({ users }) => users.at(-1),
    as: { name: "newbie" },
  },
  deleteUser: { args: { name: "mlind" }, leaves: ({ users }) => named(users), as: ["admin", "auditor", "jdoe"] },
  roleAssignments: {
    args: { search: "+Triage" },
    gives: [{ name: "Triage", project_id: "2", account: "firmware", group: true }],
  },
  updateRoleAssignment: {
    args: { name: "Triage", project: "1", account: "jdoe" },
    leaves: ({ assignments }) => assignments.at(-1),
    as: { role: "Triage", project: "1", account: "jdoe", group: false },
  },
  updateRolePermissions: {
    args: { name: "Triage", change_issue_status: false },
    leaves: ({ roles }) => roles.at(-1),
    as: { name: "Triage", permissions: [], allowed_status_transitions: "Analyze,Fix;Fix,Ignore" },
  },
  groups: { args: { list_users: true, search: "firm*" }, gives: [{ name: "firmware", users: ["jdoe", "mlind"] }] },
  createGroup: {
    args: { name: "night shift", users: ["jdoe"] },
    leaves: ({ groups }) => groups.at(-1),
    as: { name: "night shift", users: ["jdoe"] },
  },
  deleteGroup: { args: { name: "quality" }, leaves: ({ groups }) => named(groups), as: ["firmware"] },
  updateGroup: {
    args: { name: "quality", remove_all: true },
    leaves: ({ groups }) => groups.at(-1),
    as: { name: "quality", users: [] },
  },
  projects: {
    args: {},
    gives: [
      { id: "1", name: "core", creator: "admin", description: "Flight controller", tags: ["c", "safety"] },
      { id: "2", name: "bootloader", creator: "jdoe" },
    ],
  },
  importProject: {
    args: { project: "gimbal", ...source },
    leaves: ({ projects }) => projects.at(-1),
    as: { id: "3", name: "gimbal", creator: "admin" },
  },
  deleteProject: {
    args: { name: "core" },
    leaves: ({ projects, builds, issues }) => [named(projects), named(builds), issues],
    as: [["bootloader"], ["boot-7"], []],
  },
  updateProject: {
    args: { name: "core", new_name: "flight core" },
    leaves: ({ projects }) => named(projects),
    as: ["flight core", "bootloader"],
  },
  importStatus: { args: {}, gives: [] },
  modules: {
    args: { project: "core" },
    gives: [
      { name: "flight", paths: ["/src/frame*", "/src/pid/**"], allow_all: true },
      { name: "drivers", paths: ["/src/watchdog*"], allow_all: false },
    ],
  },
  projectConfiguration: {
    args: { project: "core", build: "rel 2.3" },
    gives: [{ build: "rel 2.3", taxonomies: ["C and C++", "Meridian rules"] }],
  },
  taxonomies: {
    args: { project: "core" },
    gives: [
      { name: "C and C++", is_custom: false },
      { name: "Meridian rules", is_custom: true },
    ],
  },
  builds: {
    args: { project: "bootloader" },
    gives: [{ id: 4, name: "boot-7", date: 1_788_300_000_000, keepit: false }],
  },
  defectTypes: {
    args: { project: "core" },
    gives: [
      { code: "NPD.FUNC.MUST", enabled: true, severity: 1 },
      { code: "ABV.GENERAL", enabled: true, severity: 1 },
      { code: "UNUSED.FUNC", enabled: false, severity: 4 },
    ],
  },
  updateDefectType: {
    args: { project: "core", code: "UNUSED.FUNC", enabled: true, severity: 3 },
    leaves: ({ defectTypes }) => defectTypes.at(-1),
    as: { code: "UNUSED.FUNC", enabled: true, severity: 3 },
  },
  deleteBuild: {
    args: { project: "core", name: "nightly-142" },
    leaves: ({ builds, issues }) => [named(builds), issues.map(({ id }) => id)],
    as: [
      ["rel 2.3", "nightly-141", "boot-7"],
      [101, 102],
    ],
  },
  createModule: {
    args: { project: "core", name: "tests", allow_all: false, paths: ["/test/**", "/a,b"] },
    leaves: ({ modules }) => modules.at(-1),
    as: { project: "1", name: "tests", allow_all: false, paths: ["/test/**", "/a,b"] },
  },
  deleteModule: {
    args: { project: "core", name: "flight" },
    leaves: ({ modules }) => named(modules),
    as: ["drivers"],
  },
  updateModule: {
    args: { project: "core", name: "drivers", new_name: "hardware", paths: ["/hw/**"] },
    leaves: ({ modules }) => modules.at(-1),
    as: { name: "hardware", allow_all: false, paths: ["/hw/**"] },
  },
  updateBuild: {
    args: { project: "core", name: "nightly-141", new_name: "rel 2.4", keepit: true },
    leaves: ({ builds, issues }) => [builds[1], issues[0]?.builds],
    as: [{ name: "rel 2.4", keepit: true }, ["rel 2.4", "nightly-142"]],
  },
  issueDetails: {
    args: { project: "core", id: 102 },
    gives: [{ id: "102", code: "ABV.GENERAL", status: "Fix", severity: "Error", owner: "jdoe" }],
  },
  search: {
    args: {
      project: "core",
      query: { build: "nightly-142", severity: { from: 1, to: 3 } },
      view: "New and critical",
      summary: true,
    },
    gives: [
      { id: 101, state: "New", file: "/src/frame.c" },
      { summary: { query: "build:+'nightly-142' severity:1-3", total: 1 } },
    ],
  },
  updateStatus: {
    args: { project: "core", ids: [101, 103], status: "Ignore", comment: "Not ours", owner: "jdoe" },
    leaves: ({ issues }) => issues.map(({ status, owner, history }) => [status, owner, history[0]?.comment]),
    as: [
      ["Ignore", "jdoe", "Not ours"],
      ["Fix", "jdoe", undefined],
      ["Ignore", "jdoe", "Not ours"],
    ],
  },
  views: {
    args: { project: "core" },
    gives: [
      { name: "*default*", is_public: true },
      { name: "New and critical", query: "state:New severity:1-2", creator: "admin", tags: ["triage"] },
    ],
  },
  createView: {
    args: { project: "core", name: "Watchdog", query: { file: "watchdog.c" } },
    leaves: ({ views }) => views.at(-1),
    as: { project: "1", name: "Watchdog", query: "file:watchdog.c", creator: "admin" },
  },
  deleteView: { args: { project: "core", name: "New and critical" }, leaves: ({ views }) => views, as: [] },
  updateView: {
    args: { project: "core", name: "New and critical", tags: ["a", "b"], is_public: false },
    leaves: ({ views }) => views,
    as: [{ name: "New and critical", query: "state:New severity:1-2", is_public: false, tags: ["a", "b"] }],
  },
  fchurns: { args: { component: "drivers" }, gives: [{ file: "/src/watchdog.c", changes: 2 }] },
  metrics: {
    args: { project: "core", query: { file: "frame" } },
    gives: [{ filePath: "/src/frame.c", tag: "LOC_FILE", metricValue: 412 }],
  },
  report: {
    args: { project: "core", build: "nightly-142", x: "Severity", y: "State" },
    gives: [
      {
        columns: [{ name: "Critical" }, { name: "Error" }, { name: "Review" }],
        rows: [{ name: "Existing" }, { name: "New" }],
        data: [
          [0, 1, 0],
          [1, 0, 1],
        ],
      },
    ],
  },
};

async function open() {
  const sandbox = await startSandbox();
  const service = serviceOf("analysis", { url: sandbox.services.analysis.url });
  const connection = openConnection(service, {
    mode: "write",
    credentials: { is: "token", username: "admin", token: new Secret("secret") },
    resolveSecret: async (reference) => new Secret(`the secret ${reference}`),
  });
  onTestFinished(async () => {
    await connection.close();
    await sandbox.close();
  });
  return { sandbox, connection };
}

test.each(Object.entries(cases))("%s", async (name, { args, gives, leaves, as }) => {
  const { sandbox, connection } = await open();
  const result = await connection.call(name, args);
  expect(sandbox.requests()).toMatchObject([{ service: "analysis", operation: name, status: 200 }]);
  if (leaves === undefined) {
    expect(result).toMatchObject(gives ?? []);
    expect(result).toHaveLength(gives?.length ?? 0);
    expect(sandbox.requests()[0]?.effect).toBe("read");
  } else {
    const left = leaves(sandbox.state().analysis);
    if (Array.isArray(as)) expect(left).toHaveLength(as.length);
    expect(left).toMatchObject(Object(as));
    expect(sandbox.requests()[0]?.effect).toBe("write");
  }
});

test("every operation of the table has a test case", () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(analysisOperations).sort());
  expect(Object.keys(analysisOperations)).toHaveLength(43);
});

describe("a list without a limit", () => {
  test.each([
    ["users", {}],
    ["groups", {}],
    ["search", { project: "core" }],
    ["search", { project: "core", summary: true }],
  ])("of %s %j that the service cut at 1000 is not treated as complete", async (operation, args) => {
    const { sandbox, connection } = await open();
    sandbox.change(({ analysis }) => {
      const issue = analysis.issues[0];
      for (let n = 0; n < 1000; n++) {
        analysis.users.push({ name: `user ${n}`, readonly: false });
        analysis.groups.push({ name: `group ${n}`, readonly: false, users: [] });
        if (issue !== undefined) analysis.issues.push({ ...issue, id: 1000 + n });
      }
    });
    expect(await problemOf(connection.call(operation, args))).toMatchObject({ code: "SP3104", operation });
    const summary = "summary" in args ? 1 : 0;
    expect(await connection.call(operation, { ...args, limit: 5 })).toHaveLength(5 + summary);
    expect(await connection.call(operation, { ...args, limit: 1000 })).toHaveLength(1000 + summary);
  });
});
