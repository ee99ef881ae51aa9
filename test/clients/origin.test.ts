import { expect, test } from "vitest";
import type { Credentials, Environment } from "../../src/clients/credentials/credentials.ts";
import { credentialHint, credentialOrigin, credentialsFor } from "../../src/clients/credentials/credentials-for.ts";
import type { RoleName } from "../../src/core/resource.ts";
import { serviceOf, tokenCredentials } from "./fixtures.ts";

const hint = "Check the credentials in the environment, which may be wrong, expired or for another account.";
const refused = { code: "SP3003", message: "The service answered 401.", hint } as const;

function hintFor(role: RoleName, operation: string, credentials: Credentials = tokenCredentials) {
  return credentialHint(refused, operation, serviceOf(role), credentials).hint;
}

test.each<[RoleName, Environment, string]>([
  [
    "review",
    { SETPOINT_REVIEW_USERNAME: "robot", SETPOINT_REVIEW_PASSWORD: "x" },
    "SETPOINT_REVIEW_USERNAME and SETPOINT_REVIEW_PASSWORD",
  ],
  ["analysis", { SETPOINT_ANALYSIS_LTOKEN_FILE: "ltoken" }, "SETPOINT_ANALYSIS_LTOKEN_FILE"],
  ["wiki", { SETPOINT_WIKI_TOKEN: "x" }, "SETPOINT_WIKI_TOKEN"],
  ["wiki", {}, "the entry of wiki.example.com in ~/.netrc"],
  ["wiki", { NETRC: "/etc/netrc" }, "the entry of wiki.example.com in /etc/netrc"],
])("credentials of %s come from the variables, or the netrc file, that have them", (role, env, origin) => {
  expect(credentialOrigin(serviceOf(role), env)).toBe(origin);
});

test("a hint names where the refused credentials come from, unless a program has them from elsewhere", () => {
  const env = { SETPOINT_WIKI_URL: serviceOf("wiki").url, SETPOINT_WIKI_TOKEN: "x" };
  expect(hintFor("wiki", "getPage", credentialsFor(serviceOf("wiki"), env))).toBe(
    "Check SETPOINT_WIKI_TOKEN, which may be wrong, expired or for another account.",
  );
  expect(hintFor("wiki", "getPage")).toBe("Check the credentials, which may be wrong, expired or for another account.");
});

test("a refused request without credentials is told which ones it could use", () => {
  expect(hintFor("hosting", "getUser", { is: "none" })).toBe(
    "There are no credentials for hosting: set SETPOINT_HOSTING_URL and SETPOINT_HOSTING_TOKEN.",
  );
});

test("the credentials of a root beside the service are not named, since it might have its own", () => {
  expect(hintFor("artifacts", "listTokens")).toBe(hint);
});

test("a hint about a missing permission names the account, or where the token of one comes from", () => {
  const wiki = serviceOf("wiki");
  const hintOf = (credentials: Credentials) =>
    credentialHint(
      { ...refused, code: "SP3004", hint: "Ask to grant the permission, or" },
      "getPage",
      wiki,
      credentials,
    ).hint;
  const from = (variables: Environment) => credentialsFor(wiki, { SETPOINT_WIKI_URL: wiki.url, ...variables });
  expect(hintOf(from({ SETPOINT_WIKI_USERNAME: "$&", SETPOINT_WIKI_PASSWORD: "x" }))).toBe(
    "Ask to grant the permission to $&, or",
  );
  expect(hintOf(from({ SETPOINT_WIKI_TOKEN: "x" }))).toBe(
    "Ask to grant the permission to the account of SETPOINT_WIKI_TOKEN, or",
  );
  expect(hintOf({ is: "none" })).toBe("Ask to grant the permission, or");
});

test("other problems keep their hints", () => {
  const other = { ...refused, code: "SP3007" } as const;
  expect(credentialHint(other, "getPage", serviceOf("wiki"), tokenCredentials)).toEqual({ hint });
});
