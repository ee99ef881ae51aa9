import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { listenOnLoopback } from "../clients/fixtures.ts";
import { loopbackCertificate } from "../support/certificate.ts";
import { ended, lock, setpoint, start, temporaryFolder, workspaceText } from "../support/commands.ts";
import { program } from "../support/program.ts";

/** Prints what was loaded when the process ends: files, and the modules of Node. */
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

test("the bundled programs are pure ASCII, the encoding in which they are read", () => {
  const folder = dirname(program);
  const files = readdirSync(folder);
  expect(files).toContain("main.cjs");
  const isAscii = (name: string) => readFileSync(join(folder, name)).every((byte) => byte < 128);
  expect(files.filter((name) => !isAscii(name))).toEqual([]);
});

test("--version loads no more than it needs", async () => {
  const { files } = await loadedBy(["--version"]);
  expect(files.length).toBeLessThanOrEqual(3);
});

test("validate loads a few files, and nothing that sends requests or starts programs", async () => {
  const { files, modules } = await loadedBy(["validate"]);
  expect(files.length).toBeLessThanOrEqual(12);
  const idle = ["child_process", "crypto", "http", "http2", "tls", "v8"].map((name) => `NativeModule ${name}`);
  expect(modules.filter((name) => idle.includes(name))).toEqual([]);
  expect(files.filter((url) => /\/node_modules\/(undici|ajv|re2js|refa)\//.test(url))).toEqual([]);
});

test("plan loads only the parts of undici that send requests, and no mocks, fetch or HTTP/2", async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const port = `port=${new URL(sandbox.url).port}`;
  const { files, modules } = await loadedBy(["plan", "--var", port], environmentFor(sandbox.url));
  expect(modules).toContain("NativeModule net");
  expect(modules.filter((name) => /^NativeModule (http2|tls)$/.test(name))).toEqual([]);
  const ofUndici = files.flatMap((url) => url.split("/node_modules/undici/")[1] ?? []);
  expect(ofUndici).toContain("lib/dispatcher/client.js");
  expect(ofUndici.length).toBeLessThanOrEqual(40);
  expect(
    ofUndici.filter((path) => /^(index\.js|lib\/(mock|interceptor|cache|web\/(fetch|websocket))\/)/.test(path)),
  ).toEqual([]);
});

test("a plan does not make V8 optimize the parser of answers, and the flag for it has the default of this Node", async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const port = `port=${new URL(sandbox.url).port}`;
  const plan = [program, "plan", "--var", port];
  const settings = { env: environmentFor(sandbox.url), cwd: "examples/tour", main: "--trace-wasm-compilation-times" };
  const { code, out } = await ended(start(plan, settings));
  expect(code).toBe(0);
  const compiled = out.match(/^Compiled function .* using \w+/gm) ?? [];
  expect(compiled.length).toBeGreaterThan(0);
  expect(compiled.filter((line) => !line.endsWith("Liftoff"))).toEqual([]);
  const { stdout } = await promisify(execFile)(process.execPath, ["--v8-options"]);
  expect(stdout).toContain("default: --wasm-tiering-budget=13000000\n");
});

test("a command uses HTTP/2 if a service offers it", async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const { env, ...tls } = loopbackCertificate();
  const spoken = new Set<string>();
  const server = createSecureServer(
    { ...tls, allowHTTP1: true },
    async ({ httpVersion, method, url, headers }, response) => {
      spoken.add(httpVersion);
      const authorization = headers.authorization ?? "";
      const answer = await fetch(`${sandbox.url}${url}`, { method, headers: { authorization } });
      const type = answer.headers.get("content-type") ?? "";
      response.writeHead(answer.status, { "content-type": type });
      response.end(Buffer.from(await answer.arrayBuffer()));
    },
  );
  const url = (await listenOnLoopback(server)).replace("http:", "https:");
  await using folder = await temporaryFolder();
  await folder.write("setpoint.yaml", workspaceText(url));
  await folder.write("manifests/locks.yaml", lock("platform/core", "release-2.4"));
  const { out } = await setpoint(["plan"], { cwd: folder.path, env: { ...environmentFor(url), ...env } });
  expect(out).toContain("Apply would make 1 call: 1 × review.modifyProjectAccess.");
  expect([...spoken]).toEqual(["2.0"]);
});

