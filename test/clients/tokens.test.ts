import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../src/clients/connect.ts";
import { pluginTokenOperations } from "../../src/clients/tokens.ts";
import { Secret } from "../../src/core/secret.ts";
import type { JsonObject } from "../../src/core/text/json.ts";
import { mockHttp } from "../support/http-mock.ts";
import { basicCredentials, problemOf, serviceOf, testClock } from "./fixtures.ts";

const mock = mockHttp();
const root = "/rest/de.resolution.apitokenauth/latest/user";
const token = (id: number, more = {}) => ({ id, description: `token ${id}`, created: 1_573_814_077_364, ...more });
const roles = ["tracker", "wiki"] as const;

describe.each(roles)("on the %s", (role) => {
  const service = serviceOf(role);
  function call(operation: string, args: JsonObject, wire: "product" | "documented" = "product") {
    const connection = openConnection(
      { ...service, wire },
      { mode: "write", credentials: basicCredentials, pageAll: true, clock: testClock() },
    );
    onTestFinished(() => connection.close());
    return connection.call(operation, args);
  }
  const filter = (query: string) => mock(service.url).get(`${root}/tokensByFilter?${query}`);

  test("wire: documented uses the documented path", async () => {
    mock(service.url).get("/rest/token_plugin/latest/user/token").reply(200, []);
    await call("listTokens", {}, "documented");
  });

  test.each([
    [
      "a bare array, without expiry",
      [token(4, { lastAccessed: 0 })],
      { content: [token(4, { lastAccessed: 0 })], last: true },
    ],
    ["a page", { content: [token(4, { validUntil: 5 })], size: 1 }, { content: [token(4, { validUntil: 5 })] }],
    ["a page that is empty", { content: [] }, { content: [] }],
  ])("a list can be %s", async (_case, body, list) => {
    mock(service.url).get(`${root}/token`).reply(200, body);
    expect(await call("listTokens", {})).toMatchObject(list);
  });

  test("a list is read until a page is empty, however short the pages are", async () => {
    filter("userFilter=a&userFilter=b&page=0&limit=100").reply(200, { content: [token(1), token(2)] });
    filter("userFilter=a&userFilter=b&page=1&limit=100").reply(200, { content: [token(2), token(3)] });
    filter("userFilter=a&userFilter=b&page=2&limit=100").reply(200, { content: [] });
    expect(await call("filterTokens", { userFilter: ["a", "b"], limit: 100 })).toEqual({
      content: [token(1), token(2), token(3)],
    });
  });

  test("a list ends with a page marked as the last, or with a bare array", async () => {
    filter("page=0").reply(200, { content: [token(1)], last: false });
    filter("page=1").reply(200, { content: [token(2)], last: true });
    expect(await call("filterTokens", {})).toEqual({ content: [token(1), token(2)], last: true });
    filter("page=0").reply(200, [token(1)]);
    expect(await call("filterTokens", {})).toEqual({ content: [token(1)], last: true });
  });

  test("a list whose pages repeat is incomplete", async () => {
    filter("page=0").reply(200, { content: [token(1), token(2)] });
    filter("page=1").reply(200, { content: [token(1), token(2)] });
    expect(await problemOf(call("filterTokens", {}))).toMatchObject({ code: "SP3104", operation: "filterTokens" });
  });

  test("every filter is sent by its name", async () => {
    const numbers = ["notValidAfter", "fromCreated", "untilCreated", "fromLastUsed", "untilLastUsed"];
    const args = Object.fromEntries([...numbers, "fromExpiresDuring", "untilExpiresDuring"].map((name) => [name, 7]));
    const all = { ...args, tokenScope: 2, page: 3, limit: 5, descriptionFilter: "a&b", userFilter: ["k"] };
    expect(Object.keys(all).sort()).toEqual(Object.keys(pluginTokenOperations.filterTokens.args.shape).sort());
    const sent = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
    mock(service.url).get(`${root}/tokensByFilter`).query(sent).reply(200, []);
    await call("filterTokens", all);
  });

  test("the text of a created token is never shown", async () => {
    const created = { plainTextToken: "pl4in-text", tokenDescription: "d", id: 9 };
    mock(service.url)
      .post(`${root}/token`, { tokenDescription: "d", tokenValidityTimeInMonths: 2 })
      .reply(200, created);
    const result = pluginTokenOperations.createToken.result.safeParse(created).data;
    expect(result?.plainTextToken.reveal()).toBe("pl4in-text");
    const answered = await call("createToken", { tokenDescription: "d", tokenValidityTimeInMonths: 2 });
    expect(answered).toEqual({ ...created, plainTextToken: expect.any(Secret) });
    expect(JSON.parse(JSON.stringify(answered))).toEqual({ ...created, plainTextToken: "•••" });
    expect(inspect(answered, { depth: null, showHidden: true })).not.toContain("pl4in");
  });

  test.each([
    ["without text", { id: 3, secretThing: "pl4in" }],
    ["with an empty text", { plainTextToken: "" }],
    ["with an id of another type", { plainTextToken: "pl4in", id: {} }],
  ])("an answer %s is not accepted as a token, and is not quoted", async (_case, body) => {
    mock(service.url).post(`${root}/token`).reply(200, body);
    const problem = await problemOf(call("createToken", { tokenDescription: "d" }));
    expect(problem.code).toBe("SP3103");
    expect(JSON.stringify(problem)).not.toContain("pl4in");
  });

  test("a creation is never sent twice", async () => {
    mock(service.url)
      .post(`${root}/token`)
      .replyWithError(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
    expect(await problemOf(call("createToken", { tokenDescription: "d" }))).toMatchObject({ code: "SP3105" });
  });

  test("the plugin's own words are shown", async () => {
    mock(service.url).post(`${root}/token`).reply(400, { errorMessage: "Within the next 12 months." });
    expect(await problemOf(call("createToken", { tokenDescription: "d" }))).toMatchObject({
      code: "SP3007",
      message: "The service answered 400: Within the next 12 months.",
    });
  });

  test("a token counts as deleted only if the service says true", async () => {
    mock(service.url).delete(`${root}/token/4`).reply(200, "true", { "content-type": "application/json" });
    expect(await call("deleteToken", { tokenId: 4 })).toBe(true);
    mock(service.url).delete(`${root}/token/4`).reply(200, "false", { "content-type": "application/json" });
    expect(await problemOf(call("deleteToken", { tokenId: 4 }))).toMatchObject({ code: "SP3103" });
  });

  test("only the description of a token can be changed", async () => {
    mock(service.url)
      .patch(`${root}/token/4`, { tokenDescription: "new" })
      .reply(200, token(4, { description: "new" }));
    expect(await call("updateToken", { tokenId: 4, tokenDescription: "new" })).toEqual(
      token(4, { description: "new" }),
    );
  });
});
