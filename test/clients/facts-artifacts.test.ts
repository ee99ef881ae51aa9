import { expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../src/clients/connect.ts";
import { Secret } from "../../src/core/secret.ts";
import type { JsonObject } from "../../src/core/text/json.ts";
import { mockHttp } from "../support/http-mock.ts";
import { problemOf, serviceOf, testClock, tokenCredentials } from "./fixtures.ts";

/* Statements of docs/facts.md about the artifact repository that no other test covers. */

const mock = mockHttp();
const json = { "content-type": "application/json" };
const service = serviceOf("artifacts", { urls: { auth: "https://artifacts.example.com/access" } });
const artifacts = () => mock(service.url);

function call(operation: string, args: JsonObject, clock = testClock()): Promise<unknown> {
  const connection = openConnection(service, { mode: "write", credentials: tokenCredentials, clock });
  onTestFinished(() => connection.close());
  return connection.call(operation, args);
}

const item = { repoKey: "libs", path: "a/b" };

test("an item without properties is not found, in words of its own", async () => {
  const errors = [{ status: 404, message: "No properties could be found." }];
  artifacts().get("/api/storage/libs/a/b?properties").reply(404, { errors }, json);
  expect(await problemOf(call("getProperties", item))).toMatchObject({
    code: "SP3005",
    message: "The service answered 404: No properties could be found.",
  });
});

/** The first answers are from the product's REST reference, File List and Folder Info; the second from pyartifactory's tests. */
test.each([
  [
    { size: "-1", folder: "true" },
    { size: "253207", folder: "false" },
  ],
  [
    { size: -1, folder: true },
    { size: 253207, folder: false },
  ],
])("folders are listed with sizes and kinds as text or not: %j, %j", async (folder, file) => {
  const files = [
    { uri: "/archived", ...folder },
    { uri: "/doc.txt", ...file },
  ];
  artifacts().get("/api/storage/libs/a/b?list&deep=1").reply(200, { uri: "u", files }, json);
  expect(await call("listFolder", { ...item, deep: true })).toMatchObject({
    files: [
      { uri: "/archived", size: -1, folder: true },
      { uri: "/doc.txt", size: 253207, folder: false },
    ],
  });
  const children = [
    { uri: "/child1", folder: folder.folder },
    { uri: "/child2", folder: file.folder },
  ];
  artifacts().get("/api/storage/libs/a/b").reply(200, { uri: "u", children }, json);
  const expected = { children: [{ folder: true }, { folder: false }] };
  expect(await call("getItem", item)).toMatchObject(expected);
  artifacts().get("/api/storage/auto-trashcan").reply(200, { children }, json);
  expect(await call("listTrash", {})).toMatchObject(expected);
});

test("properties are read and removed at the path to which they are written", async () => {
  artifacts()
    .get("/api/storage/libs/a/b?properties")
    .reply(200, { uri: "u", properties: { k: ["v1", "v2"] } }, json);
  artifacts().delete("/api/storage/libs/a/b?properties=k1%2Ck2&recursive=0").reply(204);
  expect(await call("getProperties", item)).toEqual({ uri: "u", properties: { k: ["v1", "v2"] } });
  expect(await call("deleteProperties", { ...item, properties: ["k1", "k2"], recursive: false })).toBe("");
});

test.each([..."(){}[]*+^$/\\~`!@#%&<>;=,±§ "])("a property name cannot contain %s: nothing is sent", async (mark) => {
  const args = { ...item, properties: { [`a${mark}b`]: ["x"] } };
  expect(await problemOf(call("setProperties", args))).toMatchObject({ code: "SP1002" });
});

test("a token is issued with status 200 and the product's fields, and its strings are secrets", async () => {
  const args = {
    grant_type: "client_credentials",
    username: "robot",
    scope: "applied-permissions/user",
    expires_in: 0,
    refreshable: false,
    description: "nightly",
    audience: "*@*",
    include_reference_token: true,
  };
  const issued = { token_id: "1", access_token: "acc", scope: "s", token_type: "Bearer", reference_token: "ref" };
  artifacts().post("/access/api/v1/tokens", args).reply(200, issued, json);
  expect(await call("createToken", args)).toEqual({
    ...issued,
    access_token: expect.any(Secret),
    reference_token: expect.any(Secret),
  });
});

test.each([
  ["scope", 500],
  ["description", 1024],
])("a token's %s of more than %i characters is not sent", async (field, longest) => {
  const args = { [field]: "x".repeat(longest + 1) };
  expect(await problemOf(call("createToken", args))).toMatchObject({ code: "SP1002" });
});

test("a token is revoked by its id", async () => {
  artifacts().delete("/access/api/v1/tokens/5d%2F1").reply(200, "Token revoked", { "content-type": "text/plain" });
  expect(await call("revokeToken", { tokenId: "5d/1" })).toBe("Token revoked");
});

test.each([200, 204])("retention that is answered with %i is carried out", async (status) => {
  artifacts().post("/api/build/retention/b?async=false", { count: "3" }).reply(status);
  expect(await call("applyRetention", { buildName: "b", async: false, count: 3 })).toBe("");
});

test("a query beyond the limit of concurrent queries is sent again, although it is sent by POST", async () => {
  artifacts()
    .post("/api/search/aql")
    .reply(429, { errors: [] }, { ...json, "retry-after": "1" });
  artifacts().post("/api/search/aql").reply(200, { results: [] }, json);
  const clock = testClock();
  expect(await call("query", { query: { find: "items" } }, clock)).toEqual({ results: [] });
  expect(clock.waits).toEqual([1000]);
});

test.each([
  [400, "Query is too long"],
  [408, "Query timed out"],
])("a query that is refused (%i) is not sent again", async (status, message) => {
  artifacts()
    .post("/api/search/aql")
    .reply(status, { errors: [{ status, message }] }, json);
  expect(await problemOf(call("query", { query: { find: "items" } }))).toMatchObject({
    code: "SP3007",
    message: `The service answered ${status}: ${message}.`,
  });
});

test("a query that counts more results than it sends is incomplete", async () => {
  const range = { start_pos: 0, end_pos: 2, total: 2 };
  artifacts()
    .post("/api/search/aql")
    .reply(200, { results: [{ name: "x" }], range }, json);
  expect(await problemOf(call("query", { query: { find: "items" } }))).toMatchObject({
    code: "SP3104",
    message: expect.stringContaining("of 2"),
  });
});

test("a build name without builds is not found", async () => {
  const errors = [{ status: 404, message: "No build was found for build name: b" }];
  artifacts().get("/api/build/b").reply(404, { errors }, json);
  expect(await problemOf(call("listBuilds", { buildName: "b" }))).toMatchObject({ code: "SP3005" });
});
