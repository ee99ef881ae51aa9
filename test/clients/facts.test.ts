import { describe, expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../src/clients/connect.ts";
import { Secret } from "../../src/core/secret.ts";
import type { JsonObject } from "../../src/core/text/json.ts";
import { mockHttp } from "../support/http-mock.ts";
import type { Role } from "../support/roles.ts";
import { problemOf, serviceOf, type TestClock, testClock } from "./fixtures.ts";
import { examples } from "./services.ts";

/* Statements of docs/facts.md about the real services that no other test covers. */

const mock = mockHttp();
const json = { "content-type": "application/json" };
const now = Date.UTC(2027, 0, 1);

function call(role: Role, operation: string, args: JsonObject, clock: TestClock = testClock(now)): Promise<unknown> {
  const { credentials } = examples[role].exchange;
  const connection = openConnection(serviceOf(role), { mode: "write", credentials, clock });
  onTestFinished(() => connection.close());
  return connection.call(operation, args);
}

const hosting = () => mock("https://hosting.example.com");
const review = () => mock("https://review.example.com");
const analysis = () => mock("https://analysis.example.com");
const wiki = () => mock("https://wiki.example.com");

describe("hosting", () => {
  const inRepository = { owner: "o", repo: "r" };
  const status = { ...inRepository, sha: "1", state: "success" };
  const created = {
    id: 1,
    state: "success",
    context: "default",
    description: null,
    target_url: null,
    created_at: "t",
    updated_at: "t",
  };

  test.each([
    [301, "/repositories/17/actions/permissions", "/repositories/17/actions/permissions: the object", "in a browser"],
    [
      307,
      "/repositories/17/actions/permissions?a=2",
      "/repositories/17/actions/permissions: the object",
      "in a browser",
    ],
    [301, "/api/v3/repos/o/r/actions/permissions", "/api/v3: the service", "the service's new url"],
  ])(
    'a redirect (%i) to %s is neither absence nor "not signed in", and the problem says what has moved',
    async (status, path, moved, hint) => {
      const location = `https://hosting.example.com${path}`;
      hosting()
        .get("/repos/o/r/actions/permissions")
        .reply(status, { message: "Moved Permanently", url: location }, { ...json, location });
      expect(await problemOf(call("hosting", "getActionsPermissions", { org: "o", repo: "r" }))).toMatchObject({
        code: "SP3007",
        message: `The service redirects (${status}) to https://hosting.example.com${moved} has moved there.`,
        hint: expect.stringContaining(hint),
      });
    },
  );

  test("404 can mean a missing permission, and the hint says so", async () => {
    hosting()
      .get("/repos/o/r")
      .reply(404, { message: "Not Found", documentation_url: "https://docs.example.com" }, json);
    expect(await problemOf(call("hosting", "getRepository", inRepository))).toMatchObject({
      code: "SP3005",
      hint: expect.stringContaining("that the account can see the object"),
    });
  });

  test.each([
    [204, undefined, undefined],
    [200, { workflow_run_id: 7, run_url: "u", html_url: "h" }, { workflow_run_id: 7, run_url: "u", html_url: "h" }],
  ])("a dispatch can be answered with %i", async (code, body, result) => {
    hosting().post("/repos/o/r/actions/workflows/w.yml/dispatches", { ref: "main" }).reply(code, body, json);
    const args = { ...inRepository, workflowId: "w.yml", ref: "main" };
    expect(await call("hosting", "dispatchWorkflow", args)).toEqual(result);
  });

  test("a status has one of four states, and no other is sent", async () => {
    expect(await problemOf(call("hosting", "createStatus", { ...status, state: "skipped" }))).toMatchObject({
      code: "SP1002",
    });
  });

  test.each([
    [{ "retry-after": "1" }, 1000],
    [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1000 + 3) }, 3000],
  ])("a write sent too soon after another waits (%j) and is sent again", async (headers, wait) => {
    hosting()
      .post("/repos/o/r/statuses/1")
      .reply(403, { message: "You have exceeded a secondary rate limit." }, { ...json, ...headers });
    hosting().post("/repos/o/r/statuses/1").reply(201, created, json);
    const clock = testClock(now);
    expect(await call("hosting", "createStatus", status, clock)).toMatchObject({ id: 1 });
    expect(clock.waits).toEqual([wait]);
  });
});

