import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { chmod, cp, mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Folder, lock, serve, setpoint, temporaryFolder, workspaceText } from "../../support/commands.ts";
import { openEditor } from "../../support/editor.ts";

interface Packed {
  readonly filename: string;
  /** Size of the tarball, in bytes. */
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

let folder: Folder;
let packed: Packed;
/** The folder of the installed package, and its command. */
let installed: string;
let main: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  packed = pack(folder.path);
  installed = await install(join(folder.path, packed.filename));
  main = join(installed, "bin/setpoint.js");
});

afterAll(() => folder[Symbol.asyncDispose]());

test("the tarball contains what its users need, and neither sources nor tests", async ({ annotate }) => {
  await annotate(`${packed.filename}: ${packed.size} bytes`);
  const needed =
    /^(bin\/setpoint\.js|dist\/program\/[\w-]+\.c?js|dist\/.+\.d\.ts|dist\/THIRD-PARTY-LICENSES|dist\/page\/shell\.html|schema\/.+\.schema\.json|examples\/kinds\/.+|docs\/(recipes\/)?[\w-]+\.md|[A-Z]+(\.md)?|package\.json)$/;
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      "README.md",
      "LICENSE",
      "dist/program/start.js",
      "dist/program/main.cjs",
      "dist/THIRD-PARTY-LICENSES",
      "dist/page/shell.html",
    ]),
  );
  expect(paths.filter((path) => !needed.test(path))).toEqual([]);
  expect(packed.size).toBeLessThanOrEqual(600_000);
});

test("it takes less than 12 MB once installed with its dependencies", async ({ annotate }) => {
  const options = { cwd: join(folder.path, "node_modules"), withFileTypes: true } as const;
  const files = globSync("**/*", options).filter((entry) => entry.isFile());
  const size = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  await annotate(`${size} bytes`);
  expect(globSync("{undici,ajv,re2js}/package.json", options)).toHaveLength(3);
  expect(size).toBeLessThanOrEqual(12_000_000);
});

test("the licence of everything bundled is in the tarball", () => {
  const licences = readFileSync(join(installed, "dist/THIRD-PARTY-LICENSES"), "utf8");
  const { dependencies }: { readonly dependencies: object } = JSON.parse(readFileSync("package.json", "utf8"));
  const named = [...licences.matchAll(/^((?:@[\w-]+\/)?[\w.-]+) \d+\.\d+\.\d+ \(.+\)$/gm)].map(([, name = ""]) => name);
  expect(named).toEqual(expect.arrayContaining(["zod", "yaml", "commander", "tar", "diff"]));
  expect(named.filter((name) => name in dependencies)).toEqual([]);
});

test("the tarball has every page that its README links to", () => {
  const readme = readFileSync(join(installed, "README.md"), "utf8");
  // Pictures are loaded from the repository: nobody looks at them inside a package.
  const links = [...readme.matchAll(/(?<!!\[[^\]]*)\]\((?!https?:)([^)#]+)/g)].map(([, path = ""]) => path);
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((path) => !existsSync(join(installed, path)))).toEqual([]);
});

test("every declaration that another one imports is in the tarball, and none names the folder of the build", () => {
  const paths = packed.files.map(({ path }) => path);
  const declarations = paths.filter((path) => path.endsWith(".d.ts"));
  const lost = declarations.flatMap((path) => {
    const text = readFileSync(join(installed, path), "utf8");
    expect(text).not.toMatch(/\.cache|^\/\//m);
    const names = text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g);
    const targets = [...names].map(([, name = ""]) => join(dirname(path), name.replace(/\.(?:js|ts)$/, ".d.ts")));
    return targets.filter((target) => !paths.includes(target));
  });
  expect(declarations.toSorted()).toEqual(["dist/clients.d.ts", "dist/setpoint.d.ts", "dist/shared.d.ts"]);
  expect(lost).toEqual([]);
});

test("a program that uses the package compiles", async () => {
  const page = readFileSync(join(installed, "docs/recipes/library.md"), "utf8");
  const examples = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, text = ""]) => text);
  expect(examples.length).toBeGreaterThan(1);
  await Promise.all(examples.map((text, index) => folder.write(`example-${index}.mts`, text)));
  await mkdir(join(folder.path, "node_modules/@types"), { recursive: true });
  await symlink(join(process.cwd(), "node_modules/@types/node"), join(folder.path, "node_modules/@types/node"));
  // The types refer to those of zod, an optional peer dependency.
  await symlink(join(process.cwd(), "node_modules/zod"), join(folder.path, "node_modules/zod"));
  const compiler = join(process.cwd(), "node_modules/typescript/bin/tsc");
  const options = ["--noEmit", "--strict", "--target", "es2024", "--module", "nodenext", "--types", "node"];
  const files = examples.map((_text, index) => `example-${index}.mts`);
  const compiled = spawnSync(process.execPath, [compiler, ...options, ...files], {
    cwd: folder.path,
    encoding: "utf8",
  });
  expect(compiled.stdout).toBe("");
});

