import { expect, test } from "vitest";
import type { Credentials, Environment } from "../../src/clients/credentials/credentials.ts";
import { credentialHint } from "../../src/clients/credentials/credentials-for.ts";
import type { RoleName } from "../../src/core/resource.ts";
import { serviceOf, tokenCredentials } from "./fixtures.ts";

const hint = "Check the credentials in the environment, which may be wrong, expired or for another account.";
const refused = { code: "SP3003", message: "The service answered 401.", hint } as const;

function hintFor(role: RoleName, operation: string, env: Environment, credentials: Credentials = tokenCredentials) {
  return credentialHint(refused, operation, serviceOf(role), { credentials, env }).hint;
}

test.each<[RoleName, string, Environment, string]>([
  [
    "review",
    "listProjects",
    { SETPOINT_REVIEW_USERNAME: "robot", SETPOINT_REVIEW_PASSWORD: "x" },
    "SETPOINT_REVIEW_USERNAME and SETPOINT_REVIEW_PASSWORD",
  ],
  ["analysis", "version", { SETPOINT_ANALYSIS_LTOKEN_FILE: "ltoken" }, "SETPOINT_ANALYSIS_LTOKEN_FILE"],
  ["wiki", "getPage", { SETPOINT_WIKI_TOKEN: "x" }, "SETPOINT_WIKI_TOKEN"],
  ["wiki", "getPage", {}, "the entry of wiki.example.com in ~/.netrc"],
  ["wiki", "getPage", { NETRC: "/etc/netrc" }, "the entry of wiki.example.com in /etc/netrc"],
])("the credentials of %s with which %s was refused are named", (role, operation, env, names) => {
  expect(hintFor(role, operation, env)).toBe(`Check ${names}, which may be wrong, expired or for another account.`);
});

test("a refused request without credentials is told which ones it could use", () => {
  expect(hintFor("hosting", "getUser", {}, { is: "none" })).toBe(
    "There are no credentials for hosting: set SETPOINT_HOSTING_URL, and SETPOINT_HOSTING_TOKEN.",
  );
});

test("the credentials of a root beside the service are not named, since it might have its own", () => {
  expect(hintFor("artifacts", "listTokens", { SETPOINT_ARTIFACTS_TOKEN: "x" })).toBe(hint);
});

test("other problems keep their hints", () => {
  const other = { ...refused, code: "SP3004" } as const;
  const given = { credentials: tokenCredentials, env: {} };
  expect(credentialHint(other, "getPage", serviceOf("wiki"), given)).toEqual({ hint });
});
