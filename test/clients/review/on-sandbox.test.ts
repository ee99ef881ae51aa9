import { describe, expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import { reviewOperations } from "../../../src/clients/review/operations.ts";
import { Secret } from "../../../src/core/secret.ts";
import type { Service } from "../../../src/core/service.ts";
import { isObject, type JsonObject } from "../../../src/core/text/json.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { problemOf, serviceOf } from "../fixtures.ts";

async function open(wire: Service["wire"] = "product", username = "admin", secret = "secret") {
  const sandbox = await startSandbox();
  const service = serviceOf("review", { url: sandbox.services.review.url, wire });
  const credentials = { is: "basic", username, password: new Secret(secret) } as const;
  const connection = openConnection(service, { mode: "write", credentials, pageAll: true });
  onTestFinished(async () => {
    await connection.close();
    await sandbox.close();
  });
  return { sandbox, call: (name: string, args: JsonObject = {}) => connection.call(name, args), connection };
}

/** The operations that the API documents lack. */
const beyond = Object.entries(reviewOperations).flatMap(([name, row]) => ("ext" in row && row.ext ? [name] : []));

type Call = Awaited<ReturnType<typeof open>>["call"];
const change = "I6f1b0c9d3e5a47820b14c8d7e9f0a1b2c3d4e5f6";

/** Calls the operation and passes what is promised about its result. */
const cases: Readonly<Record<keyof typeof reviewOperations, (call: Call) => Promise<unknown>>> = {
  async getChange(call) {
    expect(
      await call("getChange", { changeId: 311, o: ["CURRENT_REVISION", "ALL_FILES", "SUBMITTABLE"] }),
    ).toMatchObject({
      project: "platform/core",
      branch: "main",
      change_id: change,
      status: "NEW",
      submit_type: "FAST_FORWARD_ONLY",
      created: "2026-10-05 08:12:40.000000000",
      insertions: 98,
      unresolved_comment_count: 1,
      submittable: false,
      revisions: { [String(await commitOf(call))]: { _number: 2, files: { "src/frame.c": { lines_inserted: 38 } } } },
    });
  },
  async getChangeDetail(call) {
    expect(await call("getChangeDetail", { changeId: change })).toMatchObject({
      owner: { username: "jdoe", name: "Jo Doe" },
      labels: {
        "Code-Review": {
          recommended: { username: "rkumar" },
          all: [{ value: 1, username: "rkumar", permitted_voting_range: { min: -2, max: 2 } }],
        },
      },
      messages: [
        { author: { username: "jdoe" }, message: "Uploaded patch set 1." },
        { author: { username: "rkumar" } },
      ],
    });
  },
  async moveChange(call) {
    const moved = await call("moveChange", { changeNumber: 311, destination_branch: "release-2.4" });
    expect(moved).toMatchObject({ _number: 311, branch: "release-2.4" });
    expect(await call("getChangeDetail", { changeId: 311 })).toMatchObject({
      branch: "release-2.4",
      labels: { "Code-Review": { all: [{ value: 0 }] } },
    });
  },
  async queryChanges(call) {
    const q = { project: "platform/core", is: "open", after: "2026-09-01", not: { branch: "release-2.4" } };
    expect(await call("queryChanges", { q })).toMatchObject([{ _number: 311 }]);
    expect(await call("queryChanges", { q: "-is:abandoned" })).toMatchObject([{ _number: 311 }, { _number: 304 }]);
  },
  async listChangeComments(call) {
    expect(await call("listChangeComments", { changeId: 311 })).toMatchObject({
      "src/frame.c": [{ line: 12, message: "Name the constant.", unresolved: true, patch_set: 2 }],
      "test/frame_test.c": [{ line: 8, range: { start_line: 3, end_line: 8 } }],
    });
  },
  async listRevisionComments(call) {
    expect(await call("listRevisionComments", { changeId: 311, revisionId: 1 })).toEqual({});
    expect(await call("listRevisionComments", { changeId: 311, revisionId: "current" })).toMatchObject({
      "src/frame.c": [{ line: 12 }],
    });
  },
  async getRevisionComment(call) {
    const comments = await call("listChangeComments", { changeId: 311 });
    const [first] = isObject(comments) && Array.isArray(comments["src/frame.c"]) ? comments["src/frame.c"] : [];
    const args = { changeId: 311, revisionId: 2, commentId: first.id };
    expect(await call("getRevisionComment", args)).toMatchObject({ path: "src/frame.c", line: 12, id: first.id });
  },
  async setReview(call) {
    const range = { start_line: 2, start_character: 0, end_line: 4, end_character: 3 };
    const review = {
      message: "Two remarks",
      tag: "setpoint",
      labels: { "Code-Review": 2 },
      comments: {
        "src/frame.c": [
          { line: 7, message: "Here" },
          { range, message: "And here", unresolved: true },
        ],
      },
    };
    const args = { changeId: 311, revisionId: "current" };
    expect(await call("setReview", { ...args, ...review })).toMatchObject({ labels: { "Code-Review": 2 } });
    expect(await call("listRevisionComments", args)).toMatchObject({
      "src/frame.c": [
        { line: 4, range, message: "And here", unresolved: true, tag: "setpoint" },
        { line: 7, message: "Here", author: { username: "admin" } },
        { line: 12 },
      ],
    });
    expect(await call("getChangeDetail", { changeId: 311 })).toMatchObject({
      labels: { "Code-Review": { approved: { username: "admin" } } },
      submit_records: [{ status: "OK" }],
      messages: [{}, {}, { message: "Patch Set 2: Code-Review+2\n\n(2 comments)\n\nTwo remarks" }],
    });
  },
  async getServerVersion(call) {
    expect(await call("getServerVersion")).toBe("3.10.4");
  },
  async listProjects(call) {
    const projects = await call("listProjects");
    expect(Object.keys(Object(projects))).toEqual([
      "All-Projects",
      "firmware/bootloader",
      "platform/core",
      "platform/ui",
      "tools",
    ]);
    expect(projects).toMatchObject({ "platform/core": { id: "platform%2Fcore", state: "ACTIVE" } });
  },
  async getBranch(call) {
    const branch = { projectName: "platform/core", branchId: "release-2.4" };
    expect(await call("getBranch", branch)).toMatchObject({ ref: "refs/heads/release-2.4" });
    expect(await problemOf(call("getBranch", { ...branch, branchId: "release/2" }))).toMatchObject({ code: "SP3005" });
  },
  async getGroup(call) {
    const id = "5f0e6d1c9a7b42388e4d3c2b1a09f8e7d6c5b4a3";
    for (const groupId of [id, "2", "release managers"])
      expect(await call("getGroup", { groupId })).toMatchObject({ id, name: "Release Managers" });
    expect(await call("getGroup", { groupId: "Registered Users" })).toMatchObject({ id: "global:Registered-Users" });
    expect(await problemOf(call("getGroup", { groupId: "no/body" }))).toMatchObject({ code: "SP3005" });
  },
  async listGroups(call) {
    expect(Object.keys(Object(await call("listGroups")))).toEqual(["Administrators", "Release Managers"]);
  },
  async getProjectConfig(call) {
    expect(await call("getProjectConfig", { projectName: "platform/core" })).toMatchObject({
      submit_type: "FAST_FORWARD_ONLY",
      use_content_merge: { configured_value: "INHERIT", inherited_value: true },
    });
  },
  async getProjectAccess(call) {
    expect(await call("getProjectAccess", { projectName: "platform/core" })).toMatchObject({
      is_owner: true,
      local: { "refs/heads/main": { permissions: { push: { exclusive: true } } } },
    });
  },
  async listAccess(call) {
    expect(await call("listAccess", { project: ["tools", "platform%2Fui"] })).toMatchObject({
      tools: { local: {} },
      "platform/ui": { is_owner: true },
    });
  },
  async getCommit(call) {
    const projectName = "tools";
    const add = { "refs/heads/x": { permissions: { push: { rules: { "global:Registered-Users": {} } } } } };
    const changed = await call("modifyProjectAccess", { projectName, add, message: "Lock\n\nAt last" });
    const commitId = changed instanceof Object && "revision" in changed ? String(changed.revision) : "";
    const commit = await call("getCommit", { projectName, commitId });
    expect(commit).toMatchObject({
      commit: commitId,
      author: { email: "admin@example.com", date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.0{9}$/) },
      message: "Lock\n\nAt last\n",
      parents: [{ subject: "Created project" }],
    });
    const [parent]: readonly unknown[] =
      commit instanceof Object && "parents" in commit && Array.isArray(commit.parents) ? commit.parents : [];
    const first = parent instanceof Object && "commit" in parent ? String(parent.commit) : "";
    expect(await call("getCommit", { projectName, commitId: first })).toMatchObject({ commit: first, parents: [] });
    await expect(call("getCommit", { projectName, commitId: "0" })).rejects.toThrow("Not found: 0");
  },
  async modifyProjectAccess(call) {
    const rules = { "global:Registered-Users": { action: "BLOCK" } };
    const add = { "refs/heads/x": { permissions: { push: { rules } } } };
    expect(await call("modifyProjectAccess", { projectName: "tools", add, message: "Lock" })).toMatchObject({
      local: { "refs/heads/x": { permissions: { push: { rules } } } },
    });
  },
};

