import { join } from "node:path";
import { expect, test } from "vitest";
import { setpoint, temporaryFolder } from "../support/commands.ts";

/** Prints, when the process ends, what was loaded: files, and the modules of Node. */
const watching = `
import { registerHooks } from "node:module";
const files = [];
registerHooks({ load(url, context, next) { if (url.startsWith("file:")) files.push(url); return next(url, context); } });
process.on("exit", () => console.error(JSON.stringify({ files, modules: process.moduleLoadList })));
`;

async function loadedBy(args: readonly string[]): Promise<{ files: readonly string[]; modules: readonly string[] }> {
  await using folder = await temporaryFolder();
  await folder.write("watching.mjs", watching);
  const env = { NODE_OPTIONS: `--import ${join(folder.path, "watching.mjs")}` };
  const { code, err } = await setpoint(args, { env, cwd: "examples/tour" });
  expect(code).toBe(0);
  return JSON.parse(err);
}

test("--version loads no more than it needs", async () => {
  const { files } = await loadedBy(["--version"]);
  expect(files.length).toBeLessThanOrEqual(3);
});

test("validate loads a few files, and nothing that sends requests or starts programs", async () => {
  const { files, modules } = await loadedBy(["validate"]);
  expect(files.length).toBeLessThanOrEqual(26);
  const idle = ["child_process", "tls", "http", "http2"].map((name) => `NativeModule ${name}`);
  expect(modules.filter((name) => idle.includes(name))).toEqual([]);
  expect(files.filter((url) => /\/node_modules\/(undici|ajv|refa)\//.test(url))).toEqual([]);
});
