import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { World } from "../../../src/sandbox/world.ts";
import { type Answer, accounts, ask, basic, sandboxForTest } from "../asking.ts";

const attachment = { id: "31", filename: "a b.txt", content: "größe" };
const issue = (key: string, summary: string, day: number, more = {}) => ({
  key,
  summary,
  created: `2026-01-${String(day).padStart(2, "0")}T10:00:00.000+00:00`,
  updated: `2026-02-${String(day).padStart(2, "0")}T10:00:00.000+00:00`,
  ...more,
});

async function trackerSandbox(more: object = {}): Promise<Sandbox> {
  const tracker = {
    projects: [
      { key: "FW", name: "Firmware" },
      { key: "REL", name: "Releases" },
    ],
    issues: [
      issue("FW-2", "Boot fails", 3, { status: "In Progress", issuetype: "Bug", attachments: [attachment] }),
      issue("FW-10", 'Read the "gyro"', 5),
      issue("REL-1", "Ship", 4),
    ],
    preferences: { max: { theme: "dark" } },
    ...more,
  };
  return sandboxForTest({ world: World.parse({ accounts, tracker }) });
}

function tracker(sandbox: Sandbox, path: string, init: RequestInit = {}, authorization = basic("max", "MAX")) {
  const headers = new Headers(init.headers);
  if (authorization !== "") headers.set("authorization", authorization);
  return ask(`${sandbox.services.tracker.url}${path}`, { ...init, headers });
}

