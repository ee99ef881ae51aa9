import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Credentials, Environment } from "../../src/clients/credentials/credentials.ts";
import { credentialsFor } from "../../src/clients/credentials/credentials-for.ts";
import { credentialsAt } from "../../src/clients/credentials/roots.ts";
import type { Role } from "../support/roles.ts";
import { problemOf, serviceOf } from "./fixtures.ts";

const secrets = { USERNAME: "robot", PASSWORD: "pa55", TOKEN: "t0ken", API_KEY: "k3y" };

function environment(role: Role, ...names: readonly (keyof typeof secrets)[]): Environment {
  const prefix = `SETPOINT_${role.toUpperCase()}_`;
  return Object.fromEntries([
    [`${prefix}URL`, `https://${role}.example.com/`],
    ...names.map((name) => [`${prefix}${name}`, secrets[name]]),
  ]);
}

function revealed(credentials: Credentials): unknown {
  switch (credentials.is) {
    case "none":
      return "none";
    case "basic":
      return { basic: credentials.username, password: credentials.password.reveal() };
    case "token":
      return { token: credentials.token.reveal(), username: credentials.username };
    case "key":
      return { key: credentials.key.reveal() };
  }
}

test.each([
  ["review", ["USERNAME", "PASSWORD"], { basic: "robot", password: "pa55" }],
  ["review", ["USERNAME", "PASSWORD", "TOKEN"], { basic: "robot", password: "pa55" }],
  ["hosting", ["TOKEN"], { token: "t0ken", username: undefined }],
  ["hosting", [], "none"],
  ["analysis", ["USERNAME", "TOKEN"], { token: "t0ken", username: "robot" }],
  ["wiki", ["USERNAME", "PASSWORD"], { basic: "robot", password: "pa55" }],
  ["wiki", ["USERNAME", "TOKEN"], { basic: "robot", password: "t0ken" }],
  ["wiki", ["TOKEN"], { token: "t0ken", username: undefined }],
  ["artifacts", ["TOKEN", "API_KEY"], { token: "t0ken", username: undefined }],
  ["artifacts", ["USERNAME", "API_KEY"], { basic: "robot", password: "k3y" }],
  ["artifacts", ["API_KEY"], { key: "k3y" }],
] as const)("%s takes %j from the environment", (role, names, expected) => {
  expect(revealed(credentialsFor(serviceOf(role), environment(role, ...names)))).toEqual(expected);
});

test.each([
  [
    "review",
    ["USERNAME"],
    "SETPOINT_REVIEW_USERNAME is set, but SETPOINT_REVIEW_PASSWORD is not.",
    "Set SETPOINT_REVIEW_PASSWORD.",
  ],
  [
    "review",
    ["TOKEN"],
    "SETPOINT_REVIEW_TOKEN is set, but review does not accept it alone.",
    "Set SETPOINT_REVIEW_USERNAME, SETPOINT_REVIEW_PASSWORD.",
  ],
  [
    "hosting",
    ["PASSWORD"],
    "SETPOINT_HOSTING_PASSWORD is set, but hosting does not accept it alone.",
    "Set SETPOINT_HOSTING_TOKEN.",
  ],
  [
    "hosting",
    ["USERNAME", "PASSWORD"],
    "SETPOINT_HOSTING_USERNAME and SETPOINT_HOSTING_PASSWORD are set, but hosting does not accept them.",
    "Set SETPOINT_HOSTING_TOKEN.",
  ],
  [
    "analysis",
    ["TOKEN"],
    "SETPOINT_ANALYSIS_TOKEN is set, but SETPOINT_ANALYSIS_USERNAME is not.",
    "Set SETPOINT_ANALYSIS_USERNAME.",
  ],
  [
    "artifacts",
    ["USERNAME"],
    "SETPOINT_ARTIFACTS_USERNAME is set, but SETPOINT_ARTIFACTS_PASSWORD or SETPOINT_ARTIFACTS_API_KEY is not.",
    "Set SETPOINT_ARTIFACTS_PASSWORD; or SETPOINT_ARTIFACTS_API_KEY.",
  ],
  [
    "review",
    [],
    "The environment has no credentials for review.",
    "Set SETPOINT_REVIEW_USERNAME, SETPOINT_REVIEW_PASSWORD; or add the host to a netrc file.",
  ],
] as const)("%s with %j names the variables that are missing", async (role, names, message, hint) => {
  const problem = await problemOf(credentialsOf(role, environment(role, ...names)));
  expect(problem).toMatchObject({ code: "SP3001", service: role, message, hint });
});

