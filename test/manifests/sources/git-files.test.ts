import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allServices } from "../../../src/clients/find-service.ts";
import { load } from "../../../src/manifests/load.ts";
import type { FileSource } from "../../../src/manifests/sources/files.ts";
import { gitFiles } from "../../../src/manifests/sources/git-files.ts";
import { openRepository } from "../../../src/manifests/sources/repository.ts";
import { gitIn } from "../../support/git.ts";
import { kinds, workspaceText } from "../support/workspace.ts";

let repository: string;

const git = (...args: readonly string[]) => gitIn(repository, ...args);

beforeAll(async () => {
  repository = await mkdtemp(join(tmpdir(), "setpoint-git-"));
  await mkdir(join(repository, "tools/m"), { recursive: true });
  await writeFile(join(repository, "top.yaml"), "outside: true\n");
  await writeFile(join(repository, "tools/setpoint.yaml"), workspaceText);
  await writeFile(join(repository, "tools/m/a.yaml"), "kind: Account\nspec: { name: before }\n");
  await writeFile(join(repository, "tools/m/ü b.yaml"), "kind: Page\nspec: { id: '1', file: text.md }\n");
  await writeFile(join(repository, "tools/m/text.md"), "text\0with\nbytes\n");
  await symlink("a.yaml", join(repository, "tools/m/link.yaml"));
  git("init", "--quiet", "--initial-branch", "main");
  git("add", ".");
  git("commit", "--quiet", "--message", "one");
  git("tag", "one");
  await writeFile(join(repository, "tools/m/a.yaml"), "kind: Account\nspec: { name: after }\n");
  await writeFile(join(repository, "tools/m/new.yaml"), "");
});

afterAll(() => rm(repository, { recursive: true }));

test("sees the files of a folder as they were at a ref, whatever the work tree contains", async () => {
  const files = await filesAt("one");
  expect(await files.list(["**/*.yaml"])).toEqual(["m/a.yaml", "m/ü b.yaml", "setpoint.yaml"]);
  expect(Buffer.from(await files.read("m/a.yaml")).toString()).toBe("kind: Account\nspec: { name: before }\n");
  expect(await files.size("m/../m/text.md")).toBe(16);
});

test("concurrent reads each get the bytes of their own file", async () => {
  const files = await filesAt("HEAD");
  const texts = await Promise.all(["m/text.md", "m/a.yaml", "m/text.md"].map((path) => files.read(path)));
  expect(texts.map((bytes) => Buffer.from(bytes).toString().slice(0, 5))).toEqual(["text\0", "kind:", "text\0"]);
});

test("returns the checksum of a file as it was, and nothing for one that did not exist", async () => {
  const files = await filesAt("one");
  const sha256 = createHash("sha256").update("kind: Account\nspec: { name: before }\n").digest("hex");
  expect(await files.digest("m/a.yaml")).toEqual({ path: join(await realpath(repository), "tools/m/a.yaml"), sha256 });
  expect(await files.digest("m/new.yaml")).toBeUndefined();
  expect(await files.digest("m/link.yaml")).toBeUndefined();
});

test("links, new files and files above the folder do not exist", async () => {
  const files = await filesAt("main");
  for (const path of ["m/link.yaml", "m/new.yaml", "../top.yaml", "m"])
    await expect(files.read(path)).rejects.toThrow("it is not a file at main");
});

test("a workspace loads from a ref, with the files that its manifests name", async () => {
  const source = await filesAt("one");
  const { resources, problems } = await load({
    source,
    kinds,
    types: allServices,
    workspaceFile: "setpoint.yaml",
    variables: {},
  });
  expect(problems).toEqual([]);
  expect(resources.map(({ address, spec }) => [address, spec])).toEqual([
    ["wiki/Account/before", { name: "before" }],
    ["wiki/Page/1", { id: "1", body: "text\0with\nbytes\n" }],
  ]);
});

test("a ref that does not exist is refused", async () => {
  await expect(filesAt("none")).rejects.toMatchObject({
    problems: [{ code: "SP5002", message: '"none" is not a git ref.' }],
  });
});

test("files that a partial clone lacks are not fetched", async () => {
  const partial = join(repository, "partial");
  git("config", "uploadpack.allowFilter", "true");
  git("clone", "--quiet", "--no-local", "--filter=blob:none", repository, partial);
  await writeFile(join(repository, "tools/m/a.yaml"), "kind: Account\nspec: { name: later }\n");
  git("commit", "--quiet", "--all", "--message", "two");
  git("-C", partial, "fetch", "--quiet");
  const opened = await openRepository(join(partial, "tools"), "setpoint.yaml");
  await expect(gitFiles(opened, "origin/main")).rejects.toMatchObject({
    problems: [
      {
        code: "SP5002",
        message: "The clone has origin/main without its files.",
        hint: "Clone without --filter, or fetch them: git fetch --refetch --no-filter origin.",
      },
    ],
  });
  git("reset", "--quiet", "--hard", "HEAD~1");
});

test("objects that a damaged clone lacks are not treated as deleted files or as an unknown ref", async () => {
  const damaged = join(repository, "damaged");
  git("clone", "--quiet", "--no-local", repository, damaged);
  const [pack = ""] = (await readdir(join(damaged, ".git/objects/pack"))).filter((name) => name.endsWith(".pack"));
  const packed = join(repository, pack);
  await rename(join(damaged, ".git/objects/pack", pack), packed);
  execFileSync("git", ["unpack-objects", "-q"], { cwd: damaged, input: await readFile(packed) });
  const lose = async (name: string) => {
    const object = git("-C", damaged, "rev-parse", name).trim();
    await rm(join(damaged, ".git/objects", object.slice(0, 2), object.slice(2)));
  };
  const opened = await openRepository(join(damaged, "tools"), "setpoint.yaml");
  expect(await (await gitFiles(opened, "one")).list(["m/a.yaml"])).toEqual(["m/a.yaml"]);
  await lose("one:tools/m/a.yaml");
  await expect(gitFiles(opened, "one")).rejects.toThrow("The clone has one without its files.");
  await lose("one");
  await expect(gitFiles(opened, "one")).rejects.toThrow("which refs/tags/one names");
});

async function filesAt(ref: string): Promise<FileSource> {
  return gitFiles(await openRepository(join(repository, "tools"), "setpoint.yaml"), ref);
}
