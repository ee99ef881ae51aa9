import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { secretResolver } from "../../src/clients/credentials/credentials.ts";
import { problemOf } from "./fixtures.ts";

test("a reference is resolved from the environment or from a file, without its last line break", async () => {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "secret"), "two\nlines\n");
  const resolve = secretResolver({ NAME: "from env" });
  expect((await resolve("${env:NAME}")).reveal()).toBe("from env");
  expect((await resolve(`\${file:${join(folder, "secret")}}`)).reveal()).toBe("two\nlines");
});

test("the file of a secret is UTF-8 text; a byte order mark is ignored and other bytes are refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "marked"), "\ufeffhunter2\r\n");
  writeFileSync(join(folder, "wide"), Buffer.from("\ufeffhunter2", "utf16le"));
  const resolve = secretResolver({});
  expect((await resolve(`\${file:${folder}/marked}`)).reveal()).toBe("hunter2");
  expect((await problemOf(resolve(`\${file:${folder}/wide}`))).code).toBe("SP1015");
});

test.each(["${env:MISSING}", "${env:EMPTY}", "${file:/nowhere/at/all}", "plain text", "${env:toString}"])(
  "%s is a problem, not an empty secret",
  async (reference) => {
    const problem = await problemOf(secretResolver({ EMPTY: "" })(reference));
    expect(problem.code).toBe("SP1015");
  },
);

test("the file of a secret that cannot be read is told from one without a secret", async () => {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "empty"), "\n");
  const messages = [folder, `${folder}/empty`, `${folder}/none`].map(async (path) => {
    const { message } = await problemOf(secretResolver({})(`\${file:${path}}`));
    return message.replace(/^\S+ /, "");
  });
  expect(await Promise.all(messages)).toEqual([
    "cannot be read: it is a folder.",
    "is empty, or is not UTF-8 text.",
    "cannot be read: there is no such file.",
  ]);
});

test("no service gets a file of git or setpoint, or the secret of another resource", async () => {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of [".git/config", ".setpoint/runs/a", "secrets/token", ".netrc"]) {
    mkdirSync(join(folder, file, ".."), { recursive: true });
    writeFileSync(join(folder, file), "canary");
  }
  symlinkSync(".git", join(folder, "linked"));
  symlinkSync("secrets/token", join(folder, "token"));
  const resolve = secretResolver({ SETPOINT_WIKI_TOKEN: "canary" }, [join(folder, "secrets/token")]);
  const denied = [".git/config", "x/../.git/config", "linked/config", ".setpoint/runs/a", "secrets/token", "token"];
  const problems = await Promise.all(denied.map((file) => problemOf(resolve(`\${file:${folder}/${file}}`))));
  for (const { code, message } of problems)
    expect([code, message]).toEqual(["SP1015", expect.stringContaining("is not read")]);
  const own = await problemOf(resolve("${env:SETPOINT_WIKI_TOKEN}"));
  expect([own.code, own.message]).toEqual(["SP1015", expect.stringContaining("which no service receives")]);
  const all = await problemOf(resolve("${file:/proc/self/environ}"));
  expect([all.code, all.message]).toEqual(["SP1015", expect.stringContaining("which no service receives")]);
  // A mounted secret is an ordinary file, wherever it is.
  expect((await resolve(`\${file:${folder}/.netrc}`)).reveal()).toBe("canary");
});
