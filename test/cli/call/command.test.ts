import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../../src/sandbox/server/environment.ts";
import { sandboxForTest } from "../../sandbox/asking.ts";
import { setpoint } from "../../support/commands.ts";
import { program } from "../../support/program.ts";
import { roles } from "../../support/roles.ts";
import { workspaceFolder } from "../workspace-folder.ts";

const { path: folder, remove } = workspaceFolder(roles);
afterAll(remove);
writeFileSync(
  join(folder, "page.json"),
  '{ "body": { "storage": { "value": "<p>Soon.</p>", "representation": "storage" } } }',
);

const hasTerminals = spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0;

describe("as a command", () => {
  const run = async (args: readonly string[], url = "http://127.0.0.1:1") =>
    setpoint(["call", ...args, "--var", `url=${url}`], { cwd: folder, env: environmentFor(url) });

  test("reads immediately, and writes only with --yes", async () => {
    const sandbox = await sandboxForTest();
    const words = ["wiki", "updatePage", "--page-id", "48213", "--type", "page", "--title", "Dates"];
    const write = [...words, "--version", '{"number":3}', "--body", "page.json"];
    expect(await run(write, sandbox.url)).toMatchObject({ code: 1, out: expect.stringContaining("Hint: Pass --yes.") });
    expect(sandbox.requests()).toEqual([]);
    expect(await run([...write, "--yes"], sandbox.url)).toMatchObject({ code: 0, err: "" });
    const { code, out } = await run(["wiki", "getPage", "--page-id=48213"], sandbox.url);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ title: "Dates", version: { number: 3 } });
  });

  test.skipIf(!hasTerminals)('asks on a terminal, and only "yes" confirms (needs util-linux\'s script)', async () => {
    const sandbox = await sandboxForTest();
    const writes = () => sandbox.requests().map(({ operation }) => operation);
    expect(await onTerminal(sandbox, "y")).toMatchObject({
      code: 4,
      out: expect.stringContaining("Nothing was done."),
    });
    expect(writes()).toEqual([]);
    const { code, out } = await onTerminal(sandbox, "yes");
    expect({ code, writes: writes() }).toEqual({ code: 0, writes: ["setLocale"] });
    expect(out).toContain("PUT /rest/api/2/mypreferences/locale");
    expect(out).toContain('Send setLocale? Only "yes" is a yes: ');
  });

  test("names the file given by --body if it does not exist", async () => {
    const { code, out } = await run(["wiki", "getPage", "--body", "nowhere.json"]);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining("nowhere.json") });
  });

  test("reads arguments from standard input with --body -", async () => {
    const sandbox = await sandboxForTest();
    const words = ["call", "tracker", "getIssue", "--body", "-", "--var", `url=${sandbox.url}`];
    const { code, out } = await typed(sandbox, process.execPath, [program, ...words], '{ "issueKey": "FW-12" }');
    expect(JSON.parse(out)).toMatchObject({ key: "FW-12" });
    expect(code).toBe(0);
  });
});

test("text goes to a file byte for byte, because it can be an artifact, and to a pipe without control characters", async () => {
  const sandbox = await sandboxForTest();
  sandbox.change(({ hosting }) => {
    hosting.zen = "A \u001b[3mlong line.";
  });
  const words = ["call", "hosting", "getZen", "--var", `url=${sandbox.url}`];
  const env = environmentFor(sandbox.url);
  const kept = join(folder, "kept.txt");
  const within = ["sh", "-c", `exec "$@" > ${kept}`, "sh"];
  expect(await setpoint(words, { cwd: folder, env, within })).toMatchObject({ code: 0 });
  expect(readFileSync(kept, "utf8")).toBe("A \u001b[3mlong line.\n");
  expect((await setpoint(words, { cwd: folder, env })).out).not.toContain("\u001b");
});

/** Sets a locale on a pseudo-terminal and types an answer. */
function onTerminal(sandbox: Sandbox, answer: string) {
  const command = `${process.execPath} ${program} call tracker setLocale --locale nb_NO --var url=${sandbox.url}`;
  return typed(sandbox, "script", ["-qec", command, "/dev/null"], `${answer}\n`);
}

/** Runs a program in the workspace's folder and types into it. */
async function typed(sandbox: Sandbox, program: string, args: readonly string[], input: string) {
  const running = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environmentFor(sandbox.url), NO_COLOR: "1" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  running.stdin.end(input);
  const [out] = await Promise.all([text(running.stdout), once(running, "close")]);
  return { code: running.exitCode, out };
}
