import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { type Desk, openDesk, start, temporaryFolder, workflows } from "../support/commands.ts";

/** Starts a command that watches; `settled` and `until` wait for its further output. */
function watching(desk: Desk, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = start([...args, "--watch"], { cwd: desk.path, env: { ...desk.env, ...env } });
  onTestFinished(() => void command.kill("SIGKILL"));
  const [out, err] = [said(command.stdout), said(command.stderr)];
  const end = once(command, "close");
  return {
    out,
    /** Everything printed until a run has ended. */
    settled: () => err.until("Watching for changes; Ctrl-C stops.\n"),
    /** Ends the reader of the output, changes a manifest, and waits for the end. */
    async unread() {
      command.stdout.destroy();
      await desk.write("manifests/all.yaml", workflows("website", true));
      await end;
      return command.exitCode;
    },
    async interrupt() {
      command.kill("SIGINT");
      await end;
      return command.exitCode;
    },
  };
}

function said(stream: Readable) {
  let text = "";
  let seen = 0;
  stream.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  return {
    /** Everything up to the next occurrence of these words. */
    async until(words: string): Promise<string> {
      while (!text.includes(words, seen)) await once(stream, "data");
      const end = text.indexOf(words, seen) + words.length;
      const part = text.slice(seen, end);
      seen = end;
      return part;
    },
  };
}

test("validate --watch reports the errors again whenever a file that it read or missed changes, and Ctrl-C is not a failure", async () => {
  await using desk = await openDesk(workflows("website", false));
  const run = watching(desk, ["validate"]);
  expect(await run.out.until("no errors.\n")).toBe("1 resource in 1 file, no errors.\n");
  await run.settled();
  await desk.write("manifests/all.yaml", workflows("website", false).replace("enabled", "enabeld"));
  expect(await run.out.until("Nothing was read from any service.\n")).toContain('Did you mean "enabled"?');
  await run.settled();
  // A file that a manifest names and that does not exist yet.
  await desk.write("manifests/all.yaml", "kind: WikiPage\nspec: { id: '48213', body: { file: page.md } }\n");
  expect(await run.out.until("Nothing was read from any service.\n")).toContain("page.md");
  await run.settled();
  await desk.write("manifests/page.md", "Wanted.\n");
  const healed = await run.out.until("no errors.\n");
  expect(healed).toBe("--- manifests/page.md changed ---\n1 resource in 1 file, no errors.\n");
  await run.settled();
  await rm(join(desk.path, "setpoint.yaml"));
  expect(await run.out.until("Nothing was read from any service.\n")).toContain("setpoint.yaml");
  await run.settled();
  expect(await run.interrupt()).toBe(0);
  expect(desk.sandbox.requests()).toEqual([]);
});

test("plan --watch calls the services again only if a file that it read has changed", async () => {
  await using desk = await openDesk(workflows("website", false));
  const run = watching(desk, ["plan"]);
  expect(await run.out.until("Apply would make")).toContain("true → false");
  await run.settled();
  const asked = desk.sandbox.requests().length;
  await desk.write("notes.txt", "Read by no manifest.\n");
  await desk.write("manifests/all.yaml", workflows("website", true));
  const again = await run.out.until("Everything is as desired");
  expect(again).toContain("--- manifests/all.yaml changed ---");
  await run.settled();
  expect(desk.sandbox.requests()).toHaveLength(2 * asked);
  expect(await run.interrupt()).toBe(0);
});

test("a watch whose reader has ended ends with its next run, and is no failure", async () => {
  await using desk = await openDesk(workflows("website", false));
  const run = watching(desk, ["validate"]);
  await run.settled();
  expect(await run.unread()).toBe(0);
});

test("if the system cannot watch more files, changes are found by polling", async () => {
  await using desk = await openDesk(workflows("website", false));
  await using folder = await temporaryFolder();
  const limit = join(folder.path, "limit.cjs");
  const refusal = "ENOSPC: System limit for number of file watchers reached";
  const manifest = join(desk.path, "manifests/all.yaml");
  writeFileSync(
    limit,
    `const fs = require("node:fs"), timers = require("node:timers/promises"), { setTimeout } = timers;
    fs.watch = () => { throw Object.assign(new Error("${refusal}"), { code: "ENOSPC" }); };
    // Somebody writes while nobody looks.
    timers.setTimeout = async (...args) => {
      fs.writeFileSync(${JSON.stringify(manifest)}, ${JSON.stringify(workflows("website", true))});
      await setTimeout(...args);
    };
    require("node:module").syncBuiltinESMExports();`,
  );
  const run = watching(desk, ["validate"], { NODE_OPTIONS: `--require ${limit}` });
  expect(await run.settled()).toBe(
    `Checking for changes every second: ${refusal}.\nWatching for changes; Ctrl-C stops.\n`,
  );
  expect(await run.out.until("changed ---")).toContain("--- manifests/all.yaml");
  await run.settled();
  expect(await run.interrupt()).toBe(0);
});