test("the URL is one of the variables that can be missing", async () => {
  const env = { ...environment("analysis", "USERNAME"), SETPOINT_ANALYSIS_URL: undefined };
  expect(await problemOf(credentialsOf("analysis", env))).toMatchObject({
    hint: "Set SETPOINT_ANALYSIS_URL, SETPOINT_ANALYSIS_TOKEN.",
  });
});

test("an empty variable counts as missing", async () => {
  const env = { ...environment("review", "USERNAME"), SETPOINT_REVIEW_PASSWORD: "" };
  expect(await problemOf(credentialsOf("review", env))).toMatchObject({ code: "SP3001" });
});

test("the variables of a service have its name in upper case, with _ for -", () => {
  const service = serviceOf("hosting", { name: "public-hosting" });
  const env = { SETPOINT_PUBLIC_HOSTING_URL: service.url, SETPOINT_PUBLIC_HOSTING_TOKEN: "t0ken" };
  expect(revealed(credentialsFor(service, env))).toMatchObject({ token: "t0ken" });
});

test.each([
  ["another host", "https://review.example.org"],
  ["another port", "https://review.example.com:8443"],
  ["another scheme", "http://review.example.com"],
  ["a host that only starts alike", "https://review.example.com.evil.test"],
  ["a host behind a user name", "https://review.example.com@evil.test"],
  ["no URL", "review.example.com"],
  ["nothing", undefined],
])("credentials bound to %s are not given out", async (_case, url) => {
  const env = { ...environment("review", "USERNAME", "PASSWORD"), SETPOINT_REVIEW_URL: url };
  const problem = await problemOf(credentialsOf("review", env));
  expect(problem).toMatchObject({ code: "SP3002", hint: expect.stringContaining("SETPOINT_REVIEW_URL") });
  expect(JSON.stringify(problem)).not.toContain("pa55");
});

test.each([
  ["https://review.example.com/review", "https://review.example.com/review"],
  ["https://review.example.com/review/", "https://review.example.com/review/r"],
  ["https://review.example.com", "https://review.example.com/any/path"],
  ["https://review.example.com/r%65view", "https://review.example.com/review"],
  ["https://review.example.com/review", "https://review.example.com/x/../r%65view/./r"],
  ["https://REVIEW.example.com:443/review?x#y", "https://review.example.com/review"],
])("credentials bound to %s are sent to %s", (bound, url) => {
  const env = { ...environment("review", "USERNAME", "PASSWORD"), SETPOINT_REVIEW_URL: bound };
  expect(revealed(credentialsFor(serviceOf("review", { url }), env))).toMatchObject({ basic: "robot" });
});

test.each([
  "https://review.example.com",
  "https://review.example.com/evil",
  "https://review.example.com/reviews",
  "https://review.example.com/Review",
  "https://review.example.com//review",
  "https://review.example.com/review/../evil",
  "https://review.example.com/review/%2e%2e/evil",
  "https://review.example.com/review/.%2E/evil",
  "https://review.example.com/review/..%2fevil",
  "https://review.example.com/review%2f..%2fevil",
  "https://review.example.com/review%2fx",
  "https://review.example.com/review/%252e%252e/evil",
  "https://review.example.com/review/..;/evil",
  "https://review.example.com/review;x=/../evil",
  "https://review.example.com/review/..%5cevil",
  "https://review.example.com/review/%00",
  "https://review.example.com/review/%ff",
  "https://review.example.com/evil/review",
  "https://review.example.com:8443/review",
  "http://review.example.com/review",
  "https://review.example.com.:443/review",
])("credentials bound to a path are not sent to %s", async (url) => {
  const env = {
    ...environment("review", "USERNAME", "PASSWORD"),
    SETPOINT_REVIEW_URL: "https://review.example.com/review",
  };
  const problem = await problemOf(Promise.resolve().then(() => credentialsFor(serviceOf("review", { url }), env)));
  expect(problem).toMatchObject({ code: "SP3002", hint: expect.stringContaining("SETPOINT_REVIEW_URL") });
  expect(JSON.stringify(problem)).not.toContain("pa55");
});

