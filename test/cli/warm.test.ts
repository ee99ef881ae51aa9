import { expect, test } from "vitest";
import { ended, lock, openDesk, setpoint, start } from "../support/commands.ts";
import { needsProcess } from "../support/warm/protocol.ts";

const commands: readonly (readonly [words: string, env: Readonly<Record<string, string>>])[] = [
  ["plan --detailed-exitcode --no-cache", { COLUMNS: "70" }],
  ["plan --no-such-option", {}],
  ["--version", {}],
  ["explain SP1013", { FORCE_COLOR: "1" }],
  ["completion", {}],
];

test("a command in a process that has run others prints the same as in its own process", async () => {
  await using desk = await openDesk(`${lock("platform/core", "release-2.4")}${lock("platform/ui", "release-2.4")}`);
  for (const [words, own] of commands) {
    const args = words.split(" ");
    const env = { ...desk.env, ...own };
    expect(needsProcess({ args, env })).toBe(false);
    const alone = await ended(start(args, { cwd: desk.path, env }));
    expect(alone.code, words).toBeGreaterThan(-1);
    for (const _again of [1, 2]) expect(await setpoint(args, { cwd: desk.path, env }), words).toEqual(alone);
  }
});

test("it sees its own environment and folder, and nothing of the previous command", async () => {
  await using first = await openDesk(lock("platform/core", "release-2.4"));
  await using second = await openDesk("");
  expect(await setpoint(["plan", "--detailed-exitcode"], { cwd: first.path, env: first.env })).toMatchObject({
    code: 2,
  });
  expect(await setpoint(["plan"], { cwd: first.path, env: {} })).toMatchObject({ code: 3 });
  expect(await setpoint(["validate"], { cwd: second.path, env: {} })).toEqual({
    code: 0,
    out: "0 resources in 1 file, no errors.\n",
    err: "",
  });
});

test.each([
  ["sandbox --port 0", {}],
  ["validate --watch", {}],
  ["apply --allow-exec", {}],
  ["call wiki updatePage --body=-", {}],
  ["call wiki updatePage --body -", {}],
  ["plan", { NODE_OPTIONS: "--no-warnings" }],
])("%s needs its own process, with %j", (words, env) => {
  expect(needsProcess({ args: words.split(" "), env })).toBe(true);
});