const put = (body: unknown): RequestInit => ({
  method: "PUT",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

function parsed(answer: Answer) {
  return { status: answer.status, body: JSON.parse(answer.text) };
}

/** An error in this service's form. */
const error = (status: number) => ({ status, body: { errorMessages: [expect.any(String)], errors: {} } });

describe("users", () => {
  test("have a key that is not their name", async () => {
    const sandbox = await trackerSandbox();
    const me = parsed(await tracker(sandbox, "/rest/api/2/myself"));
    expect(me).toMatchObject({ status: 200, body: { name: "max", displayName: "Max", timeZone: "Etc/UTC" } });
    expect(me.body.key).not.toBe("max");
    for (const query of ["username=max", `key=${me.body.key}`])
      expect(parsed(await tracker(sandbox, `/rest/api/2/user?${query}`))).toEqual(me);
  });

  test.each([
    ["", 400],
    ["?username=nobody", 404],
    ["?key=max", 404],
  ])("are not found by /user%s", async (query, status) => {
    expect(parsed(await tracker(await trackerSandbox(), `/rest/api/2/user${query}`))).toEqual(error(status));
  });

  test("sign in by Basic and by Bearer, and in no other way", async () => {
    const sandbox = await trackerSandbox();
    for (const authorization of [basic("max", "MAX"), "Bearer MAX"])
      expect((await tracker(sandbox, "/rest/api/2/myself", {}, authorization)).status).toBe(200);
    for (const authorization of ["", basic("max", "ADA"), "token MAX"])
      expect(parsed(await tracker(sandbox, "/rest/api/2/myself", {}, authorization))).toEqual(error(401));
  });

  test("who must solve a CAPTCHA are denied, with the URL of the page to do so", async () => {
    const sandbox = await trackerSandbox({ captcha: ["max"] });
    const answer = await tracker(sandbox, "/rest/api/2/myself");
    expect(parsed(answer)).toEqual(error(403));
    expect(answer.headers.get("x-authentication-denied-reason")).toBe(
      `CAPTCHA_CHALLENGE; login-url=${sandbox.services.tracker.url}/login.jsp`,
    );
    expect((await tracker(sandbox, "/rest/api/2/myself", {}, basic("ada", "ADA"))).status).toBe(200);
  });
});

describe("preferences", () => {
  test("are each user's own", async () => {
    const sandbox = await trackerSandbox();
    expect((await tracker(sandbox, "/rest/api/2/mypreferences?key=theme")).text).toBe("dark");
    expect(parsed(await tracker(sandbox, "/rest/api/2/mypreferences?key=theme", {}, "Bearer ADA"))).toEqual(error(404));
  });

  test("are stored beside the others when they are set", async () => {
    const sandbox = await trackerSandbox();
    const zone = { ...put(""), body: "Europe/Oslo" };
    const answer = await tracker(sandbox, "/rest/api/2/mypreferences?key=jira.user.timezone", zone);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(sandbox.state().tracker.preferences).toEqual({
      max: { theme: "dark", "jira.user.timezone": "Europe/Oslo" },
    });
    expect(parsed(await tracker(sandbox, "/rest/api/2/myself")).body.timeZone).toBe("Europe/Oslo");
  });

  test("include the locale, which every user has", async () => {
    const sandbox = await trackerSandbox();
    const locale = "/rest/api/2/mypreferences/locale";
    expect((await tracker(sandbox, locale)).text).toBe('{"locale":"en_US"}');
    await tracker(sandbox, locale, put({ locale: "nb_NO" }));
    expect((await tracker(sandbox, locale)).text).toBe('{"locale":"nb_NO"}');
  });

  test.each([
    ["no key", "", put("x"), 404],
    ["no text", "?key=a", { ...put("x"), body: "" }, 404],
    ["another type", "?key=a", { ...put("x"), headers: { "content-type": "text/plain" } }, 415],
    ["a locale in text", "/locale", put("nb_NO"), 400],
  ])("cannot be set with %s", async (_case, query, init, status) => {
    expect(parsed(await tracker(await trackerSandbox(), `/rest/api/2/mypreferences${query}`, init))).toEqual(
      error(status),
    );
  });
});

describe("issues", () => {
  const fieldsOf = async (path: string) => Object.keys(parsed(await tracker(await trackerSandbox(), path)).body.fields);

  test("show all their fields, or only the requested ones", async () => {
    const all = ["summary", "status", "issuetype", "project", "created", "updated", "attachment"];
    expect(await fieldsOf("/rest/api/2/issue/FW-2")).toEqual(all);
    expect(await fieldsOf("/rest/api/2/issue/fw-2?fields=summary&fields=status")).toEqual(["summary", "status"]);
    expect(await fieldsOf("/rest/api/2/issue/FW-2?fields=summary,status")).toEqual(["summary", "status"]);
    expect(await fieldsOf("/rest/api/2/issue/FW-2?fields=-attachment")).toEqual(all.slice(0, -1));
    expect(await fieldsOf("/rest/api/2/issue/FW-2?fields=*navigable")).toEqual(all.slice(0, -1));
  });

  test("have times with a zone offset without a colon", async () => {
    const { body } = parsed(await tracker(await trackerSandbox(), "/rest/api/2/issue/FW-2"));
    expect(body.fields).toMatchObject({
      created: "2026-01-03T10:00:00.000+0000",
      updated: "2026-02-03T10:00:00.000+0000",
    });
  });

  test("name their attachments with the URL of each", async () => {
    const sandbox = await trackerSandbox();
    const { body } = parsed(await tracker(sandbox, "/rest/api/2/issue/FW-2"));
    const [{ content, size, self, author, created }] = body.fields.attachment;
    expect(self).toBe(`${sandbox.services.tracker?.url}/rest/api/2/attachment/31`);
    expect([author, created]).toEqual([{ name: "admin" }, "2026-01-03T10:00:00.000+0000"]);
    const answer = await ask(content, { headers: { authorization: "Bearer MAX" } });
    expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([200, "größe", "text/plain"]);
    expect(size).toBe(7);
    expect((await ask(content)).status).toBe(401);
    expect((await ask(content.replace("/31/", "/32/"), { headers: { authorization: "Bearer MAX" } })).status).toBe(404);
  });

  test("that do not exist are not found", async () => {
    expect(parsed(await tracker(await trackerSandbox(), "/rest/api/2/issue/FW-9"))).toEqual(error(404));
  });
});

describe("a search", () => {
  async function search(parameters: Record<string, string>, more: object = {}) {
    return parsed(await tracker(await trackerSandbox(more), `/rest/api/2/search?${new URLSearchParams(parameters)}`));
  }

  test.each([
    ["", ["FW-10", "REL-1", "FW-2"]],
    ["project = FW ORDER BY key", ["FW-2", "FW-10"]],
    ["project = fw AND type != Bug", ["FW-10"]],
    ["key in (FW-2, 'REL-1') order by key desc", ["REL-1", "FW-2"]],
    ["project not in (REL) ORDER BY created ASC", ["FW-2", "FW-10"]],
    ['status = "In Progress"', ["FW-2"]],
    ['summary ~ "the \\"gyro"', ["FW-10"]],
    ["summary !~ boot ORDER BY status, updated DESC", ["FW-10", "REL-1"]],
    ["created >= 2026-01-04 AND updated < '2026-02-05'", ["REL-1"]],
    ["created <= '2026/01/03 10:00'", ["FW-2"]],
    ["project = firmware", ["FW-10", "FW-2"]],
    ["created >= '2026-01-04T00:00:00Z'", undefined],
    ["updated = yesterday", undefined],
    ["project = OPS", undefined],
    ["key in (FW-2, FW-9)", undefined],
    ["project ~ FW", undefined],
    ["status > Open", undefined],
    ["summary = boot", undefined],
    ["project", undefined],
    ["project =", undefined],
    ["project in FW", undefined],
    ["project in (FW", undefined],
    ["project = 'FW", undefined],
    ["project ? FW", undefined],
    ["colour = red", undefined],
    ["constructor = red", undefined],
    ["ORDER key", undefined],
    ["ORDER BY key nonsense", undefined],
  ])("for %j finds the matching issues in order", async (jql, keys) => {
    const { status, body } = await search({ jql });
    if (keys === undefined) expect({ status, body }).toEqual(error(400));
    else expect(body.issues.map(({ key }: { key: string }) => key)).toEqual(keys);
  });

  test("returns pages that are no longer than the service's own limit", async () => {
    const { body } = await search({ jql: "ORDER BY key", maxResults: "9", startAt: "1" }, { largestPage: 1 });
    expect(body).toMatchObject({ startAt: 1, maxResults: 1, total: 3, issues: [{ key: "FW-10" }] });
    expect((await search({ jql: "" })).body.maxResults).toBe(50);
    expect((await search({ jql: "", startAt: "9" })).body).toMatchObject({ total: 3, issues: [] });
    expect(await search({ jql: "", maxResults: "x" })).toEqual(error(400));
    expect((await search({ jql: "", validateQuery: "True" })).status).toBe(200);
  });

  test("omits attachments unless they are requested", async () => {
    expect((await search({ jql: "key = FW-2" })).body.issues[0].fields).not.toHaveProperty("attachment");
    expect((await search({ jql: "key = FW-2", fields: "attachment" })).body.issues[0].fields.attachment).toHaveLength(
      1,
    );
  });
});

describe("refusals", () => {
  test.each([
    ["an unknown path", "/rest/api/2/filter", {}, 404, /^null for uri: http:.*\/rest\/api\/2\/filter$/],
    ["a method that the path does not have", "/rest/api/2/myself", { method: "DELETE" }, 405, /Method Not Allowed/],
  ])("%s, in the form of the server around the tracker", async (_case, path, init, status, message) => {
    const body = { message: expect.stringMatching(message), "status-code": status };
    expect(parsed(await tracker(await trackerSandbox(), path, init))).toEqual({ status, body });
  });

  test.each([
    ["names a project that is not there", [issue("OPS-1", "x", 1)]],
    ["is a duplicate key", [issue("FW-1", "x", 1), issue("FW-1", "y", 2)]],
  ])("a world in which an issue %s", async (_case, issues) => {
    await expect(trackerSandbox({ issues })).rejects.toThrow();
  });
});