async function commitOf(call: Call): Promise<unknown> {
  const found = await call("getChange", { changeId: 311, o: ["CURRENT_REVISION"] });
  return isObject(found) ? found.current_revision : undefined;
}

describe.each(["product", "documented"] as const)("wire: %s", (wire) => {
  // The case of a review casts a vote, which the documents lack.
  const undocumented = [...beyond, "setReview"];
  test.each(Object.entries(cases).filter(([name]) => wire === "product" || !undocumented.includes(name)))(
    "%s",
    async (name, promised) => {
      const { sandbox, call } = await open(wire);
      await promised(call);
      expect(sandbox.requests().map(({ operation }) => operation)).toContain(name);
    },
  );

  test("paths begin with /a if the documents, or the product, have it", async () => {
    const { sandbox, call } = await open(wire);
    await call("listChangeComments", { changeId: 311 });
    expect(sandbox.requests()[0]?.path).toBe(`${wire === "product" ? "/a" : ""}/changes/311/comments`);
  });
});

test("every operation of the table has a test case", () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(reviewOperations).sort());
  expect(Object.values(reviewOperations).filter((row) => row.ext === undefined)).toHaveLength(12);
});

test.each([
  311,
  "311",
  change,
  `platform/core~main~${change}`,
  `platform%2Fcore~main~${change}`,
  "platform%2Fcore~311",
  { project: "platform/core", branch: "main", changeId: change },
])("a change can be found as %j", async (changeId) => {
  const { call } = await open();
  expect(await call("getChange", { changeId })).toMatchObject({ _number: 311 });
});

