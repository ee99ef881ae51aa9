import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseWorld, startSandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { setpoint, temporaryFolder } from "../support/commands.ts";

/** Prints, when the process ends, what was loaded: files, and the modules of Node. */
const watching = `
import { registerHooks } from "node:module";
const files = [];
registerHooks({ load(url, context, next) { if (url.startsWith("file:")) files.push(url); return next(url, context); } });
process.on("exit", () => console.error(JSON.stringify({ files, modules: process.moduleLoadList })));
`;

async function loadedBy(
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<{ files: readonly string[]; modules: readonly string[] }> {
  await using folder = await temporaryFolder();
  await folder.write("watching.mjs", watching);
  const env = { ...more, NODE_OPTIONS: `--import ${join(folder.path, "watching.mjs")}` };
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
  const idle = ["child_process", "crypto", "http", "http2", "tls", "v8", "zlib"].map((name) => `NativeModule ${name}`);
  expect(modules.filter((name) => idle.includes(name))).toEqual([]);
  expect(files.filter((url) => /\/node_modules\/(undici|ajv|re2js|refa)\//.test(url))).toEqual([]);
});

test("plan loads of undici what sends requests, and nothing of mocks or fetch", async () => {
  const world = "examples/tour/world.json";
  const sandbox = await startSandbox({ world: parseWorld(readFileSync(world, "utf8"), world) });
  onTestFinished(() => sandbox.close());
  const port = `port=${new URL(sandbox.url).port}`;
  const { files } = await loadedBy(["plan", "--var", port], environmentFor(sandbox.url));
  const ofUndici = files.flatMap((url) => url.split("/node_modules/undici/")[1] ?? []);
  expect(ofUndici).toContain("lib/dispatcher/client.js");
  expect(ofUndici.length).toBeLessThanOrEqual(40);
  expect(
    ofUndici.filter((path) => /^(index\.js|lib\/(mock|interceptor|cache|web\/(fetch|websocket))\/)/.test(path)),
  ).toEqual([]);
});
