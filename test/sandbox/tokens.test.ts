import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { World } from "../../src/sandbox/world.ts";
import { type Answer, accounts, ask, basic, sandboxForTest } from "./asking.ts";

const start = Date.UTC(2026, 0, 1);
const far = Date.UTC(2999, 0, 1);
const token = (id: number, user: string, more = {}) => ({
  id,
  user,
  description: `Token ${id}`,
  created: start + id,
  validUntil: far,
  secret: `secret-${id}`,
  ...more,
});

const roles = ["tracker", "wiki"] as const;

describe.each(roles)("the token plugin of the %s", (role) => {
  function pluginSandbox(plugin: object = {}): Promise<Sandbox> {
    const tokens = [
      token(1, "ada"),
      token(2, "max", { lastAccessed: start + 50, scope: 1 }),
      token(5, "max", { validUntil: null, scope: 2 }),
    ];
    return sandboxForTest({ world: World.parse({ accounts, [role]: { tokenPlugin: { tokens, ...plugin } } }) });
  }

  function plugin(sandbox: Sandbox, path: string, init: RequestInit = {}, authorization = basic("max", "MAX")) {
    const headers = new Headers({ "content-type": "application/json", ...init.headers, authorization });
    return ask(`${sandbox.services[role].url}/rest/de.resolution.apitokenauth/latest/user${path}`, {
      ...init,
      headers,
    });
  }

  const send = (method: string, body: unknown): RequestInit => ({ method, body: JSON.stringify(body) });
  const create = (body: object) => send("POST", { tokenDescription: "new", ...body });
  const parsed = ({ status, text }: Answer) => ({ status, body: JSON.parse(text) });
  const idsOf = ({ content }: { content: { id: number }[] }) => content.map(({ id }) => id);

  /** Returns the key by which the service knows an account. */
  async function keyOf(sandbox: Sandbox, secret: string): Promise<string> {
    const path = role === "tracker" ? "/rest/api/2/myself" : "/rest/api/user/current";
    const answer = await ask(`${sandbox.services[role].url}${path}`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    const { key, userKey } = JSON.parse(answer.text);
    return key ?? userKey;
  }

  test("also answers under the documented path", async () => {
    const { url } = (await pluginSandbox()).services[role];
    const headers = { authorization: "Bearer MAX" };
    expect((await ask(`${url}/rest/token_plugin/latest/user/token`, { headers })).status).toBe(200);
  });

  test("lists the caller's tokens but never their secrets", async () => {
    const { body } = parsed(await plugin(await pluginSandbox(), "/token"));
    expect(body).toEqual({
      content: [
        { id: 2, description: "Token 2", created: start + 2, lastAccessed: start + 50, validUntil: far, tokenScope: 1 },
        { id: 5, description: "Token 5", created: start + 5, lastAccessed: 0, validUntil: null, tokenScope: 2 },
      ],
    });
  });

  test("lists a bare array without expiry in version 1", async () => {
    const sandbox = await pluginSandbox({ tokenList: "array", largestPage: 1 });
    for (const path of ["/token", "/tokensByFilter?page=1"])
      expect(parsed(await plugin(sandbox, path)).body).toEqual([
        { id: 2, description: "Token 2", created: start + 2, lastAccessed: start + 50 },
        { id: 5, description: "Token 5", created: start + 5, lastAccessed: 0 },
      ]);
  });

  describe("creates a token", () => {
    test("that signs in as its user, until it is revoked", async () => {
      const sandbox = await pluginSandbox();
      const { status, body } = parsed(await plugin(sandbox, "/token", create({})));
      expect([status, body.id, body.tokenDescription]).toEqual([200, 6, "new"]);
      for (const authorization of [basic("max", body.plainTextToken), `Bearer ${body.plainTextToken}`])
        expect(idsOf(parsed(await plugin(sandbox, "/token", {}, authorization)).body)).toEqual([2, 5, 6]);
      expect(parsed(await plugin(sandbox, "/token/6", { method: "DELETE" }))).toEqual({ status: 200, body: true });
      expect((await plugin(sandbox, "/token", {}, `Bearer ${body.plainTextToken}`)).status).toBe(401);
    });

    test("with an id that no revoked token had", async () => {
      const sandbox = await pluginSandbox();
      await plugin(sandbox, "/token/5", { method: "DELETE" });
      expect(parsed(await plugin(sandbox, "/token", create({}))).body.id).toBe(6);
      await plugin(sandbox, "/token/6", { method: "DELETE" });
      expect(parsed(await plugin(sandbox, "/token", create({}))).body.id).toBe(7);
    });

    test("and returns its id only if the version does", async () => {
      const sandbox = await pluginSandbox({ givesId: false });
      expect(parsed(await plugin(sandbox, "/token", create({}))).body).not.toHaveProperty("id");
    });

    test("that expires at the requested time; an exact time overrides months", async () => {
      const sandbox = await pluginSandbox();
      const millis = Date.now() + 40 * 86_400_000;
      const expiryOf = async (body: object) =>
        parsed(await plugin(sandbox, "/token", create(body))).body.tokenExpirationDateTimeMillis;
      expect(await expiryOf({ tokenExpirationDateTimeMillis: millis, tokenValidityTimeInMonths: 1 })).toBe(millis);
      const date = `${new Date(millis).toISOString().slice(0, 19)}+02:00`;
      expect(await expiryOf({ tokenExpirationDateTime: date })).toBe(Date.parse(date));
      const created = Date.now();
      const month = await expiryOf({ tokenValidityTimeInMonths: 1 });
      expect(month - created).toBeGreaterThan(27 * 86_400_000);
      expect(month - created).toBeLessThan(32 * 86_400_000);
      expect(await expiryOf({})).toBeGreaterThan(created + 364 * 86_400_000);
    });

    test.each([
      ["months beyond the maximum", { tokenValidityTimeInMonths: 13 }],
      ["a time beyond the maximum", { tokenExpirationDateTimeMillis: far }],
      ["a date beyond the maximum", { tokenExpirationDateTime: "2999-01-01T00:00:00+02:00" }],
      ["a time that is past", { tokenExpirationDateTimeMillis: start }],
      ["a date without offset", { tokenExpirationDateTime: "2027-01-01T00:00:00" }],
      ["no months", { tokenValidityTimeInMonths: 0 }],
      ["more months than there are", { tokenValidityTimeInMonths: Number.MAX_SAFE_INTEGER }],
      ["no description", { tokenDescription: undefined }],
    ])("but not with %s", async (_case, body) => {
      const sandbox = await pluginSandbox();
      const before = sandbox.state();
      expect(parsed(await plugin(sandbox, "/token", create(body)))).toEqual({
        status: 400,
        body: { errorMessage: expect.any(String) },
      });
      expect(sandbox.state()).toEqual(before);
    });

    test("for another user only if an administrator asks", async () => {
      const sandbox = await pluginSandbox();
      const forMax = create({ tokenForUserKey: await keyOf(sandbox, "MAX") });
      const forAda = create({ tokenForUserKey: await keyOf(sandbox, "ADA") });
      expect((await plugin(sandbox, "/token", forAda)).status).toBe(403);
      expect((await plugin(sandbox, "/token", forMax)).status).toBe(200);
      expect((await plugin(sandbox, "/token", forMax, "Bearer ADA")).status).toBe(200);
      expect((await plugin(sandbox, "/token", create({ tokenForUserKey: "max" }), "Bearer ADA")).status).toBe(400);
      expect(sandbox.state()[role].tokenPlugin.tokens.map(({ user }) => user)).toEqual([
        "ada",
        "max",
        "max",
        "max",
        "max",
      ]);
    });

    test("only from JSON", async () => {
      const init = { ...create({}), headers: { "content-type": "text/plain" } };
      expect((await plugin(await pluginSandbox(), "/token", init)).status).toBe(415);
    });
  });

  test("changes only the description of a token", async () => {
    const sandbox = await pluginSandbox();
    const change = send("PATCH", { tokenDescription: "renamed", tokenValidityTimeInMonths: 1 });
    expect(parsed(await plugin(sandbox, "/token/2", change)).body).toMatchObject({ id: 2, description: "renamed" });
    expect(sandbox.state()[role].tokenPlugin.tokens[1]).toEqual({
      ...token(2, "max", { lastAccessed: start + 50, scope: 1 }),
      description: "renamed",
    });
  });

  test.each(["/token/1", "/token/9", "/token/x"])(
    "hides %s from everyone except its user and administrators",
    async (path) => {
      const sandbox = await pluginSandbox();
      expect(parsed(await plugin(sandbox, path, { method: "DELETE" }))).toEqual({
        status: 404,
        body: { errorMessage: expect.any(String) },
      });
      expect((await plugin(sandbox, "/token/2", { method: "DELETE" }, "Bearer ADA")).status).toBe(200);
    },
  );

  describe("filters", () => {
    test.each([
      ["", [1, 2, 5]],
      ["descriptionFilter=tOKEN%202", [2]],
      ["tokenScope=0", [1]],
      [`notValidAfter=${far}`, [1, 2]],
      [`fromCreated=${start + 2}&untilCreated=${start + 4}`, [2]],
      [`fromLastUsed=1`, [2]],
      [`untilLastUsed=0`, [1, 5]],
      [`fromExpiresDuring=${start}&untilExpiresDuring=${far}`, [1, 2]],
      ["limit=2", [1, 2]],
      ["limit=2&page=1", [5]],
      ["limit=2&page=2", []],
      ["userFilter=nobody", []],
    ])("by %j", async (query, ids) => {
      const answer = await plugin(await pluginSandbox(), `/tokensByFilter?${query}`, {}, "Bearer ADA");
      expect(idsOf(parsed(answer).body)).toEqual(ids);
    });

    test.each(["limit=-1", "page=x", "tokenScope=none", "fromCreated=2026-01-01"])("cannot be %s", async (query) => {
      expect(parsed(await plugin(await pluginSandbox(), `/tokensByFilter?${query}`))).toEqual({
        status: 400,
        body: { errorMessage: expect.any(String) },
      });
    });

    test("by several users, and shows others' tokens only to administrators", async () => {
      const sandbox = await pluginSandbox({ largestPage: 9 });
      const [ada, max] = [await keyOf(sandbox, "ADA"), await keyOf(sandbox, "MAX")];
      const ids = async (query: string, secret: string) =>
        idsOf(parsed(await plugin(sandbox, `/tokensByFilter?${query}`, {}, `Bearer ${secret}`)).body);
      expect(await ids(`userFilter=${max}`, "ADA")).toEqual([2, 5]);
      expect(await ids(`userFilter=${max}&userFilter=${ada}`, "ADA")).toEqual([1, 2, 5]);
      expect(await ids(`userFilter=${ada}`, "MAX")).toEqual([]);
    });

    test("into pages no longer than its own limit", async () => {
      const sandbox = await pluginSandbox({ largestPage: 2 });
      const answer = await plugin(sandbox, "/tokensByFilter?limit=50", {}, "Bearer ADA");
      expect(idsOf(parsed(answer).body)).toEqual([1, 2]);
    });
  });

  test("refuses an expired token, and writes with a token that only allows reads", async () => {
    const sandbox = await pluginSandbox({
      tokens: [token(1, "max", { validUntil: start }), token(2, "max", { scope: 1 })],
    });
    expect((await plugin(sandbox, "/token", {}, "Bearer secret-1")).status).toBe(401);
    expect((await plugin(sandbox, "/token", {}, "Bearer secret-2")).status).toBe(200);
    expect((await plugin(sandbox, "/token", create({}), "Bearer secret-2")).status).toBe(401);
  });
});