test("a login from a netrc file is bound to the path that the environment names too", async () => {
  const { HOME } = netrc("machine review.example.com login robot password pa55\n");
  const env = { HOME, SETPOINT_REVIEW_URL: "https://review.example.com/review" };
  const at = async (url: string) => credentialsFor(serviceOf("review", { url }), env);
  expect(revealed(await at("https://review.example.com/review"))).toMatchObject({ basic: "robot" });
  expect(await problemOf(at("https://review.example.com/evil"))).toMatchObject({ code: "SP3002" });
});

describe("a root beside the service", () => {
  const env = {
    SETPOINT_ARTIFACTS_URL: "https://host.example/artifactory",
    SETPOINT_ARTIFACTS_TOKEN: "t0ken",
  };
  const at = async (auth: string, more: Environment = {}) => {
    const service = serviceOf("artifacts", { url: "https://host.example/artifactory", urls: { auth } });
    const all = { ...env, ...more };
    return credentialsAt(service, { is: "entry", name: "auth" }, credentialsFor(service, all), all);
  };

  test.each([
    ["where the product has it", "https://host.example/access"],
    ["below the service", "https://host.example/artifactory/access"],
  ])("gets the credentials of the service %s", async (_case, auth) => {
    expect(revealed(await at(auth))).toMatchObject({ token: "t0ken" });
  });

  test.each([
    "https://host.example/evil",
    "https://host.example/artifactory/../evil",
    "https://host.example:8443/access",
  ])("gets no credentials elsewhere, for example at %s", async (auth) => {
    expect(await problemOf(at(auth))).toMatchObject({ code: "SP3001" });
    const bound = {
      SETPOINT_ARTIFACTS_AUTH_TOKEN: "0ther",
      SETPOINT_ARTIFACTS_AUTH_URL: "https://host.example/access",
    };
    expect(await problemOf(at(auth, bound))).toMatchObject({ code: "SP3002" });
  });
});

test.each([
  ["line break", "t0ken\n"],
  ["character of zero width", "t0ken\u200b"],
])("a token with a %s is a problem that does not show the token", async (_what, token) => {
  const env = { ...environment("hosting"), SETPOINT_HOSTING_TOKEN: token };
  const problem = await problemOf(credentialsOf("hosting", env));
  expect(problem.code).toBe("SP3001");
  expect(JSON.stringify(problem)).not.toContain("t0ken");
});

test("a password can have any letters", async () => {
  const env = { ...environment("review", "USERNAME", "PASSWORD"), SETPOINT_REVIEW_PASSWORD: "pässwörd" };
  expect(credentialsFor(serviceOf("review"), env)).toMatchObject({ is: "basic" });
});

test("credentials are printed as dots", () => {
  const credentials = credentialsFor(serviceOf("review"), environment("review", "USERNAME", "PASSWORD"));
  for (const text of [inspect(credentials, { showHidden: true }), JSON.stringify(credentials), String(credentials)])
    expect(text).not.toContain("pa55");
});

/** The environment of a user whose home has a netrc file with this text. */
function netrc(text: string): { readonly HOME: string } {
  const HOME = mkdtempSync(join(tmpdir(), "setpoint-"));
  onTestFinished(() => rmSync(HOME, { recursive: true }));
  writeFileSync(join(HOME, ".netrc"), text);
  return { HOME };
}

async function credentialsOf(role: Role, env: Environment): Promise<Credentials> {
  return credentialsFor(serviceOf(role), env);
}
