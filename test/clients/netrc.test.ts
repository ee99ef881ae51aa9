import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { Credentials, Environment } from "../../src/clients/credentials/credentials.ts";
import { credentialsFor } from "../../src/clients/credentials/credentials-for.ts";
import type { Role } from "../support/roles.ts";
import { problemOf, serviceOf } from "./fixtures.ts";

/** The environment of a user whose home has a netrc file with this text. */
function home(text: string): { readonly HOME: string } {
  const folder = mkdtempSync(join(tmpdir(), "netrc-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, ".netrc"), text);
  return { HOME: folder };
}

function entry(machine: string): string {
  return `machine ${machine} login robot password pa55\n`;
}

async function credentials(env: Environment, role: Role = "review", url?: string): Promise<Credentials> {
  return credentialsFor(serviceOf(role, url === undefined ? {} : { url }), env);
}

/** User name and secret, whatever form they have. */
function shown(found: Credentials): readonly (string | undefined)[] {
  if (found.is === "basic") return ["basic", found.username, found.password.reveal()];
  return found.is === "token" ? ["token", found.username, found.token.reveal()] : [found.is];
}

test.each([
  ["review", ["basic", "robot", "pa55"]],
  ["artifacts", ["basic", "robot", "pa55"]],
  ["ci", ["basic", "robot", "pa55"]],
  ["wiki", ["basic", "robot", "pa55"]],
  ["analysis", ["token", "robot", "pa55"]],
  ["hosting", ["token", undefined, "pa55"]],
] as const)("%s takes its login from ~/.netrc", async (role, expected) => {
  expect(shown(await credentials(home(entry(`${role}.example.com`)), role))).toEqual(expected);
});

test("the file that NETRC names takes precedence over the one at home", async () => {
  const { HOME } = home("machine review.example.com login other password 0ther");
  const NETRC = join(home(entry("review.example.com")).HOME, ".netrc");
  expect(shown(await credentials({ HOME, NETRC }))).toEqual(["basic", "robot", "pa55"]);
});

test("a pipe that NETRC names, which can be read only once, is for all services", async () => {
  const NETRC = join(home("").HOME, "pipe");
  execFileSync("mkfifo", [NETRC]);
  const text = entry("review.example.com") + entry("ci.example.com");
  const writer = spawn("sh", ["-c", 'printf %s "$1" > "$2"; while :; do : > "$2"; done', "sh", text, NETRC]);
  onTestFinished(() => void writer.kill("SIGKILL"));
  for (const role of ["review", "ci"] as const)
    expect(shown(await credentials({ NETRC }, role))).toEqual(["basic", "robot", "pa55"]);
});

test("a netrc file that cannot be read is named with the reason", async () => {
  const { HOME } = home("");
  const problem = await problemOf(credentials({ NETRC: HOME }));
  expect(problem.message).toBe(`The file ${HOME}, which NETRC names, cannot be read: it is a folder.`);
});

test("a file at home that cannot be read is no error by itself, but is named if there are no credentials", async () => {
  const folder = mkdtempSync(join(tmpdir(), "netrc-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, ".netrc"));
  const { hint } = await problemOf(credentials({ HOME: folder }));
  expect(hint).toContain(`a netrc file (${join(folder, ".netrc")} cannot be read: it is a folder).`);
  expect((await credentials({ HOME: folder }, "hosting")).is).toBe("none");
});

test.each([
  ["on several lines", "machine review.example.com\n\tlogin robot\n\tpassword pa55\n"],
  ["in capitals", entry("REVIEW.example.COM")],
  ["after others", `machine a.example.com login b password c\n${entry("review.example.com")}`],
  [
    "after a comment and a macro",
    `# machine review.example.com login x password y\nmacdef init\nmachine review.example.com login x password y\n\n${entry("review.example.com")}`,
  ],
  ["with an account", "machine review.example.com login robot account password password pa55"],
  ["in quotation marks", 'machine review.example.com login "robot" password "pa55"'],
  ["before one of the same machine", `${entry("review.example.com")}machine review.example.com login x password y`],
])("an entry is found %s", async (_case, text) => {
  expect(shown(await credentials(home(text)))).toEqual(["basic", "robot", "pa55"]);
});

test("a secret in quotation marks can contain spaces and punctuation", async () => {
  const text = 'machine review.example.com login robot password "two words, \\"quoted\\" and a \\\\"';
  expect(shown(await credentials(home(text)))).toEqual(["basic", "robot", 'two words, "quoted" and a \\']);
});

test.each([
  ["another host", entry("review.example.org")],
  ["a host that only ends alike", entry("example.com")],
  ["every host", "default login robot password pa55"],
  ["no host", ""],
])("an entry for %s is not used", async (_case, text) => {
  expect(await problemOf(credentials(home(text)))).toMatchObject({ code: "SP3001" });
});

test("without an entry, code hosting is read anonymously", async () => {
  expect(await credentials(home("default login robot password pa55"), "hosting")).toEqual({ is: "none" });
});

test.each([
  ["127.0.0.1:4780", "http://127.0.0.1:4780/review"],
  ["localhost:80", "http://localhost/review"],
  ["[::1]:80", "http://[::1]:80/review"],
  ["localhost", "https://localhost/review"],
])("on this machine an entry for %s applies to %s", async (machine, url) => {
  expect(shown(await credentials(home(entry(machine)), "review", url))).toEqual(["basic", "robot", "pa55"]);
});

test.each([
  ["review.example.com:8443", "https://review.example.com:8443"],
  ["review.example.com port 8443", "https://review.example.com:8443"],
  ["review.example.com port 443", "https://review.example.com"],
  ["review.example.com port https", "https://review.example.com"],
  ["review.example.com:443", "https://review.example.com"],
  ["review.example.com", "https://review.example.com:443"],
  ["[2001:db8::1]:8443", "https://[2001:db8::1]:8443"],
  ["2001:db8::1", "https://[2001:db8::1]"],
])("an entry for %s applies to %s", async (machine, url) => {
  expect(shown(await credentials(home(entry(machine)), "review", url))).toEqual(["basic", "robot", "pa55"]);
});

test.each([
  ["review.example.com", "https://review.example.com:8443"],
  ["review.example.com", "https://review.example.com:80"],
  ["review.example.com:8443", "https://review.example.com"],
  ["review.example.com:8443", "https://review.example.com:8444"],
  ["review.example.com port 8443", "https://review.example.com"],
  ["review.example.com port imap", "https://review.example.com"],
  ["review.example.com:8443 port 8444", "https://review.example.com:8444"],
  ["review.example.com:99999", "https://review.example.com"],
  ["review.example.com@evil.test", "https://evil.test"],
  ["evil.test/review.example.com", "https://evil.test"],
  ["review.example.com", "https://review.example.com."],
  ["review.example.com", "https://review.example.com.evil.test"],
  ["127.0.0.1", "http://127.0.0.1:4780"],
  ["localhost", "http://localhost"],
  ["127.0.0.1:4780", "http://127.0.0.1:4781"],
  ["localhost:4780", "http://127.0.0.1:4780"],
])("an entry for %s does not apply to %s", async (machine, url) => {
  expect(await problemOf(credentials(home(entry(machine)), "review", url))).toMatchObject({ code: "SP3001" });
});

test("entries for two ports of one host are separate", async () => {
  const text = `machine review.example.com:8443 login other password 0ther\n${entry("review.example.com")}`;
  expect(shown(await credentials(home(text)))).toEqual(["basic", "robot", "pa55"]);
  const other = await credentials(home(text), "review", "https://review.example.com:8443");
  expect(shown(other)).toEqual(["basic", "other", "0ther"]);
});

test("nothing is sent to another machine without TLS", async () => {
  const problem = await problemOf(
    credentials(home(entry("review.example.com")), "review", "http://review.example.com"),
  );
  expect(problem).toMatchObject({ code: "SP3002", hint: expect.stringContaining("https") });
  expect(JSON.stringify(problem)).not.toContain("pa55");
});

test("the environment takes precedence, and is not completed from the file if incomplete", async () => {
  const { HOME } = home(entry("review.example.com"));
  const env = { HOME, SETPOINT_REVIEW_URL: "https://review.example.com", SETPOINT_REVIEW_USERNAME: "other" };
  expect(await problemOf(credentials(env))).toMatchObject({ code: "SP3001" });
  expect(shown(await credentials({ ...env, SETPOINT_REVIEW_PASSWORD: "0ther" }))).toEqual(["basic", "other", "0ther"]);
});

test.each([
  ["no password", "machine review.example.com login robot"],
  ["no login", "machine review.example.com password pa55"],
  ["a control character", "machine review.example.com login robot password pa\u000755"],
])("an entry with %s is a problem that does not show it", async (_case, text) => {
  const problem = await problemOf(credentials(home(text)));
  expect(problem).toMatchObject({ code: "SP3001", message: expect.stringContaining("review.example.com") });
  expect(JSON.stringify(problem)).not.toMatch(/pa.?55/);
});

test("an unreadable file given by NETRC is a problem, while a missing one at home is not", async () => {
  expect(await problemOf(credentials({ NETRC: "/nowhere/netrc" }))).toMatchObject({
    code: "SP3001",
    message: expect.stringContaining("/nowhere/netrc"),
  });
  expect(await credentials({ HOME: "/nowhere" }, "hosting")).toEqual({ is: "none" });
});

test("a login from the file is printed as dots", async () => {
  const found = await credentials(home(entry("review.example.com")));
  for (const text of [inspect(found, { showHidden: true }), JSON.stringify(found)]) expect(text).not.toContain("pa55");
});
