import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { type Answer, ask, sandboxForTest } from "../asking.ts";

function act(sandbox: Sandbox, action: string, fields: Record<string, string> = {}): Promise<Answer> {
  return ask(`${sandbox.services.analysis.url}/review/api`, {
    method: "POST",
    body: new URLSearchParams({ user: "admin", ltoken: "secret", action, ...fields }),
  });
}

async function list(sandbox: Sandbox, action: string, fields: Record<string, string> = {}): Promise<unknown[]> {
  const { text } = await act(sandbox, action, fields);
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line));
}

async function ids(sandbox: Sandbox, fields: Record<string, string>): Promise<unknown[]> {
  const issues = await list(sandbox, "search", { project: "core", ...fields });
  return issues.map((issue) => (issue instanceof Object && "id" in issue ? String(issue.id) : issue));
}

describe("a search", () => {
  test.each([
    ["", ["101", "102", "103"]],
    ["build:+'rel 2.3'", ["102"]],
    ["build:'nightly'", ["101", "102", "103"]],
    ["build:+nightly", []],
    ["build:+nightly-141", ["101", "102"]],
    ["file:frame.c", ["101"]],
    ["state:New", ["101", "103"]],
    ["state:New,Existing", ["101", "102", "103"]],
    ["state:Fixed,existing", ["102"]],
    ["severity:1-3", ["101", "102"]],
    ["severity:4 state:New", ["103"]],
    ["severity:1,4", ["101", "103"]],
    ["state:Existing state:new severity:1 severity:2", ["101", "102"]],
    ["file:FRAME.c,watchdog", ["101", "102"]],
    ["build:+'REL 2.3'", ["102"]],
  ])("for %s finds the matching issues", async (query, expected) => {
    expect(await ids(await sandboxForTest(), { query })).toEqual(expected);
  });

  test.each(["colour:red", "severity", "file:'a"])("for %s is refused", async (query) => {
    const answer = await act(await sandboxForTest(), "search", { project: "core", query });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      400,
      { status: 400, message: `Invalid query at ${query}` },
    ]);
  });

  test("is narrowed by a view, cut at its limit, and summed up on request", async () => {
    const sandbox = await sandboxForTest();
    expect(await ids(sandbox, { view: "New and critical" })).toEqual(["101"]);
    const summary = { query: "", project: "core", view: "*default*", limit: 2, total: 3, warnings: [] };
    expect(await ids(sandbox, { limit: "2", summary: "true" })).toEqual(["101", "102", { summary }]);
  });

  test("shows the status as text", async () => {
    const [issue] = await list(await sandboxForTest(), "search", { project: "core", query: "build:+'rel 2.3'" });
    expect(issue).toMatchObject({ status: "Fix", severity: "Error", severityCode: 2 });
    expect(issue).not.toHaveProperty("project");
  });
});

describe("records have exactly the members that a published client names", () => {
  const names = (records: readonly unknown[]) => Object.keys(Object(records[0])).toSorted();

  test.each([
    [
      "search",
      { query: "severity:1" },
      "code dateOriginated file id issueIds message method owner severity severityCode state status taxonomyName title url",
    ],
    ["issue_details", { id: "101" }, "build code history id location name owner severity state status"],
    ["metrics", {}, "entity entity_id filePath metricValue project tag"],
  ])("%s", async (action, fields, expected) => {
    const records = await list(await sandboxForTest(), action, { project: "core", ...fields });
    expect(names(records).join(" ")).toBe(expected);
  });

  test("with the right values", async () => {
    const sandbox = await sandboxForTest();
    const details = { name: "Null pointer is dereferenced", location: "/src/frame.c:1", build: "nightly-142" };
    expect(await list(sandbox, "issue_details", { project: "core", id: "101" })).toMatchObject([details]);
    const [metric] = await list(sandbox, "metrics", { project: "core" });
    expect(metric).toMatchObject({ project: "core", entity: "/src/frame.c", entity_id: 1 });
  });
});

