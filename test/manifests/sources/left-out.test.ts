import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
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

test("what a sparse checkout leaves out is missing, and not deleted", async () => {
  gitIn(folder.path, "sparse-checkout", "set", "--no-cone", "/*", "!/team/m/b.yaml", "!/team/m/deep/*");
  await expect(list("m/**/*.yaml")).rejects.toThrow("a sparse checkout leaves out 2 of them, such as m/b.yaml");
  await expect(list("m/*.yaml")).rejects.toThrow("a sparse checkout leaves out m/b.yaml");
  expect(await list("m/a*.yaml")).toEqual(["m/a.yaml"]);
  // A link is no manifest, wherever it is.
  expect(await list("m/deep/l*.yaml")).toEqual([]);

  gitIn(folder.path, "sparse-checkout", "set", "--cone", "team/m");
  expect(await list("m/**/*.yaml")).toEqual(["m/a.yaml", "m/b.yaml", "m/deep/c.yaml", "m/deep/link.yaml"]);
  await expect(list("**/*.yaml")).rejects.toThrow("a sparse checkout leaves out other/d.yaml");

  // What somebody deletes is deleted.
  gitIn(folder.path, "sparse-checkout", "disable");
  rmSync(join(folder.path, "team/m/a.yaml"));
  expect(await list("**/*.yaml")).toEqual(["m/b.yaml", "m/deep/c.yaml", "m/deep/link.yaml", "other/d.yaml"]);
});