test("a command reuses its own compiled code, and compiles it again if it is damaged", async () => {
  await using folder = await temporaryFolder();
  const compiled = join(folder.path, `validate/${process.version}-${process.arch}`);
  const run = async (...args: readonly string[]) => {
    const { code } = await setpoint(args, { cwd: "examples/tour", env: { NODE_COMPILE_CACHE: folder.path } });
    const kept = existsSync(compiled) ? readdirSync(compiled) : [];
    return { code, kept: kept.map((name) => ({ name, ...sizeAndFile(join(compiled, name)) })) };
  };
  expect(await run("validate", "--workspace", "nowhere")).toEqual({ code: 1, kept: [] });
  expect(await run("validate", "--help")).toEqual({ code: 0, kept: [] });
  expect(await run("help", "validate")).toEqual({ code: 0, kept: [] });
  const first = await run("validate");
  expect(first.code).toBe(0);
  expect(first.kept.map(({ name }) => name.replace(/-[\w-]{8}\.cjs$/, ""))).toContain("chunk-common");
  expect(await run("validate")).toEqual(first);

  const [damaged = { name: "", size: 0 }] = first.kept;
  writeFileSync(join(compiled, damaged.name), "no code");
  const older = damaged.name.replace(/[\w-]{8}\.cjs$/, "earlier0.cjs");
  writeFileSync(join(compiled, older), "of an earlier build");
  const { code, kept } = await run("validate");
  expect(code).toBe(0);
  const again = kept.find(({ name }) => name === damaged.name);
  expect(again?.size).toBeGreaterThan(damaged.size / 2);
  expect(kept.map(({ name }) => name)).not.toContain(older);

  const large = kept.find(({ name }) => name.startsWith("chunk-common")) ?? { name: "", size: 0 };
  const holed = readFileSync(join(compiled, large.name));
  writeFileSync(join(compiled, large.name), holed.fill(0, large.size / 2, large.size / 2 + 4096));
  expect((await run("validate")).code).toBe(0);
  expect(readFileSync(join(compiled, large.name)).subarray(large.size / 2, large.size / 2 + 4096)).not.toEqual(
    Buffer.alloc(4096),
  );
});

test("an apply, which changes flags of V8, reuses its own compiled code too", async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  await using folder = await temporaryFolder();
  await folder.write("setpoint.yaml", workspaceText(sandbox.url));
  await folder.write("manifests/locks.yaml", lock("platform/core", "release-2.4"));
  const compiled = join(folder.path, `apply/${process.version}-${process.arch}`);
  const run = async () => {
    const env = { ...environmentFor(sandbox.url), NODE_COMPILE_CACHE: folder.path };
    expect((await setpoint(["apply", "--yes"], { cwd: folder.path, env })).code).toBe(0);
    return readdirSync(compiled).map((name) => ({ name, ...sizeAndFile(join(compiled, name)) }));
  };
  const first = await run();
  expect(first.length).toBeGreaterThan(5);
  expect(await run()).toEqual(first);
});

test("a command runs even if no folder for compiled code can be created", async () => {
  const env = { HOME: "/proc/self/nobody", NODE_COMPILE_CACHE: undefined };
  const command = start(["--help"], { env });
  onTestFinished(() => void command.kill("SIGKILL"));
  expect(await ended(command)).toMatchObject({ code: 0, err: "" });
});

function sizeAndFile(path: string): { readonly size: number; readonly file: number } {
  const { size, ino: file } = statSync(path);
  return { size, file };
}

test.each([
  [".git", 0o700, "in a checkout", false],
  ["git", 0o755, "in a folder that setpoint has not made", false],
  ["git", 0o700, "elsewhere", true],
] as const)("compiled code is not run or kept where a pull request could have some: %s, %o, %s", async (...given) => {
  const [name, mode, , isKept] = given;
  await using folder = await temporaryFolder();
  const compiled = join(folder.path, ".cache/setpoint/compiled");
  for (const path of [join(folder.path, name), compiled]) mkdirSync(path, { recursive: true });
  chmodSync(compiled, mode);
  const env = { NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: join(folder.path, ".cache") };
  expect((await ended(start(["--help"], { env }))).code).toBe(0);
  expect(readdirSync(compiled)).toEqual(isKept ? ["other"] : []);
});
