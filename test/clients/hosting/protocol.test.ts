import { describe, expect, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import type { Service } from "../../../src/core/service.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { problemOf, serviceOf, testClock, tokenCredentials } from "../fixtures.ts";

const mock = mockHttp();
const service = serviceOf("hosting");
const path = "/repos/o/r/actions/permissions";
const now = Date.UTC(2027, 0, 1);
const body = { enabled: true };

function open(clock = testClock(now), over: Partial<Service> = {}) {
  return openConnection({ ...service, ...over }, { mode: "write", credentials: tokenCredentials, clock });
}

test("requests name the product's version and media type", async () => {
  mock(service.url)
    .get(path)
    .matchHeader("accept", "application/vnd.github+json")
    .matchHeader("x-github-api-version", "2022-11-28")
    .matchHeader("authorization", "Bearer t0ken")
    .matchHeader("time-zone", "Etc/UTC")
    .matchHeader("user-agent", "setpoint")
    .reply(200, body);
  expect(await open().call("getActionsPermissions", { org: "o", repo: "r" })).toEqual(body);
});

test("under wire: documented, header fields have the names of the document", async () => {
  mock(service.url)
    .get(path)
    .matchHeader("accept", "application/vnd.vendor+json")
    .matchHeader("x-vendor-api-version", /^\d{4}-\d\d-\d\d$/)
    .matchHeader("authorization", "token t0ken")
    .reply(200, body);
  expect(await open(undefined, { wire: "documented" }).call("getActionsPermissions", { org: "o", repo: "r" })).toEqual(
    body,
  );
});

test("without credentials the request is anonymous", async () => {
  const anonymous = openConnection(service, { mode: "read", credentials: { is: "none" }, clock: testClock() });
  mock(service.url)
    .get(path)
    .matchHeader("authorization", (value) => !value)
    .reply(200, body);
  expect(await anonymous.call("getActionsPermissions", { org: "o", repo: "r" })).toEqual(body);
});

test("an empty answer to a write is a success", async () => {
  mock(service.url).put(path, { enabled: true }).reply(204);
  await expect(open().call("setActionsPermissions", { org: "o", repo: "r", enabled: true })).resolves.toBeUndefined();
});

test.each([
  [403, { "retry-after": "5" }, 5_000],
  [429, { "retry-after": "0" }, 0],
  [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1000 + 20) }, 20_000],
  // This machine's clock is an hour ahead of the service's.
  [
    429,
    {
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(now / 1000 - 3580),
      date: new Date(now - 3_600_000).toUTCString(),
    },
    20_000,
  ],
])("a limit that ends soon (%i %j) is waited for", async (status, headers, wait) => {
  const clock = testClock(now);
  mock(service.url).get(path).reply(status, { message: "secondary rate limit" }, headers);
  mock(service.url).get(path).reply(200, body);
  expect(await open(clock).call("getActionsPermissions", { org: "o", repo: "r" })).toEqual(body);
  expect(clock.waits).toEqual([wait]);
});

test.each([
  [403, { "retry-after": "60" }, "2027-01-01 00:01"],
  [403, { "retry-after": "59" }, "2027-01-01 00:01"],
  [429, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1000 + 1800) }, "2027-01-01 00:30"],
  [429, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9".repeat(30) }, "9999-12-31 00:00"],
])(
  "a limit that ends later (%i %j) is a problem that says to the minute when it ends",
  async (status, headers, when) => {
    mock(service.url).get(path).reply(status, { message: "API rate limit exceeded" }, headers);
    const problem = await problemOf(open().call("getActionsPermissions", { org: "o", repo: "r" }));
    expect(problem).toMatchObject({
      code: "SP3008",
      message: `The service answered ${status}: API rate limit exceeded. It asks to send nothing until ${when} UTC.`,
    });
  },
);

test.each([403, 429])(
  "a secondary limit that does not say when it ends (%i) stops requests for a minute",
  async (status) => {
    mock(service.url).get(path).reply(status, { message: "You have exceeded a secondary rate limit. Please wait." });
    const problem = await problemOf(open().call("getActionsPermissions", { org: "o", repo: "r" }));
    expect(problem).toMatchObject({ code: "SP3008", message: expect.stringContaining("2027-01-01 00:01 UTC") });
  },
);

