import { once } from "node:events";
import { existsSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { wantsColor } from "../../src/cli/terminal/output.ts";
import { ended, listen, openDesk, setpoint, start, workflows, workspaceText } from "../support/commands.ts";

const manifests = workflows("website", false);

test("lines are as wide as COLUMNS says, and --no-color removes only the colours that FORCE_COLOR asks for", async () => {
  await using desk = await openDesk(manifests);
  const env = { COLUMNS: "60", FORCE_COLOR: "1" };
  const coloured = (await desk.run(["plan"], env)).out;
  const plain = (await desk.run(["plan", "--no-color"], env)).out;
  expect(Math.max(...plain.split("\n").map((line) => line.length))).toBe(60);
  expect(coloured).not.toBe(plain);
  expect(stripVTControlCharacters(coloured)).toBe(plain);
});

test("COLUMNS can be any number: no line is padded to a thousand million columns", async () => {
  await using desk = await openDesk(manifests);
  expect(await desk.run(["apply", "--yes"], { COLUMNS: "1000000000" })).toMatchObject({ code: 0, err: "" });
});

test.each([
  [{}, "plain", "coloured"],
  [{ TERM: "dumb" }, "plain", "plain"],
  [{ FORCE_COLOR: "1" }, "coloured", "coloured"],
  [{ FORCE_COLOR: "", TERM: "dumb" }, "coloured", "coloured"],
  [{ FORCE_COLOR: "0" }, "plain", "plain"],
  [{ FORCE_COLOR: "false" }, "plain", "plain"],
  [{ FORCE_COLOR: "1", NO_COLOR: "" }, "coloured", "coloured"],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, "plain", "plain"],
  [{ NO_COLOR: "0" }, "plain", "plain"],
])("with %o the output is %s, and on a terminal %s", (env, piped, onTerminal) => {
  const colours = (isTerminal: boolean) => (wantsColor(env, isTerminal) ? "coloured" : "plain");
  expect([colours(false), colours(true)]).toEqual([piped, onTerminal]);
});

test("a reader that closes the pipe does not break the command", async () => {
  await using desk = await openDesk(manifests);
  const command = start(["apply", "--yes", "--log", "text"], { cwd: desk.path, env: desk.env });
  command.stdout.destroy();
  command.stderr.destroy();
  const [code] = await once(command, "exit");
  expect(code).toBe(0);
  expect(desk.sandbox.requests().filter(({ effect }) => effect === "write")).toHaveLength(1);
});

test.skipIf(!existsSync("/dev/full")).each([
  [["explain", "SP1013"], "no space is left on the device"],
  [["--version"], "ENOSPC: no space left on device, write"],
])("output of %j to a full disk ends with one sentence, not a stack trace, and exit code 1", async (args, why) => {
  const within = ["sh", "-c", 'exec "$0" "$@" > /dev/full'];
  const err = `SP1017  The output cannot be written: ${why}.\n`;
  expect(await setpoint(args, { within })).toEqual({ code: 1, out: "", err });
});

test("a reader that exits before --version is printed is no error", async () => {
  const command = start(["--version"]);
  command.stdout.destroy();
  const [code] = await once(command, "exit");
  expect(code).toBe(0);
});

test("Ctrl-C ends a plan that is waiting for its services", async () => {
  await using desk = await openDesk(manifests);
  await using silent = await listen(() => {});
  await desk.write("setpoint.yaml", workspaceText(silent.url));
  const command = start(["plan"], { cwd: desk.path, env: { ...desk.env, SETPOINT_HOSTING_URL: silent.url } });
  await once(silent.server, "request");
  command.kill("SIGINT");
  expect(await ended(command)).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "",
      "out": "SP5003  The run was interrupted before all services had answered.
      Hint: Run it again: it starts from the current state.
    ",
    }
  `);
});

test("a file that cannot be read or written is a problem, not a stack trace", async () => {
  await using desk = await openDesk(manifests);
  await desk.write(".setpoint/runs", "A file where the journal's folder should be.\n");
  const { code, out, err } = await desk.run(["apply", "--yes"]);
  expect(out).toMatch(
    /^SP1017 {2}.*\.setpoint\/runs is not a folder, so no journal is written there\.\n {2}Hint: .*\nNothing was done\.\n$/m,
  );
  expect({ code, err }).toEqual({ code: 1, err: "" });
  expect(desk.sandbox.requests().map(({ effect }) => effect)).toEqual(["read"]);
});

test("a saved plan that does not exist is reported in plain words", async () => {
  const { code, out } = await setpoint(["apply", "missing.json"]);
  expect({ code, out }).toMatchInlineSnapshot(`
    {
      "code": 1,
      "out": "SP1017  The file missing.json cannot be read: there is no such file.
    Nothing was done.
    ",
    }
  `);
});

test("a bug in setpoint itself is one sentence; NODE_DEBUG=setpoint adds the stack trace", async () => {
  await using desk = await openDesk(manifests);
  await desk.write(
    "broken.cjs",
    `require("node:crypto").randomBytes = () => { throw new TypeError("broken") };
     require("node:module").syncBuiltinESMExports();`,
  );
  const NODE_OPTIONS = `--require ${desk.path}/broken.cjs`;
  expect(await desk.run(["apply", "--yes", "--json"], { NODE_OPTIONS })).toEqual({
    code: 1,
    out: "",
    err: "setpoint failed: TypeError: broken\nThis is a bug in setpoint; NODE_DEBUG=setpoint shows where.\n",
  });
  const { err } = await desk.run(["apply", "--yes"], { NODE_OPTIONS, NODE_DEBUG: "setpoint" });
  expect(err).toMatch(/\/chunk-daily-[\w-]+\.cjs:\d+:\d+/);
});

const soon = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

test.each([
  ["import", "analysis", "--kind", "AnalysisUser", "--out", "found"],
  ["adopt", "--dry-run"],
  ["doctor"],
  ["ack", "hosting/*", "--until", soon, "--reason", "Later", "--by", "kai", "--dry-run"],
])("the last sentence of %s fits a narrow terminal", async (...words) => {
  await using desk = await openDesk(manifests);
  const { code, out } = await desk.run(words, { COLUMNS: "30" });
  expect(code).toBe(0);
  expect(out.trimEnd().split("\n").at(-1)?.length).toBeLessThanOrEqual(30);
});
