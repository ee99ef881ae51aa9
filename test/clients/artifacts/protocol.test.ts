import { expect, test } from "vitest";
import type { Credentials } from "../../../src/clients/credentials/credentials.ts";
import type { ProblemCode } from "../../../src/core/problem.ts";
import { Secret } from "../../../src/core/secret.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { basicCredentials, problemOf, tokenCredentials } from "../fixtures.ts";
import { json, open } from "./mocked.ts";

const mock = mockHttp();
const keyCredentials: Credentials = { is: "key", key: new Secret("k3y") };
const item = { repoKey: "libs", path: "a/b" };

test.each([
  ["a token", tokenCredentials, "product", "authorization", "Bearer t0ken"],
  ["a password", basicCredentials, "product", "authorization", `Basic ${btoa("robot:pa55/word")}`],
  ["an API key", keyCredentials, "product", "x-jfrog-art-api", "k3y"],
  ["an API key", keyCredentials, "documented", "x-vendor-art-api", "k3y"],
] as const)("%s (%j, wire: %s) is sent in %s", async (_case, credentials, wire, name, value) => {
  const names = ["authorization", "x-jfrog-art-api", "x-vendor-art-api"];
  const sent = names.reduce(
    (request, other) =>
      request.matchHeader(other, (text) => (text || undefined) === (other === name ? value : undefined)),
    mock("https://artifacts.example.com").get("/artifactory/api/repositories"),
  );
  sent.reply(200, [], json);
  expect(await open({ wire }, credentials).call("listRepositories", {})).toEqual([]);
});

test.each([
  ["product", "/artifactory/api/storage/libs/a/b"],
  ["documented", "/artifactory/storage/libs/a/b"],
] as const)("properties are set at the path that wire: %s uses", async (wire, path) => {
  mock("https://artifacts.example.com")
    .put(`${path}?properties=${encodeURIComponent("k=a\\,b,c|l=1")}&recursive=1`)
    .reply(204);
  const args = { ...item, properties: { k: ["a,b", "c"], l: ["1"] }, recursive: true };
  expect(await open({ wire }).call("setProperties", args)).toBe("");
});

test("a path is encoded segment by segment", async () => {
  mock("https://artifacts.example.com").delete("/artifactory/libs/a%20b/%C3%BC/c%23%3F").reply(204);
  expect(await open().call("deleteItem", { repoKey: "libs", path: "a b/ü/c#?" })).toBe("");
});

test("an archive is recognized by its file name", async () => {
  const problem = await problemOf(open().call("deployArchive", { ...item, file: "site.rar" }));
  expect(problem).toMatchObject({ code: "SP1002", message: expect.stringContaining("tar.gz") });
});

test.each(["", "/a", "a//b", "a/", "a/../b", "."])("%j could be another item's path: nothing is sent", async (path) => {
  expect(await problemOf(open().call("deleteItem", { repoKey: "libs", path }))).toMatchObject({ code: "SP1002" });
});

const codes: readonly (readonly [number, ProblemCode])[] = [
  [400, "SP3007"],
  [401, "SP3003"],
  [403, "SP3004"],
  [404, "SP3005"],
  [408, "SP3007"],
  [409, "SP3007"],
  [413, "SP3007"],
  [429, "SP3008"],
  [500, "SP3009"],
  [503, "SP3009"],
];

test.each(codes)("%i is %s with the service's own words", async (status, code) => {
  mock("https://artifacts.example.com")
    .get("/artifactory/api/repositories/x")
    .times(status === 429 || status >= 500 ? 4 : 1)
    .reply(status, { errors: [{ status, message: "No, k3y." }] }, json);
  const problem = await problemOf(open({}, keyCredentials).call("getRepository", { key: "x" }));
  expect(problem).toMatchObject({ code, message: expect.stringContaining(`${status}: No, •••`) });
});

/** The answers of `ArtifactResource.prepareStorageInfoResponse` of the open-source edition, 6.20, with `hideUnauthorizedResources`. */
test.each([
  [
    "an item that the account may not read is hidden, which is a refusal and no proof of absence",
    "Resource not found",
    "SP3004",
  ],
  ["an item that does not exist is not found", "Unable to find item", "SP3005"],
])("%s", async (_case, message, code) => {
  mock("https://artifacts.example.com")
    .get("/artifactory/api/storage/libs/a/b")
    .reply(404, { errors: [{ status: 404, message }] }, json);
  expect(await problemOf(open().call("getItem", item))).toMatchObject({
    code,
    message: `The service answered 404: ${message}.`,
  });
});

test("409 is a refusal by a repository, which a new plan would not change", async () => {
  const message =
    "The repository 'libs-release-local' rejected the deployment due to its snapshot/release handling policy.";
  mock("https://artifacts.example.com")
    .post("/artifactory/api/docker/r/v2/promote", { targetRepo: "t", dockerRepository: "i" })
    .reply(409, { errors: [{ status: 409, message }] }, json);
  const args = { repoKey: "r", targetRepo: "t", dockerRepository: "i" };
  const { message: said, hint } = await problemOf(open().call("promoteImage", args));
  expect([said, hint]).toEqual([
    `The service answered 409: ${message}`,
    expect.stringContaining("repository's policies"),
  ]);
});