test("editors find the schemas of the installed package", async () => {
  await using editor = await openEditor({ installed });
  expect(await editor.mistakes("kind: WikiPage\nspec: { id: '1' }\n---\nkind: BranchLock\nspec: {}\n")).toEqual([
    '5: Missing property "project".',
    '5: Missing property "branch".',
  ]);
  expect(editor.asked).toEqual([]);
});

test("the installed package makes a plan with its own sandbox", async () => {
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

test("the installed package explains a kind with its example and names no file that it lacks", async () => {
  const { code, out } = await setpoint(["explain", "BranchLock"], { main });
  expect(code).toBe(0);
  expect(out).toContain("reason: Frozen for 2.4 GA");
  const named = [...out.matchAll(/\b(?:docs|examples)\/[\w/.-]+\.\w+/g)].map(([path]) => path);
  expect(named).toContain("examples/kinds/BranchLock.yaml");
  expect(packed.files.map(({ path }) => path)).toEqual(expect.arrayContaining(named));
});

test("Node's compile cache is kept only where nobody else can write", async () => {
  const kept = async (name: string, mode: number) => {
    const cache = join(folder.path, name);
    await mkdir(cache);
    await chmod(cache, mode);
    const env = { NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: cache };
    const { code } = await setpoint(["completion", "bash"], { main, env });
    const files = globSync("setpoint/compiled/other/*/*", { cwd: cache });
    return { code, files: files.length > 0, modes: [...new Set(["setpoint", "setpoint/compiled"].map(modeIn(cache)))] };
  };
  expect(await kept("private", 0o755)).toEqual({ code: 0, files: true, modes: [0o700] });
  expect(await kept("shared", 0o777)).toEqual({ code: 0, files: false, modes: [undefined] });
});

function modeIn(folder: string): (path: string) => number | undefined {
  const modeOf = (mode: number | undefined) => mode && mode & 0o777;
  return (path) => modeOf(statSync(join(folder, path), { throwIfNoEntry: false })?.mode);
}

test("an old version of Node gets one clear sentence", async () => {
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

test("a checkout that is not built says so", async () => {
  await folder.write("checkout/bin/setpoint.js", readFileSync("bin/setpoint.js", "utf8"));
  expect(await setpoint(["--version"], { main: join(folder.path, "checkout/bin/setpoint.js") })).toEqual({
    code: 1,
    out: "",
    err: "This checkout is not built. Run npm run build, or use npm run -s setpoint -- instead of setpoint.\n",
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
 * dependencies that npm would install are copied from the checkout.
 */
async function install(tarball: string): Promise<string> {
  const quick = ["--prefer-offline", "--fetch-retries=0", "--no-audit", "--no-fund"];
  const path = join(folder.path, "node_modules/setpoint");
  await folder.write("package.json", '{ "private": true }\n');
  try {
    npm(["install", ...quick, tarball], folder.path);
  } catch {
    await mkdir(path, { recursive: true });
    execFileSync("tar", ["-xzf", tarball, "-C", path, "--strip-components=1"]);
    const needed = new Set(dependenciesIn(path));
    for (const name of needed) {
      await cp(join("node_modules", name), join(folder.path, "node_modules", name), { recursive: true });
      for (const next of dependenciesIn(join("node_modules", name))) needed.add(next);
    }
  }
  return path;
}

function dependenciesIn(path: string): readonly string[] {
  const manifest: { readonly dependencies?: object } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  return Object.keys(manifest.dependencies ?? {});
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: "pipe" });
}
