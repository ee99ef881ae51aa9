import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { World } from "../../../src/sandbox/world.ts";
import { type Answer, accounts, ask, sandboxForTest } from "../asking.ts";

function analysisSandbox(more: object = {}): Promise<Sandbox> {
  const analysis = {
    projects: [{ id: "41", name: "core" }],
    users: [{ name: "ada", readonly: true }, { name: "bo" }, { name: "Fox, Cy" }],
    groups: [{ name: "team", users: ["ada", "bo"] }],
    roles: [
      { name: "triage", permissions: ["change_issue_status"], allowed_status_transitions: "Analyze,Fix" },
      { name: "triage lead" },
    ],
    assignments: [
      { role: "triage", project: "41", account: "bo" },
      { role: "triage", account: "team", group: true },
    ],
    ...more,
  };
  return sandboxForTest({ world: World.parse({ accounts, analysis }) });
}

function act(sandbox: Sandbox, action: string, fields: Record<string, string> = {}, user = "ada"): Promise<Answer> {
  return ask(`${sandbox.services.analysis.url}/review/api`, {
    method: "POST",
    body: new URLSearchParams({ user, ltoken: user.toUpperCase(), action, ...fields }),
  });
}

async function list(sandbox: Sandbox, action: string, fields: Record<string, string> = {}): Promise<unknown[]> {
  const { text } = await act(sandbox, action, fields);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

describe("lists", () => {
  test("are one JSON object per line", async () => {
    const answer = await act(await analysisSandbox(), "users");
    expect(answer.text).toBe(
      [
        '{"name":"ada","readonly":true,"roles":[],"groups":[{"name":"team","readonly":false}]}\n',
        '{"name":"bo","readonly":false,"roles":[{"name":"triage","projectId":"41"}],"groups":[{"name":"team","readonly":false}]}\n',
        '{"name":"Fox, Cy","readonly":false,"roles":[],"groups":[]}\n',
      ].join(""),
    );
  });

  test("are an empty body when nothing is found", async () => {
    const answer = await act(await analysisSandbox(), "users", { search: "zed" });
    expect([answer.status, answer.text]).toEqual([200, ""]);
  });

  test.each([
    ["triage", ["triage", "triage lead"]],
    ["+triage", ["triage"]],
    ["lead", ["triage lead"]],
  ])("of roles match the search %s as a substring or, after a plus, as the whole name", async (search, names) => {
    const roles = await list(await analysisSandbox(), "roles", { search });
    expect(roles).toMatchObject(names.map((name) => ({ name })));
    expect(roles).toHaveLength(names.length);
  });

  test.each([
    ["b", []],
    ["bo", ["bo"]],
    ["*o*", ["bo", "Fox, Cy"]],
    ["+bo", []],
  ])("of users match the search %s as a pattern", async (search, names) => {
    expect(await list(await analysisSandbox(), "users", { search })).toMatchObject(names.map((name) => ({ name })));
    expect(await list(await analysisSandbox(), "groups", { search: "te*" })).toHaveLength(1);
  });

  test("of users end after 1000 unless a limit is sent", async () => {
    const users = Array.from({ length: 1200 }, (_, index) => ({ name: `u${index}` }));
    const sandbox = await analysisSandbox({ users });
    expect(await list(sandbox, "users")).toHaveLength(1000);
    expect(await list(sandbox, "users", { limit: "1100" })).toHaveLength(1100);
  });

  test("of groups have members only on request", async () => {
    const sandbox = await analysisSandbox();
    expect(await list(sandbox, "groups")).toEqual([{ name: "team", readonly: false }]);
    expect(await list(sandbox, "groups", { list_users: "true" })).toEqual([
      { name: "team", readonly: false, users: ["ada", "bo"] },
    ]);
  });

  test("of role assignments have a record for each role, with its accounts and the ids of projects", async () => {
    expect(await list(await analysisSandbox(), "role_assignments")).toEqual([
      {
        name: "triage",
        readonly: false,
        assignments: [
          { name: "bo", projectId: "41", group: false },
          { name: "team", group: true },
        ],
      },
      { name: "triage lead", readonly: false, assignments: [] },
    ]);
  });

  test("of projects name their ids", async () => {
    expect(await list(await analysisSandbox(), "projects")).toEqual([{ id: "41", name: "core" }]);
  });
});

describe("roles", () => {
  test("are created with the permissions that are sent", async () => {
    const sandbox = await analysisSandbox();
    const fields = { name: "maker", create_project: "true", allowed_status_transitions: "Fix,Ignore" };
    const answer = await act(sandbox, "create_role", fields);
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(await list(sandbox, "roles", { search: "+maker" })).toEqual([
      {
        name: "maker",
        readonly: false,
        permissions: expect.arrayContaining([
          { name: "create_project", enabled: true },
          { name: "manage_roles", enabled: false },
        ]),
        statusPermissions: [{ from: "Fix", to: "Ignore" }],
      },
    ]);
  });

  test("change only in the fields that are sent", async () => {
    const sandbox = await analysisSandbox();
    await act(sandbox, "update_role_permissions", { name: "triage", manage_roles: "true" });
    await act(sandbox, "update_role_permissions", { name: "triage", manage_users: "false" });
    expect(await list(sandbox, "roles", { search: "+triage" })).toMatchObject([
      {
        permissions: expect.arrayContaining([
          { name: "manage_roles", enabled: true },
          { name: "manage_users", enabled: false },
          { name: "change_issue_status", enabled: true },
        ]),
        statusPermissions: [{ from: "Analyze", to: "Fix" }],
      },
    ]);
  });

  test("are deleted with their assignments", async () => {
    const sandbox = await analysisSandbox();
    await act(sandbox, "delete_role", { name: "triage" });
    expect(await list(sandbox, "role_assignments")).toMatchObject([{ name: "triage lead", assignments: [] }]);
  });

  test.each(["41", "core"])("are assigned in the project %s once, however often that is requested", async (project) => {
    const sandbox = await analysisSandbox({ assignments: [] });
    for (const _ of [1, 2])
      expect((await act(sandbox, "update_role_assignment", { name: "triage", project, account: "bo" })).status).toBe(
        200,
      );
    expect(await list(sandbox, "role_assignments", { search: "+triage" })).toMatchObject([
      { assignments: [{ name: "bo", projectId: "41", group: false }] },
    ]);
  });

  test("are removed only from the named account and project", async () => {
    const sandbox = await analysisSandbox();
    await act(sandbox, "update_role_assignment", { name: "triage", account: "team", group: "true", remove: "true" });
    expect(await list(sandbox, "role_assignments", { search: "+triage" })).toMatchObject([
      { assignments: [{ name: "bo" }] },
    ]);
  });

  test.each([
    { name: "none", account: "bo" },
    { name: "triage", account: "none" },
    { name: "triage", account: "team" },
    { name: "triage", account: "bo", project: "none" },
  ])("are not assigned if something is unknown: %j", async (fields) => {
    expect((await act(await analysisSandbox(), "update_role_assignment", fields)).status).toBe(400);
  });
});

describe("users and groups", () => {
  test("a deleted user leaves all groups and roles", async () => {
    const sandbox = await analysisSandbox();
    await act(sandbox, "delete_user", { name: "bo" });
    expect(await list(sandbox, "groups", { list_users: "true" })).toMatchObject([{ users: ["ada"] }]);
    expect(await list(sandbox, "role_assignments", { search: "+triage" })).toMatchObject([
      { assignments: [{ name: "team" }] },
    ]);
  });

  test("a deleted group loses its roles, and its members stay", async () => {
    const sandbox = await analysisSandbox();
    await act(sandbox, "delete_group", { name: "team" });
    expect(await list(sandbox, "role_assignments", { search: "+triage" })).toMatchObject([
      { assignments: [{ name: "bo" }] },
    ]);
    expect(await list(sandbox, "users")).toHaveLength(3);
  });

  test("the members of a group are replaced; a backslash escapes a comma in a name", async () => {
    const sandbox = await analysisSandbox();
    await act(sandbox, "update_group", { name: "team", users: "bo,Fox\\, Cy" });
    expect(await list(sandbox, "groups", { list_users: "true" })).toMatchObject([{ users: ["bo", "Fox, Cy"] }]);
  });

  test("remove_all removes the members of a group, which stay if nothing is sent", async () => {
    const sandbox = await analysisSandbox();
    await act(sandbox, "update_group", { name: "team" });
    expect(await list(sandbox, "groups", { list_users: "true" })).toMatchObject([{ users: ["ada", "bo"] }]);
    await act(sandbox, "update_group", { name: "team", remove_all: "true" });
    expect(await list(sandbox, "groups", { list_users: "true" })).toMatchObject([{ users: [] }]);
  });

  test.each([
    ["create_user", { name: "bo" }, 409, "User bo already exists"],
    ["create_group", { name: "team" }, 409, "Group team already exists"],
    ["create_role", { name: "triage" }, 409, "Role triage already exists"],
    ["create_group", { name: "new", users: "bo,zed" }, 404, "User zed does not exist"],
    ["update_group", { name: "team", users: "zed" }, 404, "User zed does not exist"],
    ["delete_user", { name: "zed" }, 404, "User zed does not exist"],
  ])("%s %j is an error that changes nothing", async (action, fields, status, message) => {
    const sandbox = await analysisSandbox();
    const before = sandbox.state();
    const answer = await act(sandbox, action, { ...fields });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([400, { status, message }]);
    expect(sandbox.state()).toEqual(before);
  });
});

describe("errors", () => {
  test.each([
    ["an unknown action", "fly", {}, { status: 400, message: "Unknown action fly" }],
    ["a missing field", "create_user", {}, { status: 400, message: expect.stringContaining("name") }],
    [
      "a boolean in other words",
      "create_role",
      { name: "x", manage_roles: "yes" },
      { status: 400, message: expect.stringContaining("manage_roles") },
    ],
    [
      "a limit that is not a number",
      "users",
      { limit: "many" },
      { status: 400, message: expect.stringContaining("limit") },
    ],
  ])("%s", async (_, action, fields: Record<string, string>, error) => {
    const answer = await act(await analysisSandbox(), action, fields);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([400, error]);
  });

  test("can have any HTTP status, even 200", async () => {
    const answer = await act(await analysisSandbox({ errorStatus: 200 }), "delete_user", { name: "zed" });
    expect([answer.status, JSON.parse(answer.text).status]).toEqual([200, 404]);
  });

  test.each(["rex", "max"])("an account that is not an administrator (%s) may read but not write", async (user) => {
    const sandbox = await analysisSandbox();
    expect((await act(sandbox, "users", {}, user)).status).toBe(200);
    expect(JSON.parse((await act(sandbox, "create_user", { name: "new" }, user)).text)).toMatchObject({ status: 403 });
    expect(await list(sandbox, "users")).toHaveLength(3);
  });

  test.each([
    ["wrong", { user: "ada", ltoken: "wrong", action: "users" }],
    ["missing", { action: "users" }],
  ])("are sent for credentials that are %s", async (_, fields: Record<string, string>) => {
    const sandbox = await analysisSandbox();
    const answer = await ask(`${sandbox.services.analysis.url}/review/api`, {
      method: "POST",
      body: new URLSearchParams(fields),
    });
    expect(JSON.parse(answer.text)).toMatchObject({ status: 401 });
  });

  test("only a form is read, with or without a charset", async () => {
    const sandbox = await analysisSandbox();
    const body = "user=ada&ltoken=ADA&action=projects";
    const post = (type: string) =>
      ask(`${sandbox.services.analysis.url}/review/api`, { method: "POST", headers: { "content-type": type }, body });
    expect((await post("application/x-www-form-urlencoded;charset=UTF-8")).status).toBe(200);
    expect((await post("application/x-www-form-urlencoded")).status).toBe(200);
    expect((await post("application/json")).status).toBe(400);
  });

  test.each([
    ["/review/other", "POST", 404],
    ["/review/api", "GET", 405],
  ])("for %s by %s are the web server's own page", async (path, method, status) => {
    const sandbox = await analysisSandbox();
    const answer = await ask(`${sandbox.services.analysis.url}${path}`, { method });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/html;charset=utf-8"]);
  });
});
