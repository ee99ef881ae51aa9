import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import type { JsonObject } from "../../../src/core/text/json.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { basicCredentials, problemOf, serviceOf, testClock } from "../fixtures.ts";

const mock = mockHttp();
const service = serviceOf("tracker", { url: "https://tracker.example.com/jira" });

function open(on = service) {
  const connection = openConnection(on, {
    mode: "write",
    credentials: basicCredentials,
    pageAll: true,
    clock: testClock(),
  });
  onTestFinished(() => connection.close());
  return connection;
}
const call = (operation: string, args: JsonObject) => open().call(operation, args);

test("the general and field-specific texts of an error are shown", async () => {
  const errors = { errorMessages: ["Not valid."], errors: { locale: "is unknown" } };
  mock(service.url).put("/rest/api/2/mypreferences/locale", { locale: "xx" }).reply(400, errors);
  expect(await problemOf(call("setLocale", { locale: "xx" }))).toMatchObject({
    code: "SP3007",
    message: "The service answered 400: Not valid.; locale: is unknown.",
  });
});

test.each(["tracker", "wiki"] as const)(
  "a sign-in that requires a CAPTCHA ends the call immediately, and says what to do: %s",
  async (role) => {
    const { url } = serviceOf(role);
    mock(url)
      .get("/rest/de.resolution.apitokenauth/latest/user/token")
      .reply(503, "<html>", { "x-authentication-denied-reason": `CAPTCHA_CHALLENGE; login-url=${url}/login.jsp` });
    const connection = openConnection(serviceOf(role), {
      mode: "read",
      credentials: basicCredentials,
      clock: testClock(),
    });
    expect(await problemOf(connection.call("listTokens", {}))).toMatchObject({
      code: "SP3003",
      message: expect.stringContaining(`login-url=${url}/login.jsp`),
      hint: expect.stringContaining("solve the CAPTCHA"),
    });
    expect(connection.requests.reads).toBe(1);
  },
);

/** What a server answers if it takes a request with wrong credentials for one without. */
const asAnyone = { "x-seraph-loginreason": "AUTHENTICATED_FAILED", "x-ausername": "anonymous" };

test.each([
  ["a list of what anyone may see", "/rest/api/2/project", 200, [{ key: "OPEN", name: "Open" }], "listProjects", {}],
  [
    "an issue that only the account may see",
    "/rest/api/2/issue/FW-1",
    404,
    { errorMessages: ["Issue Does Not Exist"], errors: {} },
    "getIssue",
    { issueKey: "FW-1" },
  ],
] as const)(
  "credentials that the service ignores are an error, not %s",
  async (_what, path, status, body, operation, args) => {
    mock(service.url).get(path).reply(status, body, asAnyone);
    expect(await problemOf(call(operation, args))).toMatchObject({
      code: "SP3003",
      message: `The service answered 401: sign-in failed (AUTHENTICATED_FAILED), and with status ${status} it shows what anyone may see.`,
    });
  },
);

test("a denied sign-in is one that requires a CAPTCHA, even if the session of an earlier one is still valid", async () => {
  mock(service.url)
    .get("/rest/api/2/project")
    .reply(200, [], { "x-seraph-loginreason": "AUTHENTICATION_DENIED", "x-ausername": "jdoe" });
  expect(await problemOf(call("listProjects", {}))).toMatchObject({
    code: "SP3003",
    hint: expect.stringContaining("solve the CAPTCHA"),
  });
});

test("a server that takes no passwords asks for a token, not for a permission", async () => {
  const message = "Basic Authentication has been disabled on this instance.";
  mock(service.url).get("/rest/api/2/project").reply(403, { message });
  expect(await problemOf(call("listProjects", {}))).toMatchObject({
    code: "SP3003",
    message: "The service answered 401: Basic Authentication has been disabled.",
    hint: expect.stringContaining("personal access token"),
  });
});

test.each(["OK", "OUT"])("a sign-in that did not fail is none of it: %s", async (reason) => {
  mock(service.url).get("/rest/api/2/project").reply(200, [], { "x-seraph-loginreason": reason });
  expect(await call("listProjects", {})).toEqual([]);
});

test("a path that the server does not have is reported in its words, and proves nothing absent", async () => {
  const message = `null for uri: ${service.url}/rest/api/2/issue/FW-1`;
  mock(service.url).get("/rest/api/2/issue/FW-1").reply(404, { message, "status-code": 404 });
  expect(await problemOf(call("getIssue", { issueKey: "FW-1" }))).toMatchObject({
    code: "SP3103",
    message: `The service answered 404, but not in its own form: ${message}. The object is not known to be absent.`,
  });
});

