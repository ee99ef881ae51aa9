import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRepository } from "../../../src/manifests/sources/repository.ts";
import { temporaryFolder } from "../../support/commands.ts";
import { gitIn } from "../../support/git.ts";
import type { HostileRepository } from "../../support/hostile-repository.ts";
import { workspaceText } from "../support/workspace.ts";
import { build, fileAt } from "./repository.ts";

/** Shared by the tests that change nothing. */
let shared: HostileRepository;

beforeAll(async () => {
  shared = await build();
});

afterAll(() => shared[Symbol.asyncDispose]());

test("environment variables neither select a repository nor inject a command", async () => {
  const env = {
    PATH: process.env.PATH,
    GIT_DIR: shared.tools,
    GIT_WORK_TREE: shared.tools,
    GIT_COMMON_DIR: shared.tools,
    GIT_OBJECT_DIRECTORY: join(shared.tools, "objects"),
    GIT_INDEX_FILE: "/dev/null",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: shared.canary("fsmonitor"),
    GIT_CONFIG_GLOBAL: join(shared.tools, "config"),
    GIT_EXEC_PATH: shared.canary("exec"),
    GIT_EXTERNAL_DIFF: shared.canary("diff"),
    GIT_PAGER: shared.canary("pager"),
    GIT_TRACE: join(shared.path, "trace"),
  };
  expect(await fileAt(shared, "origin/main", env)).toBe("name: honest\n");
  expect(await shared.ran()).toEqual([]);
  expect(shared.git("status", "--porcelain")).toBe("");
});

test("a repository that the account cannot use is not reported as a missing git", async () => {
  await using folder = await temporaryFolder();
  await folder.write("git", "");
  await expect(fileAt(shared, "origin/main", { PATH: folder.path })).rejects.toMatchObject({
    problems: [{ code: "SP5002", hint: expect.stringContaining(join(shared.path, ".git")) }],
  });
});

test("a git that says nothing is described by its exit code, or by the signal that killed it", async () => {
  await using folder = await temporaryFolder();
  for (const [end, said] of [
    ["exit 3", "git: it ended with 3."],
    ["kill -9 $$", "git: it ended with SIGKILL."],
  ]) {
    await folder.write("git", `#!/bin/sh\n${end}\n`);
    await chmod(join(folder.path, "git"), 0o755);
    await expect(fileAt(shared, "origin/main", { PATH: folder.path })).rejects.toMatchObject({
      problems: [{ code: "SP5002", message: said }],
    });
  }
});

test("a failure is told in the words of git alone, without its advice", async () => {
  const repository = await openRepository(shared.tools, "setpoint.yaml");
  await expect(repository.run(["rev-list", "HEAD", "nonesuch"])).rejects.toThrow(/^SP5002 git: fatal: /);
});

test("objects are seen without their replacements and grafts", async () => {
  await using hostile = await build();
  hostile.git("replace", "origin/main", "HEAD");
  await writeFile(join(hostile.path, ".git/info/grafts"), hostile.git("rev-parse", "HEAD"));
  for (const ref of ["origin/main", "HEAD~1"]) expect(await fileAt(hostile, ref)).toBe("name: honest\n");
});

test("a tag, a branch or a text of a pull request cannot take the place of the remote branch", async () => {
  await using hostile = await build();
  const honest = hostile.git("rev-parse", "origin/main").trim();
  hostile.git("tag", "origin/main", "HEAD");
  await expect(fileAt(hostile, "origin/main")).rejects.toMatchObject({
    problems: [
      {
        code: "SP5002",
        message: '"origin/main" means several commits: refs/remotes/origin/main, refs/tags/origin/main.',
        hint: "Write it in full, such as refs/remotes/origin/main.",
      },
    ],
  });
  expect(await fileAt(hostile, "refs/remotes/origin/main")).toBe("name: honest\n");
  expect(await fileAt(hostile, "refs/tags/origin/main")).toBe("name: hostile\n");
  hostile.git("tag", "--delete", "origin/main");
  hostile.git("branch", "origin/main", "HEAD");
  await expect(fileAt(hostile, "origin/main")).rejects.toThrow("means several commits");
  hostile.git("branch", "--delete", "--force", "origin/main");
  // git also looks up refs/x as refs/tags/refs/x.
  hostile.git("tag", "refs/remotes/origin/gone", "HEAD");
  await expect(fileAt(hostile, "refs/remotes/origin/gone")).rejects.toThrow("is not a git ref");
  hostile.git("branch", honest.slice(0, 10), "HEAD");
  await expect(fileAt(hostile, honest.slice(0, 10))).rejects.toThrow("means several commits");
  expect(await fileAt(hostile, honest)).toBe("name: honest\n");
  hostile.git("branch", "--delete", "--force", honest.slice(0, 10));
  expect(await fileAt(hostile, honest.slice(0, 10))).toBe("name: honest\n");
});