test("a new status and owner are recorded in the issue's history", async () => {
  const sandbox = await sandboxForTest();
  await act(sandbox, "update_status", { project: "core", ids: "101", status: "Fix", comment: "Mine", owner: "jdoe" });
  const history = [{ userid: "admin", status: "Fix", owner: "jdoe", comment: "Mine" }];
  expect(await list(sandbox, "issue_details", { project: "core", id: "101" })).toMatchObject([
    { status: "Fix", history },
  ]);
});

test("the name alone identifies a build if only one project has it", async () => {
  const sandbox = await sandboxForTest();
  expect((await act(sandbox, "update_build", { name: "boot-7", new_name: "boot 7" })).status).toBe(200);
  await act(sandbox, "update_build", { project: "bootloader", name: "boot 7", new_name: "nightly-141" });
  expect(JSON.parse((await act(sandbox, "update_build", { name: "nightly-141", keepit: "true" })).text)).toEqual({
    status: 400,
    message: "Several projects have a build nightly-141",
  });
});

test.each(["update_view", "delete_view"])("the built-in view cannot be changed: %s", async (action) => {
  const sandbox = await sandboxForTest();
  const answer = await act(sandbox, action, { project: "core", name: "*default*" });
  expect(JSON.parse(answer.text)).toEqual({ status: 400, message: "View *default* cannot be changed" });
});

test("a renamed project keeps what belongs to it, and a deleted project takes it along", async () => {
  const sandbox = await sandboxForTest();
  await act(sandbox, "update_project", { name: "core", new_name: "flight" });
  expect(await list(sandbox, "builds", { project: "flight" })).toHaveLength(3);
  await act(sandbox, "delete_project", { name: "flight" });
  const { analysis } = sandbox.state();
  const left = [analysis.builds, analysis.modules, analysis.views, analysis.issues, analysis.metrics].flat();
  expect(left.filter(({ project }) => project === "1")).toEqual([]);
});

test.each([
  ["create_module", { project: "core", name: "tests" }, 400, 'Invalid parameters: the form needs "paths"'],
  ["create_view", { project: "core", name: "mine" }, 400, 'Invalid parameters: the form needs "query"'],
  ["fchurns", { project: "nope" }, 404, "Project nope does not exist"],
  ["create_module", { project: "core", name: "flight" }, 409, "Module flight already exists"],
  ["create_view", { project: "core", name: "*default*" }, 409, "View *default* already exists"],
  ["update_project", { name: "core", new_name: "bootloader" }, 409, "Project bootloader already exists"],
  ["update_module", { project: "core", name: "flight", new_name: "drivers" }, 409, "Module drivers already exists"],
  ["builds", { project: "nope" }, 404, "Project nope does not exist"],
  ["delete_build", { project: "bootloader", name: "rel 2.3" }, 404, "Build rel 2.3 does not exist"],
  ["update_defect_type", { project: "core", code: "X" }, 404, "Defect type X does not exist"],
  ["issue_details", { project: "bootloader", id: "101" }, 404, "Issue 101 does not exist"],
  ["update_status", { project: "core", ids: "101,999" }, 404, "Issue 999 does not exist"],
  ["update_status", { project: "core", ids: "101", owner: "nobody" }, 404, "User nobody does not exist"],
  ["license_count", { feature: "none" }, 404, "Feature none is not licensed"],
  ["report", { project: "core", x: "Colour" }, 400, "Unknown Colour: use Severity, State, Status, Error Code, Owner"],
])("%s %j is an error that changes nothing", async (action, fields, status, message) => {
  const sandbox = await sandboxForTest();
  const before = sandbox.state();
  const answer = await act(sandbox, action, { ...fields });
  expect([answer.status, JSON.parse(answer.text)]).toEqual([400, { status, message }]);
  expect(sandbox.state()).toEqual(before);
});