test("a refused promotion gives the reason, and not its steps", async () => {
  mock("https://artifacts.example.com")
    .post("/artifactory/api/build/promote/b%2F1%20x/7", { status: "s" })
    .reply(
      400,
      {
        messages: [
          { level: "INFO", message: "Skipping build item relocation: no target repository selected." },
          { level: "ERROR", message: "Unable to find artifact" },
        ],
      },
      json,
    );
  const args = { buildName: "b/1 x", buildNumber: 7, status: "s" };
  const problem = await problemOf(open().call("promoteBuild", args));
  expect(problem).toMatchObject({ code: "SP3007", message: "The service answered 400: Unable to find artifact." });
});

test.each([
  ["documented", { count: 3, minimumBuildDate: 1_790_000_000_123 }],
  ["product", { count: "3", minimumBuildDate: "2026-09-21T14:13:20.123+0000" }],
] as const)("wire: %s sends the limits of a retention as %j", async (wire, limits) => {
  mock("https://artifacts.example.com")
    .post("/artifactory/api/build/retention/b?async=true", { ...limits, buildNumbersNotToBeDiscarded: ["7"] })
    .reply(204);
  const args = { count: 3, minimumBuildDate: 1_790_000_000_123, buildNumbersNotToBeDiscarded: [7] };
  expect(await open({ wire }).call("applyRetention", { buildName: "b", async: true, ...args })).toBe("");
});

test("a promotion answered with errors among its messages has failed", async () => {
  const answers = [
    [{ level: "WARNING", message: "No items were copied" }],
    [
      { level: "INFO", message: "Checking" },
      { level: "ERROR", message: "Unable to find artifact" },
      { level: "error", message: "Quota" },
    ],
  ];
  for (const messages of answers)
    mock("https://artifacts.example.com").post("/artifactory/api/build/promote/b/7").reply(200, { messages }, json);
  const promote = () => open().call("promoteBuild", { buildName: "b", buildNumber: 7, dryRun: true });
  expect(await promote()).toEqual({ messages: answers[0] });
  expect(await problemOf(promote())).toMatchObject({
    code: "SP3007",
    message: "The service reports errors: Unable to find artifact; Quota",
  });
});

test.each([
  ["emptyTrash", {}, "post", "/artifactory/api/trash/empty"],
  ["applyRetention", { buildName: "b", count: 1 }, "post", "/artifactory/api/build/retention/b"],
  ["createToken", { scope: "s" }, "post", "/access/api/v1/tokens"],
  [
    "promoteImage",
    { repoKey: "d", targetRepo: "t", dockerRepository: "i" },
    "post",
    "/artifactory/api/docker/d/v2/promote",
  ],
  ["promoteBuild", { buildName: "b", buildNumber: 1 }, "post", "/artifactory/api/build/promote/b/1"],
] as const)("%s is never sent again if its answer was lost", async (operation, args, method, path) => {
  mock("https://artifacts.example.com")[method](path).reply(502, "Bad gateway");
  const connection = open();
  expect(await problemOf(connection.call(operation, args))).toMatchObject({ code: "SP3105" });
  expect(connection.requests.writes).toBe(1);
});

test.each([
  ["an HTML page", "<html><p>Maintenance", "text/html", "SP3103"],
  ["a login page", '<html><input type="password">', "text/html", "SP3003"],
  ["JSON that was cut off", '[{"key":"a","ty', "application/json", "SP3103"],
  ["another type of content", "[]", "application/xml", "SP3103"],
  ["JSON of another shape", '[{"key":5}]', "application/json", "SP3103"],
])("%s is not accepted as an answer", async (_case, body, type, code) => {
  mock("https://artifacts.example.com").get("/artifactory/api/repositories").reply(200, body, { "content-type": type });
  expect(await problemOf(open().call("listRepositories", {}))).toMatchObject({ code });
});

test('a redirect to a login page means "not signed in"', async () => {
  mock("https://artifacts.example.com")
    .get("/artifactory/api/storageinfo")
    .reply(302, "", { location: "https://sso.example.com/" });
  expect(await problemOf(open().call("getStorageInfo", {}))).toMatchObject({ code: "SP3003" });
});

test.each([
  ["as the document has it", { key: "v", type: "VIRTUAL", defaultDeploymentRepo: "l" }],
  ["as the product has it", { key: "v", rclass: "virtual", defaultDeploymentRepo: "l" }],
])("the type of a repository is read %s", async (_case, body) => {
  mock("https://artifacts.example.com").get("/artifactory/api/repositories/v").reply(200, body, json);
  const expected = { key: "v", type: "VIRTUAL", defaultDeploymentRepo: "l" };
  expect(await open().call("getRepository", { key: "v" })).toMatchObject(expected);
});

test.each(["getItem", "getProperties"])(
  "%s is not in the documents, so it is not sent under wire: documented",
  async (operation) => {
    expect(await problemOf(open({ wire: "documented" }).call(operation, item))).toMatchObject({ code: "SP3007" });
  },
);