test("a conflict is reported as one with a policy, which a new plan would meet again", async () => {
  mock(service.url).put(path).reply(409, { message: "Conflict", documentation_url: "https://x" });
  const problem = await problemOf(open().call("setActionsPermissions", { org: "o", repo: "r", enabled: true }));
  expect(problem).toMatchObject({ code: "SP3006", hint: expect.stringContaining("policy") });
});

test("403 without a limit is a missing permission", async () => {
  const headers = { "x-ratelimit-remaining": "4999", "x-ratelimit-reset": String(now / 1000 + 20) };
  mock(service.url).get(path).reply(403, { message: "Resource not accessible" }, headers);
  expect(await problemOf(open().call("getActionsPermissions", { org: "o", repo: "r" }))).toMatchObject({
    code: "SP3004",
  });
});

// The answers are those of the product's documentation, Authenticating to the REST API.
describe("single sign-on of an organization", () => {
  const signOn = (value: string) => ({ "x-github-sso": value, etag: '"1"' });

  test("a list without what some organizations have is incomplete, however often it is read", async () => {
    const connection = open();
    const list = () => connection.call("listUserRepositories", {});
    const partial = signOn("partial-results; organizations=21955855,20582480");
    mock(service.url).get("/user/repos?per_page=100").times(2).reply(200, [], partial);
    for (let times = 0; times < 2; times++)
      expect(await problemOf(list())).toMatchObject({
        code: "SP3104",
        message: expect.stringContaining("single sign-on: 21955855, 20582480."),
        hint: expect.stringContaining("Configure SSO"),
      });
    mock(service.url).get("/user/repos?per_page=100").reply(200, [], { etag: '"2"' });
    expect(await list()).toEqual([]);
  });

  test("a refusal says to authorize the token, without the link that does it", async () => {
    const message =
      "Resource protected by organization SAML enforcement. You must grant your personal token access to this organization.";
    const required = signOn("required; url=https://github.com/orgs/octodocs-test/sso?authorization_request=AZSCKtL4");
    mock(service.url).get(path).reply(403, { message, documentation_url: "https://docs.github.com" }, required);
    const problem = await problemOf(open().call("getActionsPermissions", { org: "o", repo: "r" }));
    expect(problem).toMatchObject({ code: "SP3004", hint: expect.stringContaining("Configure SSO") });
    expect(JSON.stringify(problem)).not.toContain("AZSCKtL4");
  });
});

test.each([
  ["Repository was archived so is read-only.", "unarchive it"],
  ["Maximum number of login attempts exceeded. Please try again later.", "also refuses the right ones"],
])("no permission is asked for if none would help: %s", async (message, hint) => {
  mock(service.url).put(path).reply(403, { message, documentation_url: "https://docs.github.com/rest" });
  const problem = await problemOf(open().call("setActionsPermissions", { org: "o", repo: "r", enabled: true }));
  expect(problem).toMatchObject({ code: "SP3004", hint: expect.stringContaining(hint) });
});

test("an empty HTML page is not an empty list, while an answer without content is", async () => {
  const contributors = () => mock(service.url).get("/repos/o/r/contributors").query(true);
  const list = () => open().call("listContributors", { owner: "o", repo: "r" });
  contributors().reply(200, "", { "content-type": "text/html" });
  expect(await problemOf(list())).toMatchObject({ code: "SP3103" });
  contributors().reply(204);
  expect(await list()).toEqual([]);
});

test("the details of a refusal are part of the message", async () => {
  const third = { resource: "Status", field: "state", code: "invalid" };
  const refusal = {
    message: "Validation Failed",
    errors: [{ message: "no such action" }, "second", third, { code: "x" }],
  };
  mock(service.url).put(path).reply(422, refusal);
  const problem = await problemOf(open().call("setActionsPermissions", { org: "o", repo: "r", enabled: true }));
  expect(problem).toMatchObject({
    code: "SP3007",
    message: "The service answered 422: Validation Failed; no such action; second; state: invalid.",
  });
});

test("a list with more pages than the operation reads is incomplete", async () => {
  mock(service.url).get(path).reply(200, body, { link: '<https://x/?page=2>; rel="next"' });
  expect(await problemOf(open().call("getActionsPermissions", { org: "o", repo: "r" }))).toMatchObject({
    code: "SP3104",
  });
});

