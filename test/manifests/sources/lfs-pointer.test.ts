import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { diskFiles } from "../../../src/manifests/sources/files.ts";
import { gitFiles } from "../../../src/manifests/sources/git-files.ts";
import { openRepository } from "../../../src/manifests/sources/repository.ts";
import { watchedFiles } from "../../../src/manifests/sources/watched-files.ts";
import { type Folder, temporaryFolder } from "../../support/commands.ts";
import { commitAll } from "../../support/git.ts";

const content = "what is deployed";
const sha256 = createHash("sha256").update(content).digest("hex");
/** The output of `git lfs pointer`. */
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize ${content.length}\n`;

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder();
  await folder.write("setpoint.yaml", "version: 1\n");
  await folder.write("app.jar", pointer);
  await folder.write("long.jar", pointer.padEnd(1024));
  await folder.write("other.jar", pointer.replace("/v1", "/v2"));
  commitAll(folder.path, "One");
});
afterAll(() => folder[Symbol.asyncDispose]());

test("a pointer whose content was not fetched is refused", async () => {
  const files = diskFiles(folder.path);
  const message = "it is a Git LFS pointer whose content is missing: run git lfs pull";
  await expect(files.read("app.jar")).rejects.toThrow(message);
  await expect(files.digest("app.jar")).rejects.toThrow(message);
  await expect(files.check("app.jar")).rejects.toThrow(message);
  for (const path of ["long.jar", "other.jar"]) {
    expect(await files.digest(path)).toMatchObject({ path: expect.any(String) });
    await files.check(path);
  }
});

test("a pointer in a commit stands for its content", async () => {
  await using fetched = await temporaryFolder();
  await fetched.write("app.jar", content);
  const here = watchedFiles(diskFiles(fetched.path));
  const there = await gitFiles(await openRepository(folder.path, "setpoint.yaml"), "HEAD");
  expect((await here.digest("app.jar"))?.sha256).toBe(sha256);
  expect(await there.digest("app.jar")).toEqual({ path: join(await realpath(folder.path), "app.jar"), sha256 });
  expect(await here.differing(there)).toEqual([]);
  await fetched.write("app.jar", "something else");
  expect((await here.digest("app.jar"))?.sha256).not.toBe(sha256);
  expect(await here.differing(there)).toEqual(["app.jar"]);
});
