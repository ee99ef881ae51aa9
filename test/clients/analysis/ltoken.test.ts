import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Credentials, Environment } from "../../../src/clients/credentials/credentials.ts";
import { credentialsFor } from "../../../src/clients/credentials/credentials-for.ts";
import { problemOf, serviceOf } from "../fixtures.ts";

const lines = [
  "other.example.com;8443;robot;for-another-host",
  "Analysis.example.com;8080;robot;for-another-port",
  "analysis.example.com;8443;robot;t0ken\r",
  "analysis.example.com;8443;nightly;t0ken-of-nightly",
  "analysis.example.com;443;robot;on-the-usual-port",
  "broken line",
  "",
];

async function credentials(url: string, over: Environment = {}, text = lines.join("\n")): Promise<Credentials> {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "ltoken");
  writeFileSync(file, text);
  const env = { SETPOINT_ANALYSIS_URL: url, SETPOINT_ANALYSIS_LTOKEN_FILE: file, ...over };
  return credentialsFor(serviceOf("analysis", { url }), env);
}

function shown(found: Credentials) {
  return found.is === "token" ? [found.username, found.token.reveal()] : found.is;
}

test.each([
  ["https://analysis.example.com:8443/kw", {}, ["robot", "t0ken"]],
  ["https://analysis.example.com:8443", { SETPOINT_ANALYSIS_USERNAME: "nightly" }, ["nightly", "t0ken-of-nightly"]],
  ["https://analysis.example.com", {}, ["robot", "on-the-usual-port"]],
  ["http://analysis.example.com:8080", {}, ["robot", "for-another-port"]],
] as const)("the line for %s %j is found", async (url, over, expected) => {
  expect(shown(await credentials(url, over))).toEqual(expected);
});

test("a token in the environment takes precedence over the file", async () => {
  const over = { SETPOINT_ANALYSIS_USERNAME: "me", SETPOINT_ANALYSIS_TOKEN: "mine" };
  expect(shown(await credentials("https://analysis.example.com", over))).toEqual(["me", "mine"]);
});

test.each([
  ["another server", "https://analysis.example.com:9000", {}, "has no line for analysis.example.com, port 9000"],
  [
    "another user",
    "https://analysis.example.com",
    { SETPOINT_ANALYSIS_USERNAME: "nobody" },
    "has no line for analysis.example.com, port 443 and user nobody",
  ],
  [
    "no file",
    "https://analysis.example.com",
    { SETPOINT_ANALYSIS_LTOKEN_FILE: "/nowhere/ltoken" },
    "The ltoken file /nowhere/ltoken cannot be read: there is no such file.",
  ],
])("%s is a problem that does not show the token", async (_case, url, over, message) => {
  const problem = await problemOf(credentials(url, over));
  expect(problem).toMatchObject({ code: "SP3001", service: "analysis", message: expect.stringContaining(message) });
  expect(JSON.stringify(problem)).not.toContain("t0ken");
});

test("the file is read only for the origin that the environment names", async () => {
  const over = { SETPOINT_ANALYSIS_URL: "https://analysis.example.org" };
  expect(await problemOf(credentials("https://analysis.example.com", over))).toMatchObject({ code: "SP3002" });
});
