import { describe, expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import type { Credentials, Environment } from "../../../src/clients/credentials/credentials.ts";
import type { ProblemCode } from "../../../src/core/problem.ts";
import { Secret } from "../../../src/core/secret.ts";
import type { Service } from "../../../src/core/service.ts";
import type { JsonObject } from "../../../src/core/text/json.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { basicCredentials, problemOf, serviceOf, testClock, tokenCredentials } from "../fixtures.ts";

const mock = mockHttp();
const service = serviceOf("artifacts", {
  url: "https://artifacts.example.com/artifactory",
  urls: { auth: "https://artifacts.example.com/access" },
});
const keyCredentials: Credentials = { is: "key", key: new Secret("k3y") };
const json = { "content-type": "application/json" };
const item = { repoKey: "libs", path: "a/b" };

function open(over: Partial<Service> = {}, credentials: Credentials = tokenCredentials, env: Environment = {}) {
  const connection = openConnection(
    { ...service, ...over },
    { mode: "write", credentials, pageAll: true, clock: testClock(), env },
  );
  onTestFinished(() => connection.close());
  return connection;
}

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

test("tokens are read at the root of the token service", async () => {
  mock("https://artifacts.example.com")
    .get("/access/api/v1/tokens?description=x%2A")
    .matchHeader("authorization", "Bearer t0ken")
    .reply(200, { tokens: [{ token_id: "1", unknown: true }] }, json);
  expect(await open().call("listTokens", { description: "x*" })).toEqual({
    tokens: [{ token_id: "1", unknown: true }],
  });
});

test.each([{}, { expires_in: "3600", scope: null, token_type: null, description: null, refresh_token: null }])(
  "the secret of a new token is not lost to what else the answer says, such as %j",
  async (more) => {
    const body = { token_id: "1", access_token: "new", ...more };
    mock("https://artifacts.example.com").post("/access/api/v1/tokens").reply(200, body, json);
    const issued = Object(await open().call("createToken", { description: "d" }));
    expect([issued.token_id, issued.access_token.reveal()]).toEqual(["1", "new"]);
  },
);

describe("a token service at another origin", () => {
  const elsewhere = { urls: { auth: "https://tokens.example.com" } };
  const bound = { SETPOINT_ARTIFACTS_AUTH_URL: "https://tokens.example.com", SETPOINT_ARTIFACTS_AUTH_TOKEN: "0ther" };

  test("has its own credentials, and the service keeps using its own", async () => {
    mock("https://tokens.example.com")
      .get("/api/v1/tokens")
      .matchHeader("authorization", "Bearer 0ther")
      .reply(200, { tokens: [] }, json);
    mock("https://artifacts.example.com")
      .get("/artifactory/api/repositories")
      .matchHeader("authorization", "Bearer t0ken")
      .reply(200, [], json);
    const connection = open(elsewhere, tokenCredentials, bound);
    expect(await connection.call("listTokens", {})).toEqual({ tokens: [] });
    expect(await connection.call("listRepositories", {})).toEqual([]);
  });

  test.each([
    ["SP3001", {}, "Set SETPOINT_ARTIFACTS_AUTH_URL, SETPOINT_ARTIFACTS_AUTH_TOKEN; or"],
    ["SP3002", { ...bound, SETPOINT_ARTIFACTS_AUTH_URL: undefined }, "set SETPOINT_ARTIFACTS_AUTH_URL to it"],
    ["SP3002", { ...bound, SETPOINT_ARTIFACTS_AUTH_URL: service.url }, "set SETPOINT_ARTIFACTS_AUTH_URL to it"],
  ])("receives nothing without credentials bound to it: %s with %j", async (code, env, hint) => {
    expect(await problemOf(open(elsewhere, tokenCredentials, env).call("listTokens", {}))).toMatchObject({
      code,
      service: "artifacts",
      operation: "listTokens",
      hint: expect.stringContaining(hint),
    });
  });

  test("never has its credentials shown, whatever it answers", async () => {
    mock("https://tokens.example.com")
      .get("/api/v1/tokens")
      .reply(400, { errors: [{ status: 400, message: "no 0ther token" }] }, json);
    const problem = await problemOf(open(elsewhere, tokenCredentials, bound).call("listTokens", {}));
    expect(problem.message).toContain("no ••• token");
  });
});

test("without a URL for the token service its operations are not sent", async () => {
  const problem = await problemOf(open({ urls: {} }).call("listTokens", {}));
  expect(problem).toMatchObject({ code: "SP3102", hint: expect.stringContaining("urls.auth") });
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

test("a query is sent as text, whether it was given as text or as an object", async () => {
  const text = 'items.find({"repo":"a\\"}).limit(1)"}).include("name").sort({"$desc":["created"]}).limit(3)';
  mock("https://artifacts.example.com")
    .post("/artifactory/api/search/aql", text)
    .matchHeader("content-type", /^text\/plain/)
    .times(2)
    .reply(200, { results: [{ name: "x" }], range: { start_pos: 0, end_pos: 1, total: 1 } }, json);
  const query: JsonObject = {
    find: "items",
    where: { repo: 'a"}).limit(1)' },
    include: ["name"],
    sort: { desc: ["created"] },
    limit: 3,
  };
  const found = { results: [{ name: "x" }], range: { start_pos: 0, end_pos: 1, total: 1 } };
  expect(await open().call("query", { query })).toEqual(found);
  expect(await open().call("query", { query: text })).toEqual(found);
});

test("fields of builds are the same with and without their domain as a prefix", async () => {
  mock("https://artifacts.example.com")
    .post("/artifactory/api/search/aql")
    .reply(200, { results: [{ "build.name": "b", "build.number": "1" }] }, json);
  expect(await open().call("query", { query: { find: "builds" } })).toEqual({ results: [{ name: "b", number: "1" }] });
});

test("an answer that the service trimmed is reported as incomplete", async () => {
  const notification = "AQL query reached the search hard limit, results are trimmed.";
  mock("https://artifacts.example.com")
    .post("/artifactory/api/search/aql")
    .reply(200, { results: [], notification }, json);
  const problem = await problemOf(open().call("query", { query: { find: "items" } }));
  expect(problem).toMatchObject({ code: "SP3104", message: expect.stringContaining("search hard limit") });
});

test.each([
  ["searchArtifacts", { name: "x" }, "/artifactory/api/search/artifact?name=x", (n: number) => ({ results: uris(n) })],
  [
    "searchPattern",
    { pattern: "r:*" },
    "/artifactory/api/search/pattern?pattern=r%3A%2A",
    (n: number) => ({ files: uris(n).map(({ uri }) => uri) }),
  ],
] as const)("%s stops at 1,000 results, which are reported as incomplete", async (operation, args, path, answer) => {
  mock("https://artifacts.example.com").get(path).reply(200, answer(999), json);
  await expect(open().call(operation, args)).resolves.toEqual(answer(999));
  mock("https://artifacts.example.com").get(path).reply(200, answer(1000), json);
  expect(await problemOf(open().call(operation, args))).toMatchObject({ code: "SP3104" });
});

test("tags are read to the end, by the link or, without one, from the position after a full page", async () => {
  const server = mock("https://artifacts.example.com");
  const path = "/artifactory/api/docker/d/v2/team/app/tags/list";
  const next = { ...json, link: `</v2/team/app/tags/list?last=2&n=2>; rel="next"` };
  server.get(`${path}?n=2`).reply(200, { name: "team/app", tags: ["a", "b"] }, next);
  server.get(`${path}?n=2&last=2`).reply(200, { name: "team/app", tags: ["c", "d"] }, json);
  server.get(`${path}?n=2&last=4`).reply(200, { name: "team/app", tags: null }, json);
  const args = { repoKey: "d", image: "team/app", n: 2 };
  expect(await open().call("listTags", args)).toEqual({ name: "team/app", tags: ["a", "b", "c", "d"] });
});

test.each([{}, { errors: [{ code: "DENIED", message: "not now" }] }])(
  "an answer without the member for names, such as %j, is no empty list: a tag that exists would be promoted over",
  async (body) => {
    const server = mock("https://artifacts.example.com");
    server.get("/artifactory/api/docker/d/v2/a/tags/list").reply(200, body, json);
    server.get("/artifactory/api/docker/d/v2/_catalog").reply(200, body, json);
    const connection = open();
    for (const [operation, args] of [
      ["listTags", { repoKey: "d", image: "a" }],
      ["listCatalog", { repoKey: "d" }],
    ] as const)
      expect(await problemOf(connection.call(operation, args))).toMatchObject({ code: "SP3103" });
  },
);

test("a catalog whose pages repeat is not read forever", async () => {
  const path = "/artifactory/api/docker/d/v2/_catalog";
  const again = { ...json, link: `<${path}?last=a&n=1>; rel="next"` };
  mock("https://artifacts.example.com")
    .get(path)
    .query(true)
    .times(2)
    .reply(200, { repositories: ["a"] }, again);
  const problem = await problemOf(open().call("listCatalog", { repoKey: "d" }));
  expect(problem).toMatchObject({ code: "SP3104", message: expect.stringContaining("does not end") });
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

/** The first answer is from jfrog/jfrog-client-go, issue 753; the second from jfrog/terraform-provider-artifactory, issue 1135. */
test.each([
  [
    400,
    {
      code: "BAD_REQUEST",
      message: "Token not revocable",
      detail: "Token not revocable. Token expirationTimeMillis: 1682507561843, issuedAtMillis: 1682503961843",
    },
    "Token not revocable. Token expirationTimeMillis: 1682507561843, issuedAtMillis: 1682503961843.",
  ],
  [401, { errors: [{ code: "UNAUTHORIZED", message: "Invalid token, audience" }] }, "Invalid token, audience."],
  [403, { code: "FORBIDDEN", message: "No", detail: "not yours" }, "No: not yours."],
])("an error of the token service gives the reason: %i", async (status, body, said) => {
  mock("https://artifacts.example.com").delete("/access/api/v1/tokens/1").reply(status, body, json);
  const problem = await problemOf(open().call("revokeToken", { tokenId: "1" }));
  expect(problem.message).toBe(`The service answered ${status}: ${said}`);
});

test("the token service's refusal of a sign-in asks for a token, since it takes no password", async () => {
  const body = { errors: [{ code: "UNAUTHORIZED", message: "Bad credentials" }] };
  mock("https://artifacts.example.com").get("/access/api/v1/tokens").reply(401, body, json);
  expect(await problemOf(open().call("listTokens", {}))).toMatchObject({
    code: "SP3003",
    hint: "The token service accepts a valid token, usually no password: set SETPOINT_ARTIFACTS_TOKEN to one.",
  });
});

test("a token that the token service does not find, in the form of its own errors, is not found", async () => {
  mock("https://artifacts.example.com")
    .get("/access/api/v1/tokens/1")
    .reply(404, { code: "NOT_FOUND", message: "Token not found" }, json);
  expect(await problemOf(open().call("getToken", { tokenId: "1" }))).toMatchObject({
    code: "SP3005",
    message: "The service answered 404: Token not found.",
  });
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

function uris(count: number): readonly { readonly uri: string }[] {
  return Array.from({ length: count }, (_, index) => ({ uri: `/${index}` }));
}
