import { createHash, Hash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { allServices } from "../../../src/clients/find-service.ts";
import { load } from "../../../src/manifests/load.ts";
import { diskFiles } from "../../../src/manifests/sources/files.ts";
import { watchedFiles } from "../../../src/manifests/sources/watched-files.ts";
import { kinds, workspaceText } from "../support/workspace.ts";

let outside: string;
let folder: string;

beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), "setpoint-files-"));
  folder = join(outside, "workspace");
  await mkdir(join(folder, "m/deep"), { recursive: true });
  await mkdir(join(folder, "node_modules/m"), { recursive: true });
  await writeFile(join(outside, "secret.yaml"), "kind: Account\nspec: { name: outside }\n");
  for (const path of ["m/b.yaml", "m/a.yaml", "m/deep/c.yaml", "m/d.txt", "node_modules/m/e.yaml"])
    await writeFile(join(folder, path), path);
});

afterEach(() => rm(outside, { recursive: true }));

test("lists the files that globs match, in order and without installed packages", async () => {
  expect(await diskFiles(folder).list(["**/*.yaml"])).toEqual(["m/a.yaml", "m/b.yaml", "m/deep/c.yaml"]);
  expect(await diskFiles(folder).list(["m/*.yaml", "m/*.txt"])).toEqual(["m/a.yaml", "m/b.yaml", "m/d.txt"]);
});

test("reads a file and its size", async () => {
  expect(Buffer.from(await diskFiles(folder).read("m/deep/../a.yaml")).toString()).toBe("m/a.yaml");
  expect(await diskFiles(folder).size("m/a.yaml")).toBe(8);
});

test("returns the checksum of a file and the path at which the process finds it", async () => {
  const { path, sha256 } = (await diskFiles(folder).digest("m/a.yaml")) ?? {};
  expect(await readFile(path ?? "", "utf8")).toBe("m/a.yaml");
  expect(sha256).toBe(createHash("sha256").update("m/a.yaml").digest("hex"));
});

test("checks a file without its checksum", async () => {
  await writeFile(join(folder, "m/large.bin"), "x".repeat(2000));
  using digests = vi.spyOn(Hash.prototype, "digest");
  for (const path of ["m/a.yaml", "m/large.bin"]) await diskFiles(folder).check(path);
  expect(digests).not.toHaveBeenCalled();
  for (const path of ["m/none", "m/deep"]) {
    const reason = await diskFiles(folder).digest(path).catch(String);
    expect(await diskFiles(folder).check(path).catch(String)).toBe(reason);
  }
});

test("never leaves the folder, by name or by link", async () => {
  await symlink(join(outside, "secret.yaml"), join(folder, "m/link.yaml"));
  await symlink(outside, join(folder, "m/out"));
  const files = diskFiles(folder);
  expect(await files.list(["../*.yaml"])).toEqual([]);
  for (const path of ["m/link.yaml", "m/out/secret.yaml", "../secret.yaml", "m/../../secret.yaml"]) {
    await expect(files.read(path)).rejects.toThrow(/through a link|outside/);
    await expect(files.size(path)).rejects.toThrow(/through a link|outside/);
    await expect(files.digest(path)).rejects.toThrow(/through a link|outside/);
    await expect(files.check(path)).rejects.toThrow(/through a link|outside/);
  }
});

test("a listed file is not read through a link that has replaced it", async () => {
  const files = diskFiles(folder);
  expect(await files.list(["**/*.yaml"])).toEqual(["m/a.yaml", "m/b.yaml", "m/deep/c.yaml"]);
  expect(Buffer.from(await files.read("m/deep/c.yaml")).toString()).toBe("m/deep/c.yaml");
  await rm(join(folder, "m/a.yaml"));
  await symlink(join(outside, "secret.yaml"), join(folder, "m/a.yaml"));
  await rm(join(folder, "m/deep"), { recursive: true });
  await mkdir(join(outside, "deep"));
  await writeFile(join(outside, "deep/c.yaml"), "outside");
  await symlink(join(outside, "deep"), join(folder, "m/deep"));
  for (const path of ["m/a.yaml", "m/deep/c.yaml"]) {
    await expect(files.read(path)).rejects.toThrow("through a link");
    await expect(files.size(path)).rejects.toThrow("through a link");
    await expect(files.digest(path)).rejects.toThrow("through a link");
    await expect(files.check(path)).rejects.toThrow("through a link");
  }
});

test("a folder of manifests that is a link is refused instead of looking empty", async () => {
  await symlink("deep", join(folder, "m/again"));
  await symlink("d.txt", join(folder, "m/text"));
  await symlink("nowhere", join(folder, "m/lost"));
  const files = diskFiles(folder);
  await expect(files.list(["m/**/*.yaml"])).rejects.toThrow(
    "m/again is a link to a folder, and links are not followed",
  );
  await expect(files.list(["m/again/*.yaml"])).rejects.toThrow("m/again is a link");
  expect(await files.list(["m/*.yaml", "m/deep/**/*.yaml"])).toEqual(["m/a.yaml", "m/b.yaml", "m/deep/c.yaml"]);
});