test("attachments need no id, which Jira 5.0 leaves out", async () => {
  const content = `${service.url}/secure/attachment/10040/dla.txt`;
  const issue = { key: "TST-2", fields: { attachment: [{ filename: "dla.txt", size: 1, content }] } };
  mock(service.url).get("/rest/api/2/issue/TST-2").reply(200, issue);
  expect(await call("getIssue", { issueKey: "TST-2" })).toEqual(issue);
});

test("cookies are sent back", async () => {
  const connection = open();
  mock(service.url).get("/rest/api/2/project").reply(200, [], { "set-cookie": "JSESSIONID=a; Path=/; HttpOnly" });
  await connection.call("listProjects", {});
  mock(service.url).get("/rest/api/2/project").matchHeader("cookie", "JSESSIONID=a").reply(200, []);
  await connection.call("listProjects", {});
});

describe("preferences", () => {
  test.each(["Europe/Oslo", '"Europe/Oslo"', '"half', "5", ""])("are read exactly as they are: %s", async (value) => {
    mock(service.url)
      .get("/rest/api/2/mypreferences?key=a%20b")
      .reply(200, value, { "content-type": "application/json" });
    expect(await call("getPreference", { key: "a b" })).toBe(value);
  });

  test.each([
    ["product", "Europe/Oslo"],
    ["documented", '"Europe/Oslo"'],
  ] as const)(
    "are sent as the text itself, and as a JSON string only to the documents: wire %s",
    async (wire, body) => {
      mock(service.url)
        .put("/rest/api/2/mypreferences?key=tz", body)
        .matchHeader("content-type", "application/json; charset=UTF-8")
        .reply(204);
      const connection = open({ ...service, wire });
      expect(await connection.call("setPreference", { key: "tz", value: "Europe/Oslo" })).toBeUndefined();
    },
  );

  test("that are not set are reported as not found", async () => {
    mock(service.url)
      .get("/rest/api/2/mypreferences?key=x")
      .reply(404, { errorMessages: ["key not found: 'x'"], errors: {} });
    expect(await problemOf(call("getPreference", { key: "x" }))).toMatchObject({ code: "SP3005" });
  });
});

describe("a search", () => {
  const page = (startAt: number, maxResults: number, total: number, keys: readonly string[]) => ({
    startAt,
    maxResults,
    total,
    issues: keys.map((key) => ({ key, fields: { customfield_10010: 3 } })),
  });
  const search = (query: string) => mock(service.url).get(`/rest/api/2/search?${query}`);

  test("advances by the page length of the answer, not by the requested one or the number of issues on the page", async () => {
    search("jql=project%20%3D%20FW&maxResults=1000").reply(200, page(0, 2, 5, ["FW-1", "FW-2"]));
    search("jql=project%20%3D%20FW&maxResults=1000&startAt=2").reply(200, page(2, 2, 5, ["FW-4"]));
    search("jql=project%20%3D%20FW&maxResults=1000&startAt=4").reply(200, page(4, 2, 5, ["FW-5"]));
    expect(await call("searchIssues", { jql: "project = FW", maxResults: 1000 })).toEqual(
      page(0, 2, 5, ["FW-1", "FW-2", "FW-4", "FW-5"]),
    );
  });

  test("returns an issue once, even if it moves to the next page meanwhile", async () => {
    search("jql=").reply(200, page(0, 2, 3, ["A-1", "A-2"]));
    search("jql=&startAt=2").reply(200, page(2, 2, 4, ["A-2", "A-3"]));
    expect(await call("searchIssues", { jql: "" })).toEqual(page(0, 2, 4, ["A-1", "A-2", "A-3"]));
  });

  test("that requests no issues returns their number", async () => {
    search("jql=&maxResults=0").reply(200, page(0, 0, 812, []));
    expect(await call("searchIssues", { jql: "", maxResults: 0 })).toEqual(page(0, 0, 812, []));
  });

  test("that makes no progress is incomplete", async () => {
    search("jql=").reply(200, page(0, 2, 5, ["A-1", "A-2"]));
    search("jql=&startAt=2").reply(200, page(0, 2, 5, ["A-1", "A-2"]));
    expect(await problemOf(call("searchIssues", { jql: "" }))).toMatchObject({ code: "SP3104" });
  });

  test.each([
    [page(0, 2, 5, ["A-1", "A-2"]), page(2, 2, 5, [])],
    [page(0, 2, 5, ["A-1", "A-2"]), page(2, 0, 5, [])],
    [page(0, 2, 3, ["A-1", "A-2"]), page(2, 2, 3, [])],
  ])("with a page without issues before the end is incomplete", async (first, second) => {
    search("jql=").reply(200, first);
    search("jql=&startAt=2").reply(200, second);
    expect(await problemOf(call("searchIssues", { jql: "" }))).toMatchObject({ code: "SP3104" });
  });

  test("whose second page fails returns nothing", async () => {
    search("jql=").reply(200, page(0, 1, 2, ["A-1"]));
    search("jql=&startAt=1").reply(400, { errorMessages: ["Gone."], errors: {} });
    expect(await problemOf(call("searchIssues", { jql: "" }))).toMatchObject({ code: "SP3007" });
  });

  test("repeats the parameter of an argument that is a list", async () => {
    search("jql=&validateQuery=strict&fields=summary&fields=status&properties=p&fieldsByKeys=true").reply(
      200,
      page(0, 50, 0, []),
    );
    await call("searchIssues", {
      jql: "",
      validateQuery: "strict",
      fields: ["summary", "status"],
      properties: ["p"],
      fieldsByKeys: true,
    });
  });
});

