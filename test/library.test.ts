import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, expectTypeOf, test } from "vitest";
import type { ApplyOptions, OpenOptions, PlanOptions } from "../src/setpoint.ts";
import { lock, openDesk, temporaryFolder } from "./support/commands.ts";
import { program } from "./support/program.ts";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/recipes/library.md"), "utf8");

/** The package's entry points in a bundle. */
const entries = { setpoint: "setpoint.js", "setpoint/clients": "clients.js" } as const;

/** Runs an example of the page, with a bundle in place of the package, and returns what it prints. */
async function output(
  entry: keyof typeof entries,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const examples = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, text = ""]) => text);
  const example = examples.find((text) => text.includes(`from "${entry}"`)) ?? "";
  await using folder = await temporaryFolder();
  const bundled = JSON.stringify(pathToFileURL(join(dirname(program), entries[entry])));
  await folder.write("example.mts", example.replace(`"${entry}"`, bundled));
  const file = join(folder.path, "example.mts");
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args], {
    env: { PATH: process.env.PATH, ...env },
  });
  return stdout;
}

test("the example of a workspace plans and applies", async () => {
  await using desk = await openDesk(lock("platform/core", "release-2.4"));
  const address = "review/BranchLock/platform/core:release-2.4";
  expect(await output("setpoint", [desk.path], desk.env)).toBe(`create ${address}\napplied ${address}\n`);
});

test("the example of a client reads a page", async () => {
  await using desk = await openDesk("");
  const env = { ...desk.env, SETPOINT_WIKI_URL: desk.sandbox.services.wiki.url };
  expect(await output("setpoint/clients", [], env)).toBe("Release calendar, version 2\n");
});

test("an option that a program may not have can be undefined", () => {
  expectTypeOf<Readonly<Record<keyof OpenOptions, undefined>>>().toExtend<OpenOptions>();
  expectTypeOf<Readonly<Record<keyof ApplyOptions, undefined>>>().toExtend<ApplyOptions>();
  expectTypeOf<Readonly<Record<keyof PlanOptions, undefined>>>().toExtend<PlanOptions>();
});

test("the package names its entry points, with their types", () => {
  const { exports }: { readonly exports: unknown } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(exports).toMatchObject({
    ".": { types: "./dist/setpoint.d.ts", default: "./dist/program/setpoint.js" },
    "./clients": { types: "./dist/clients.d.ts", default: "./dist/program/clients.js" },
  });
});

test("the package exports every type that its functions name, and the page lists all exports", () => {
  const entry = readFileSync(join(root, "src/setpoint.ts"), "utf8");
  const types = readFileSync(join(root, "src/road/types.ts"), "utf8");
  const names = readFileSync(join(root, "src/road/public-types.ts"), "utf8");
  const exported = [...`${entry}${names}`.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = ""]) =>
    namesIn(names),
  );
  const own = [...types.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = ""]) => name);
  const used = [...types.matchAll(/^import type \{([^}]*)\}/gm)].flatMap(([, names = ""]) => namesIn(names));
  expect(used.filter((name) => !exported.includes(name))).toEqual([]);
  const listed = page.slice(page.indexOf("## Types"), page.indexOf("## The clients alone")).matchAll(/^\| (.*) \|$/gm);
  const onPage = [...listed].flatMap(([, row = ""]) => row.slice(row.indexOf(" | ")).match(/(?<=`)\w+(?=`)/g) ?? []);
  expect(onPage.toSorted()).toEqual([...exported, ...own].toSorted());
});

function namesIn(list: string): readonly string[] {
  return list
    .split(",")
    .map((name) => name.trim().replace(/^type /, ""))
    .filter((name) => name !== "");
}