test("names, ids and ancestors are resolved", async () => {
  for (const ref of ["HEAD~1", "pull^", "pull~", "HEAD^1", "origin/main", "origin/pull^1~0", "refs/heads/pull~1"])
    expect(await fileAt(shared, ref), ref).toBe("name: honest\n");
  for (const ref of ["HEAD", "pull", "origin", "refs/remotes/origin/pull"])
    expect(await fileAt(shared, ref), ref).toBe("name: hostile\n");
  for (const ref of ["heads/pull", "main", "HEAD~9", "1234567", "1234567890123456789012345678901234567890"])
    await expect(fileAt(shared, ref), ref).rejects.toThrow("is not a git ref");
});

test.each([
  "--all",
  "-h",
  "",
  "@",
  "@{1}",
  "HEAD@{1}",
  "HEAD@{upstream}",
  ":/Honest",
  "HEAD^{/Honest}",
  "HEAD^{commit}",
  "HEAD:tools",
  "HEAD..pull",
  "^HEAD",
  "pu*",
  "refs/heads/[p]ull",
  "a b",
  "a\nb",
  "a\0b",
  "../HEAD",
  "/HEAD",
])("%j is not a valid way to name a commit", async (ref) => {
  const refused = { problems: [{ code: "SP5002", hint: expect.stringContaining("Name a branch, a tag, a full ref") }] };
  await expect(fileAt(shared, ref)).rejects.toMatchObject(refused);
});

test("linked work trees are repositories, and forged .git files are not", async () => {
  await using hostile = await build();
  const other = `${hostile.path}-other`;
  hostile.git("worktree", "add", "--quiet", "--detach", other, "HEAD");
  const repository = await openRepository(join(other, "tools"), "setpoint.yaml");
  expect(repository.prefix).toBe("tools/");
  expect(await repository.commitOf("origin/main")).toBe(hostile.git("rev-parse", "origin/main").trim());
  const open = () => openRepository(join(other, "tools"), "setpoint.yaml");
  await writeFile(join(other, ".git"), "gitdir: tools\n");
  await expect(open()).rejects.toThrow("a folder of the work tree: it could be part of a commit");
  await writeFile(join(other, "tools/.git"), `gitdir: ${join(hostile.path, ".git/worktrees/clone-other")}\n`);
  await expect(open()).rejects.toThrow("belongs to a work tree other than");
  await writeFile(join(other, "tools/.git"), "gitdir: /nowhere\n");
  await expect(open()).rejects.toThrow("does not exist");
  await writeFile(join(other, "tools/.git"), "nothing\n");
  await expect(open()).rejects.toThrow("does not name a git directory");
});

test("a submodule cannot be the repository of a workspace", async () => {
  const outer = await mkdtemp(join(tmpdir(), "setpoint-outer-"));
  const git = (...args: readonly string[]) => gitIn(outer, ...args);
  git("init", "--quiet");
  git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", shared.path, "inner");
  const open = openRepository(join(outer, "inner/tools"), "setpoint.yaml");
  await expect(open).rejects.toThrow("is a submodule, whose address and commit come from the outer repository");
  await rm(outer, { recursive: true });
});

test("the repository is the one that tracks the workspace file", async () => {
  const outer = await mkdtemp(join(tmpdir(), "setpoint-outer-"));
  await expect(openRepository(outer, "setpoint.yaml")).rejects.toThrow("No git repository tracks");
  await expect(openRepository(join(outer, "none"), "setpoint.yaml")).rejects.toMatchObject({
    problems: [{ code: "SP5002" }],
  });
  // The name of a folder is no pattern.
  for (const folder of ["tools/inner", "tools/inne?"]) {
    await mkdir(join(outer, folder), { recursive: true });
    await writeFile(join(outer, folder, "setpoint.yaml"), workspaceText);
  }
  const git = (...args: readonly string[]) => gitIn(outer, ...args);
  git("init", "--quiet");
  const open = () => openRepository(join(outer, "tools/inne?"), "setpoint.yaml");
  await expect(open()).rejects.toThrow("No git repository tracks");
  git("add", ".");
  git("-C", "tools", "init", "--quiet");
  expect((await open()).prefix).toBe("tools/inne?/");
  await rm(outer, { recursive: true });
});

test("a second interrupt ends git, which may wait for a file system that does not answer", async () => {
  const ending = new AbortController();
  const interrupted = { problems: [{ code: "SP5003" }] };
  const repository = await openRepository(shared.tools, "setpoint.yaml", process.env, ending.signal);
  const waiting = repository.stream(["rev-parse", "HEAD"], () => new Promise(() => {}));
  ending.abort();
  await expect(waiting).rejects.toMatchObject(interrupted);
  await expect(repository.commitOf("HEAD")).rejects.toMatchObject(interrupted);
  const opened = openRepository(shared.tools, "setpoint.yaml", process.env, ending.signal);
  await expect(opened).rejects.toMatchObject(interrupted);
});
