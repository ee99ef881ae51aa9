import fs, { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname, join } from "node:path";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { diskFiles } from "../../../src/manifests/sources/files.ts";
import { type Folder, temporaryFolder } from "../../support/commands.ts";
import { commitAll, gitIn } from "../../support/git.ts";

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder();
  for (const path of ["team/m/a.yaml", "team/m/b.yaml", "team/m/deep/c.yaml", "team/other/d.yaml"])
    await folder.write(path, path);
  symlinkSync("a.yaml", join(folder.path, "team/m/deep/link.yaml"));
  commitAll(folder.path, "Manifests");
  return () => folder[Symbol.asyncDispose]();
});

const list = (glob: string) => diskFiles(join(folder.path, "team")).list([glob]);

test("files that a sparse checkout leaves out are missing, not deleted", async () => {
  gitIn(folder.path, "sparse-checkout", "set", "--no-cone", "/*", "!/team/m/b.yaml", "!/team/m/deep/*");
  await expect(list("m/**/*.yaml")).rejects.toThrow("a sparse checkout leaves out 2 of them, such as m/b.yaml");
  await expect(list("m/*.yaml")).rejects.toThrow("a sparse checkout leaves out m/b.yaml");
  expect(await list("m/a*.yaml")).toEqual(["m/a.yaml"]);
  // A link is never a manifest.
  expect(await list("m/deep/l*.yaml")).toEqual([]);

  gitIn(folder.path, "sparse-checkout", "set", "--cone", "team/m");
  expect(await list("m/**/*.yaml")).toEqual(["m/a.yaml", "m/b.yaml", "m/deep/c.yaml", "m/deep/link.yaml"]);
  await expect(list("**/*.yaml")).rejects.toThrow("a sparse checkout leaves out other/d.yaml");

  // A deleted file really is deleted.
  gitIn(folder.path, "sparse-checkout", "disable");
  rmSync(join(folder.path, "team/m/a.yaml"));
  expect(await list("**/*.yaml")).toEqual(["m/b.yaml", "m/deep/c.yaml", "m/deep/link.yaml", "other/d.yaml"]);
});

test("a submodule that is not checked out is missing, not empty", async () => {
  await using clone = await temporaryFolder();
  await clone.write("team/m/a.yaml", "");
  await clone.write(".gitmodules", '[submodule "x"]\n\tpath = team/m/sub\n\turl = https://git.example.com/x\n');
  commitAll(clone.path, "Manifests");
  mkdirSync(join(clone.path, "team/m/sub"));
  const files = diskFiles(join(clone.path, "team"));
  await expect(files.list(["m/**/*.yaml"])).rejects.toThrow("the submodule m/sub is not checked out");
  expect(await files.list(["m/*.yaml"])).toEqual(["m/a.yaml"]);
  await clone.write("team/m/sub/b.yaml", "");
  expect(await files.list(["m/**/*.yaml"])).toEqual(["m/a.yaml", "m/sub/b.yaml"]);
});

test("a submodule that a sparse checkout leaves out is missing too", async () => {
  await using clone = await temporaryFolder();
  await clone.write("m/a.yaml", "");
  await clone.write("m/sub/b.yaml", "");
  commitAll(join(clone.path, "m/sub"), "Submodule");
  commitAll(clone.path, "Manifests");
  gitIn(clone.path, "sparse-checkout", "set", "--no-cone", "/*", "!/m/sub");
  rmSync(join(clone.path, "m/sub"), { recursive: true, force: true });
  const files = diskFiles(clone.path);
  await expect(files.list(["m/**/*.yaml"])).rejects.toThrow("a sparse checkout leaves out m/sub/");
  expect(await files.list(["m/*.yaml"])).toEqual(["m/a.yaml"]);
});

test("a file replaced by another one on a case-insensitive file system is missing, not deleted", async () => {
  await using clone = await temporaryFolder();
  for (const path of ["m/a.yaml", "m/A.yaml", "m/b.yaml"]) await clone.write(path, path);
  commitAll(clone.path, "Manifests");
  rmSync(join(clone.path, "m/A.yaml"));
  renameSync(join(clone.path, "m/b.yaml"), join(clone.path, "m/B.yaml"));
  const files = diskFiles(clone.path);
  expect(await files.list(["m/*.yaml"])).toEqual(["m/B.yaml", "m/a.yaml"]);

  const ignoringCase = vi.spyOn(fs, "existsSync").mockImplementation((path) => {
    const name = basename(String(path)).toLowerCase();
    return readdirSync(dirname(String(path))).some((one) => one.toLowerCase() === name);
  });
  onTestFinished(() => {
    ignoringCase.mockRestore();
    syncBuiltinESMExports();
  });
  syncBuiltinESMExports();
  await expect(files.list(["m/*.yaml"])).rejects.toThrow("in place of m/A.yaml");
  // A file whose name differs only in case exists.
  expect(await files.list(["m/[bB].yaml"])).toEqual(["m/B.yaml"]);
});