describe("review", () => {
  const access = "/a/projects/p/access";
  const plain = { "content-type": "text/plain; charset=utf-8" };
  const add = { "refs/*": { permissions: { push: { rules: { Nobody: { action: "BLOCK" } } } } } };

  test.each([
    [409, "SP3006", "Invalid project config"],
    [412, "SP3007", "Precondition failed"],
    [422, "SP3007", "Nobody is not a valid group identifier"],
  ])("a refused change of access (%i) gives the reason and is sent once", async (status, code, words) => {
    review().post(access, { add }).reply(status, `${words}\n`, plain);
    const problem = await problemOf(call("review", "modifyProjectAccess", { projectName: "p", add }));
    expect(problem).toMatchObject({ code, message: `The service answered ${status}: ${words}.` });
  });

  test("sections without permissions and omitted booleans are read as they are", async () => {
    const local = { "refs/*": {}, "refs/heads/*": { permissions: { push: { rules: { g: { action: "ALLOW" } } } } } };
    review()
      .get(access)
      .reply(200, `)]}'\n${JSON.stringify({ revision: "r", local })}`, json);
    expect(await call("review", "getProjectAccess", { projectName: "p" })).toEqual({
      revision: "r",
      local,
      is_owner: false,
      config_visible: false,
      groups: {},
    });
  });

  test("the version is a JSON string after the guard line", async () => {
    review().get("/a/config/server/version").reply(200, ')]}\'\n"3.10.4"\n', json);
    expect(await call("review", "getServerVersion", {})).toBe("3.10.4");
  });
});

describe("analysis", () => {
  test("an error in the last line means that the list before it is incomplete", async () => {
    analysis()
      .post("/review/api")
      .times(4)
      .reply(200, '{"id":1,"name":"a"}\n{"status":500,"message":"Out of memory"}\n');
    expect(await problemOf(call("analysis", "projects", {}))).toMatchObject({
      code: "SP3009",
      message: "The service answered 500: Out of memory.",
    });
  });

  test("records whose shape is unconfirmed are decoded whatever else they contain", async () => {
    analysis().post("/review/api").reply(200, '{"surprise":[1]}\n{}\n');
    expect(await call("analysis", "licenseCount", {})).toEqual([{ surprise: [1] }, {}]);
  });

  test("members of groups are requested, and all members are removed, with the product's own parameters", async () => {
    const sent = { user: "robot", ltoken: "t0ken" };
    analysis()
      .post("/review/api", { ...sent, action: "groups", list_users: "true" })
      .reply(200, "");
    analysis()
      .post("/review/api", { ...sent, action: "update_group", name: "g", remove_all: "true" })
      .reply(200, "");
    expect(await call("analysis", "groups", { list_users: true })).toEqual([]);
    await call("analysis", "updateGroup", { name: "g", remove_all: true });
  });
});

describe("tracker and wiki", () => {
  test("a page is requested with its body, and an answer without a body is not a page", async () => {
    const page = { id: "7", type: "page", title: "t", space: { key: "s" }, version: { number: 1 } };
    wiki().get("/rest/api/content/7?expand=body.storage%2Cversion%2Cspace%2Cancestors").reply(200, page, json);
    expect(await problemOf(call("wiki", "getPage", { pageId: "7" }))).toMatchObject({
      code: "SP3103",
      message: expect.stringContaining("body"),
    });
  });

  test.each(["tracker", "wiki"] as const)(
    "an older token plugin of the %s answers a creation without an id, or with a null id",
    async (role) => {
      for (const answer of [{ plainTextToken: "pl4in" }, { plainTextToken: "pl4in", id: null }]) {
        mock(serviceOf(role).url).post("/rest/de.resolution.apitokenauth/latest/user/token").reply(200, answer, json);
        expect(await call(role, "createToken", { tokenDescription: "d" })).toEqual({
          ...answer,
          plainTextToken: expect.any(Secret),
        });
      }
    },
  );
});