describe("entity tags", () => {
  const args = { org: "o", repo: "r" };
  const headers = { etag: 'W/"1"' };

  test("reads are repeated with their entity tag, and the previous answer is kept if the service confirms it", async () => {
    const connection = open();
    mock(service.url)
      .get(path)
      .matchHeader("if-none-match", (value) => !value)
      .reply(200, body, headers);
    mock(service.url).get(path).matchHeader("if-none-match", 'W/"1"').times(2).reply(304);
    for (let times = 0; times < 3; times++) expect(await connection.call("getActionsPermissions", args)).toEqual(body);
  });

  test("a changed answer replaces the previous one", async () => {
    const connection = open();
    mock(service.url).get(path).reply(200, body, headers);
    mock(service.url).get(path).matchHeader("if-none-match", 'W/"1"').reply(200, { enabled: false }, { etag: '"2"' });
    mock(service.url).get(path).matchHeader("if-none-match", '"2"').reply(304);
    await connection.call("getActionsPermissions", args);
    await connection.call("getActionsPermissions", args);
    expect(await connection.call("getActionsPermissions", args)).toEqual({ enabled: false });
  });

  test("each page has its own entity tag", async () => {
    const connection = open();
    const page = "/repos/o/r/branches?per_page=2";
    const branch = (name: string) => [{ name, commit: { sha: "1" } }];
    mock(service.url)
      .get(page)
      .reply(200, branch("a"), { etag: '"a"', link: `<${service.url}${page}&page=2>; rel="next"` });
    mock(service.url).get(`${page}&page=2`).reply(200, branch("b"), { etag: '"b"' });
    mock(service.url).get(page).matchHeader("if-none-match", '"a"').reply(304);
    mock(service.url).get(`${page}&page=2`).matchHeader("if-none-match", '"b"').reply(304);
    const list = () => connection.call("listBranches", { owner: "o", repo: "r", per_page: 2 });
    expect(await list()).toEqual(await list());
  });

  test("an unsuccessful answer, and one to another connection, is not remembered", async () => {
    const connection = open();
    const untagged = (value: string | null) => !value;
    mock(service.url).get(path).reply(404, { message: "Not Found" }, headers);
    mock(service.url).get(path).matchHeader("if-none-match", untagged).reply(200, body, headers);
    mock(service.url).get(path).matchHeader("if-none-match", untagged).reply(200, body);
    await problemOf(connection.call("getActionsPermissions", args));
    await connection.call("getActionsPermissions", args);
    await open().call("getActionsPermissions", args);
  });
});

test.each([
  ["product", "/repos/o/r/git/ref/heads/a%2Fb"],
  ["documented", "/repos/o/r/git/refs/heads/a%2Fb"],
] as const)("under wire: %s the reference of a branch is read at %s", async (wire, where) => {
  mock(service.url)
    .get(where)
    .reply(200, { object: { sha: "1" } });
  const args = { owner: "o", repo: "r", branch: "a/b" };
  expect(await open(undefined, { wire }).call("getBranchRef", args)).toEqual({ object: { sha: "1" } });
});

test("an operation that is not in the documents is not sent under wire: documented", async () => {
  const problem = await problemOf(
    open(undefined, { wire: "documented" }).call("listCommitStatuses", { owner: "o", repo: "r", ref: "main" }),
  );
  expect(problem).toMatchObject({ code: "SP3007", message: expect.stringContaining("wire: documented") });
});

test.each([
  ["createStatus", { sha: "1", state: "success" }, "/repos/o/r/statuses/1"],
  ["dispatchWorkflow", { workflowId: "w.yml", ref: "main" }, "/repos/o/r/actions/workflows/w.yml/dispatches"],
])("%s is sent once, since its answer might have been lost", async (operation, args, where) => {
  mock(service.url).post(where).reply(502);
  const problem = await problemOf(open().call(operation, { owner: "o", repo: "r", ...args }));
  expect(problem).toMatchObject({ code: "SP3105" });
});

test("an answer of plain text is accepted, while an HTML page is not", async () => {
  mock(service.url).get("/zen").reply(200, "Be brief.", { "content-type": "text/plain;charset=utf-8" });
  mock(service.url).get("/zen").reply(200, "<!doctype html><p>Maintenance", { "content-type": "text/html" });
  expect(await open().call("getZen", {})).toBe("Be brief.");
  expect(await problemOf(open().call("getZen", {}))).toMatchObject({ code: "SP3103" });
});
