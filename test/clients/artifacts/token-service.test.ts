import { describe, expect, test } from "vitest";
import { mockHttp } from "../../support/http-mock.ts";
import { problemOf, tokenCredentials } from "../fixtures.ts";
import { json, open, service } from "./mocked.ts";

const mock = mockHttp();

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