test("a manifest with the other ending of .yaml and .yml is an error instead of being skipped", async () => {
  await writeFile(join(folder, "setpoint.yaml"), workspaceText.replace('["m/*.yaml"]', '["m/*.yaml", "m/deep/*.yml"]'));
  await writeFile(join(folder, "m/a.yaml"), "kind: Account\nspec: { name: a }\n");
  await writeFile(join(folder, "m/deep/c.yaml"), "kind: Account\nspec: { name: c }\n");
  await writeFile(join(folder, "m/deep/d.yml"), "kind: Account\nspec: { name: d }\n");
  await writeFile(join(folder, "m/new.yml"), "# New\nkind: 'Account'\nspec: { name: b }\n");
  await writeFile(join(folder, "m/other.yml"), "kind: Deployment\n");
  await rm(join(folder, "m/b.yaml"));
  const options = {
    source: diskFiles(folder),
    kinds,
    types: allServices,
    workspaceFile: "setpoint.yaml",
    variables: {},
  };
  expect((await load(options)).problems).toMatchObject([
    {
      code: "SP1013",
      message: 'No glob finds "m/new.yml", which declares Account.',
      hint: "Rename it, or add the glob m/*.yml.",
    },
    { code: "SP1013", message: 'No glob finds "m/deep/c.yaml", which declares Account.' },
  ]);
  expect((await load({ ...options, policies: false })).problems).toEqual([]);
});

test("a manifest that is a link is an error instead of being skipped", async () => {
  await writeFile(join(folder, "setpoint.yaml"), workspaceText);
  await writeFile(join(folder, "m/a.yaml"), "kind: Account\nspec: { name: a }\n");
  await writeFile(join(folder, "m/b.yaml"), "kind: Nonesuch\nspec: {}\n");
  await symlink("a.yaml", join(folder, "m/link.yaml"));
  const source = diskFiles(folder);
  const { problems } = await load({ source, kinds, types: allServices, workspaceFile: "setpoint.yaml", variables: {} });
  expect(problems).toMatchObject([
    { code: "SP1008", place: { file: "m/b.yaml" } },
    { message: "The file cannot be read: it is reached through a link.", place: { file: "m/link.yaml" } },
  ]);
});

test("a workspace file that is a link, as a mounted ConfigMap has it, is refused with what to name instead", async () => {
  await writeFile(join(folder, "real.yaml"), workspaceText);
  await symlink("real.yaml", join(folder, "setpoint.yaml"));
  const source = diskFiles(folder);
  const { problems } = await load({ source, kinds, types: allServices, workspaceFile: "setpoint.yaml", variables: {} });
  expect(problems).toMatchObject([{ code: "SP1013", hint: expect.stringContaining("(not a link to it)") }]);
});

test("watched files count as changed, and watching goes on, if they can no longer be listed", async () => {
  const files = diskFiles(folder);
  const watched = watchedFiles(files);
  await watched.list(["m/*.yaml"]);
  const unlistable = { ...files, list: () => Promise.reject(new Error("m/ cannot be read")) };
  expect(await watched.differing(files)).toEqual([]);
  expect(await watched.differing(unlistable)).toEqual(["m/a.yaml", "m/b.yaml"]);
});

test("a watched file that was missing counts as changed once it is there", async () => {
  const files = diskFiles(folder);
  const watched = watchedFiles(files);
  await expect(watched.size("m/new.md")).rejects.toThrow();
  expect(await watched.differing(files)).toEqual([]);
  await writeFile(join(folder, "m/new.md"), "new");
  expect(await watched.differing(files)).toEqual(["m/new.md"]);
});

test("watched files that are only checked count as changed if they appear, disappear or become links", async () => {
  const files = diskFiles(folder);
  const watched = watchedFiles(files);
  for (const path of ["m/a.yaml", "m/b.yaml", "m/d.txt"]) await watched.check(path);
  await expect(watched.check("m/new.jar")).rejects.toThrow();
  expect(await watched.differing(files)).toEqual([]);
  await writeFile(join(folder, "m/new.jar"), "new");
  await writeFile(join(folder, "m/d.txt"), "other content");
  for (const path of ["m/a.yaml", "m/b.yaml"]) await rm(join(folder, path));
  await symlink("d.txt", join(folder, "m/b.yaml"));
  expect(await watched.differing(files)).toEqual(["m/a.yaml", "m/b.yaml", "m/new.jar"]);
});

test("a folder is not a file", async () => {
  await expect(diskFiles(folder).read("m/deep")).rejects.toThrow("it is not a file");
});

test("a workspace loads from disk", async () => {
  await writeFile(join(folder, "setpoint.yaml"), workspaceText);
  await writeFile(join(folder, "m/a.yaml"), "kind: Account\nspec: { name: a }\n");
  await writeFile(join(folder, "m/b.yaml"), "");
  const loaded = await load({
    source: diskFiles(folder),
    kinds,
    types: allServices,
    workspaceFile: "setpoint.yaml",
    variables: {},
  });
  expect(loaded.problems).toEqual([]);
  expect(loaded.resources.map(({ address }) => address)).toEqual(["wiki/Account/a"]);
});

test("a folder that does not exist is a missing workspace", async () => {
  const source = diskFiles(join(folder, "none"));
  const { problems } = await load({ source, kinds, types: allServices, workspaceFile: "setpoint.yaml", variables: {} });
  expect(problems.map(({ code }) => code)).toEqual(["SP1013"]);
  expect(JSON.stringify(problems)).not.toContain(outside);
});