describe("lists that come in pages", () => {
  test("changes are read to the end, each once and without the marker of its page", async () => {
    const { sandbox, call } = await open();
    const changes = await call("queryChanges", { q: { after: "2020-01-01" }, n: 1 });
    expect(changes).toMatchObject([{ _number: 311 }, { _number: 304 }, { _number: 288 }]);
    expect(JSON.stringify(changes)).not.toContain("_more_changes");
    expect(sandbox.requests().map(({ path }) => path)).toEqual([
      "/a/changes/?q=after%3A2020-01-01&n=1",
      "/a/changes/?q=after%3A2020-01-01&n=1&S=1",
      "/a/changes/?q=after%3A2020-01-01&n=1&S=2",
    ]);
  });

  test("projects are read to the end", async () => {
    const { sandbox, call } = await open();
    const projects = await call("listProjects", { n: 2 });
    expect(Object.keys(Object(projects))).toHaveLength(5);
    expect(JSON.stringify(projects)).not.toContain("_more_projects");
    expect(sandbox.requests()).toHaveLength(3);
  });
});

describe("the service refuses", () => {
  test.each([
    ["getChange", { changeId: 999 }, "SP3005", "Not found: 999"],
    ["getChange", { changeId: 311, o: ["NOPE"] }, "SP3007", '"NOPE" is not a valid value'],
    ["moveChange", { changeNumber: 311, destination_branch: "main" }, "SP3006", "already destined"],
    [
      "moveChange",
      { changeNumber: 311, destination_branch: "nope" },
      "SP3006",
      "Destination refs/heads/nope not found",
    ],
    ["moveChange", { changeNumber: 288, destination_branch: "x" }, "SP3006", "Change is abandoned"],
    ["queryChanges", { q: "bogus:1" }, "SP3007", "Unsupported operator bogus:1"],
    ["getProjectConfig", { projectName: "nope" }, "SP3005", "Not found: nope"],
    ["listRevisionComments", { changeId: 311, revisionId: 9 }, "SP3005", "Not found: 9"],
  ] as const)("%s %j", async (operation, args: JsonObject, code, message) => {
    const { call } = await open();
    const problem = await problemOf(call(operation, args));
    expect(problem).toMatchObject({ code, service: "review", operation });
    expect(problem.message).toContain(message);
  });

  test("to move a change to a branch with blocked uploads, even for an administrator", async () => {
    const { call } = await open();
    const rules = { "global:Registered-Users": { action: "BLOCK" } };
    const add = { "refs/for/refs/heads/release-2.4": { permissions: { push: { rules } } } };
    await call("modifyProjectAccess", { projectName: "platform/core", add });
    const problem = await problemOf(call("moveChange", { changeNumber: 311, destination_branch: "release-2.4" }));
    expect(problem).toMatchObject({ code: "SP3004", message: expect.stringContaining("move not permitted") });
  });

  test("a vote beyond the range of the account", async () => {
    const { call } = await open("product", "jdoe", "jdoe-secret");
    const args = { changeId: 311, revisionId: "current", labels: { "Code-Review": 2 } };
    expect(await problemOf(call("setReview", args))).toMatchObject({
      code: "SP3004",
      message: expect.stringContaining('Applying label "Code-Review": 2 is restricted'),
    });
  });
});