describe("an attachment", () => {
  const place = "/secure/attachment/1/a%20b.bin";
  const attachmentUrl = `${service.url}${place}`;
  function target(): string {
    const folder = mkdtempSync(join(tmpdir(), "setpoint-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return join(folder, "a.bin");
  }

  test("is written byte for byte", async () => {
    const to = target();
    const bytes = Buffer.from([0, 255, 13, 10, 128]);
    mock(service.url)
      .get(place)
      .matchHeader("authorization", /^Basic /)
      .reply(200, bytes, { "content-type": "text/html" });
    expect(await call("downloadAttachment", { attachmentUrl, to })).toEqual({ path: to, bytes: 5 });
    expect(readFileSync(to)).toEqual(bytes);
  });

  test.each([
    ["of the service", "https://tracker.example.com", "/jira/login.jsp"],
    ["elsewhere", "https://login.example.com", "/sso"],
  ])("behind a redirect to a login page %s is not signed in, and no file", async (_case, origin, path) => {
    const to = target();
    mock(service.url)
      .get(place)
      .reply(302, "", { location: `${origin}${path}?from=x` });
    const isAnonymous = (value: unknown) => !value;
    mock(origin)
      .get(`${path}?from=x`)
      .matchHeader("authorization", isAnonymous)
      .reply(200, "<form>", { "content-type": "text/html" });
    const problem = await problemOf(call("downloadAttachment", { attachmentUrl, to }));
    expect(problem).toMatchObject({ code: "SP3003", message: expect.stringContaining(`${origin}${path}`) });
    expect(existsSync(to)).toBe(false);
  });

  test.each([
    ["another host", "https://elsewhere.example.com/jira/secure/attachment/1/a"],
    ["another part of the host", "https://tracker.example.com/wiki/a"],
    ["a way out of the service", "https://tracker.example.com/jira/../wiki/a"],
    ["a way out that is encoded", "https://tracker.example.com/jira/%2e%2e/wiki/a"],
    ["a name that begins alike", "https://tracker.example.com/jira-backup/a"],
  ])("at %s is not requested", async (_case, url) => {
    expect(await problemOf(call("downloadAttachment", { attachmentUrl: url, to: target() }))).toMatchObject({
      code: "SP3002",
    });
  });

  test.each([
    [206, "SP3104"],
    [204, "SP3103"],
    [202, "SP3103"],
  ])("that arrives only in part, or not at all (%s), leaves no file", async (status, code) => {
    const to = target();
    mock(service.url)
      .get(place)
      .reply(status, status === 204 ? "" : "boo", { "content-type": "text/plain" });
    expect(await problemOf(call("downloadAttachment", { attachmentUrl, to }))).toMatchObject({ code });
    expect(existsSync(to)).toBe(false);
  });

  test("that does not exist is not found and leaves no file", async () => {
    const to = target();
    mock(service.url)
      .get(place)
      .reply(404, { errorMessages: ["It is gone."], errors: {} });
    expect(await problemOf(call("downloadAttachment", { attachmentUrl, to }))).toMatchObject({ code: "SP3005" });
    expect(existsSync(to)).toBe(false);
  });
});
