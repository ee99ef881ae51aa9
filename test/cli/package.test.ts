import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Folder, lock, serve, setpoint, temporaryFolder, workspaceText } from "../support/commands.ts";

interface Packed {
  readonly filename: string;
  /** Bytes of the tarball. */
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

let folder: Folder;
let packed: Packed;
/** The command of the installed package. */
let main: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  packed = pack(folder.path);
  main = await install(join(folder.path, packed.filename));
});

afterAll(() => folder[Symbol.asyncDispose]());

test("the tarball holds what its users need, and neither sources nor tests", async ({ annotate }) => {
  await annotate(`${packed.filename}: ${packed.size} bytes`);
  const needed =
    /^(bin\/setpoint\.js|dist\/.+(?<!\.test)\.(js|d\.ts)|dist\/page\/shell\.html|schema\/.+\.schema\.json|examples\/kinds\/.+|[A-Z]+(\.md)?|package\.json)$/;
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(["README.md", "LICENSE", "CHANGELOG.md", "dist/cli/main.js", "dist/page/shell.html"]),
  );
  expect(paths.filter((path) => !needed.test(path))).toEqual([]);
  expect(packed.size).toBeLessThan(700_000);
});

test("the installed package plans, on its own sandbox", async () => {
  const { version }: { readonly version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(await setpoint(["--version"], { main })).toEqual({ code: 0, out: `${version}\n`, err: "" });

  await using sandbox = await serve([], { main });
  const { url } = sandbox;
  await folder.write("setpoint.yaml", workspaceText(url));
  await folder.write("manifests/locks.yaml", lock("platform/core", "release-2.4"));
  const env = { SETPOINT_REVIEW_URL: url, SETPOINT_REVIEW_USERNAME: "admin", SETPOINT_REVIEW_PASSWORD: "secret" };
  const { out } = await setpoint(["plan"], { main, env, cwd: folder.path });
  expect(out).toContain("Apply would make 1 call: 1 × review.modifyProjectAccess.");
});

test("the installed package explains a kind with its example", async () => {
  const { code, out } = await setpoint(["explain", "BranchLock"], { main });
  expect(code).toBe(0);
  expect(out).toContain("reason: Frozen for 2.4 GA");
});

test("an old Node gets one clear sentence", async () => {
  await folder.write(
    "old.cjs",
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.1" } });\n',
  );
  expect(await setpoint(["--version"], { main, env: { NODE_OPTIONS: `--require ${folder.path}/old.cjs` } })).toEqual({
    code: 1,
    out: "",
    err: "setpoint needs Node 22.19 or newer; this is 20.11.1. Install a newer Node and try again.\n",
  });
});

function pack(destination: string): Packed {
  const out = npm(["pack", "--json", "--pack-destination", destination], process.cwd());
  const [first]: readonly Packed[] = JSON.parse(out);
  if (first === undefined) throw new Error("npm packed nothing.");
  return first;
}

/**
 * Installs the tarball as a user would. If the registry cannot be reached and npm's cache lacks a dependency, the
 * unpacked tarball is given the checkout's dependencies instead.
 */
async function install(tarball: string): Promise<string> {
  const quick = ["--prefer-offline", "--fetch-retries=0", "--no-audit", "--no-fund"];
  await folder.write("package.json", '{ "private": true }\n');
  try {
    npm(["install", ...quick, tarball], folder.path);
    return join(folder.path, "node_modules/.bin/setpoint");
  } catch {
    await mkdir(join(folder.path, "unpacked"));
    execFileSync("tar", ["-xzf", tarball, "-C", "unpacked"], { cwd: folder.path });
    await symlink(join(process.cwd(), "node_modules"), join(folder.path, "unpacked/node_modules"));
    return join(folder.path, "unpacked/package/bin/setpoint.js");
  }
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: "pipe" });
}
