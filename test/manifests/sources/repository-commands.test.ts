import { appendFile, chmod, chown, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRepository } from "../../../src/manifests/sources/repository.ts";
import { gitIn } from "../../support/git.ts";
import { configuration } from "../../support/hostile-repository.ts";
import { build, fileAt } from "./repository.ts";

test("a bare repository committed by a pull request is not used, and none of its commands runs", async () => {
  await using hostile = await build();
  expect(await fileAt(hostile, "origin/main")).toBe("name: honest\n");
  expect(await hostile.ran()).toEqual([]);
  // The attack is real: git itself would find that repository and run the command of its remote.
  expect(() => hostile.git("-C", "tools", "rev-parse", "--verify", "origin/main^{commit}")).toThrow();
  expect(await hostile.ran()).toEqual(["uploadpack"]);
});

test("no command or attribute from the clone's own configuration is used", async () => {
  await using hostile = await build();
  await writeFile(join(hostile.path, ".git/config"), configuration(hostile.canary));
  await writeFile(join(hostile.path, ".git/hooks/reference-transaction"), `#!/bin/sh\n${hostile.canary("hook")}\n`);
  await chmod(join(hostile.path, ".git/hooks/reference-transaction"), 0o755);
  // The requested object does not exist, and the work tree differs from the index.
  await hostile.write("tools/m/a.yaml", "name: changed\n");
  const repository = await openRepository(hostile.tools, "setpoint.yaml");
  await expect(repository.run(["cat-file", "-p", "1234567890123456789012345678901234567890"])).rejects.toThrow();
  for (const args of [["diff-index", "-p", "HEAD"], ["status"], ["add", "."], ["checkout", "HEAD", "--", "tools"]])
    await expect(repository.run(args), args.join(" ")).rejects.toThrow("must be run in a work tree");
  await repository.run(["diff-tree", "-p", "HEAD~1", "HEAD"]);
  await expect(repository.run(["diff", "HEAD~1", "HEAD"])).rejects.toThrow("external diff died");
  await repository.run(["update-ref", "refs/setpoint/try", await repository.commitOf("HEAD")]);
  await expect(repository.run(["fetch", "origin", "refs/heads/main"])).rejects.toThrow();
  expect(await hostile.ran()).toEqual([]);
});

test("a push and a fetch of given refspecs reach a remote, and run no hook and no command of the embedded repository", async () => {
  await using hostile = await build();
  const remote = `${hostile.path}-remote.git`;
  hostile.git("init", "--quiet", "--bare", remote);
  await writeFile(join(hostile.path, ".git/hooks/pre-push"), `#!/bin/sh\n${hostile.canary("hook")}\n`);
  await writeFile(join(hostile.path, ".git/hooks/reference-transaction"), `#!/bin/sh\n${hostile.canary("hook")}\n`);
  for (const hook of ["pre-push", "reference-transaction"]) await chmod(join(hostile.path, ".git/hooks", hook), 0o755);
  // The user's own configuration does not count.
  await hostile.write("home/.gitconfig", "[broken");
  const env = { ...process.env, HOME: join(hostile.path, "home") };
  const repository = await openRepository(hostile.tools, "setpoint.yaml", env);
  const ref = "refs/setpoint/try";
  const head = await repository.commitOf("HEAD");
  await repository.run(["push", "--quiet", remote, `HEAD:${ref}`], { remote: true });
  expect(hostile.git("--git-dir", remote, "rev-parse", ref).trim()).toBe(head);
  await repository.run(["fetch", "--quiet", remote, `${ref}:refs/setpoint/fetched`], { remote: true });
  expect(await repository.commitOf("refs/setpoint/fetched")).toBe(head);
  // Without asking for a remote there is none, and only the address of a remote counts.
  await expect(repository.run(["fetch", "--quiet", remote, ref])).rejects.toThrow();
  await expect(
    repository.run(["fetch", "--quiet", `ext::${hostile.canary("ssh")}`], { remote: true }),
  ).rejects.toThrow();
  expect(await hostile.ran()).toEqual([]);
});

test("a work tree that the configuration names is not watched, and a push and a fetch start nothing else", async () => {
  await using hostile = await build();
  const remote = `${hostile.path}-remote.git`;
  hostile.git("init", "--quiet", "--bare", remote);
  hostile.git("init", "--quiet", "sub");
  const inSub = (...args: readonly string[]) => gitIn(join(hostile.path, "sub"), ...args);
  inSub("commit", "--quiet", "--allow-empty", "--message", "One");
  inSub("config", "remote.origin.url", ".");
  inSub("config", "remote.origin.uploadpack", hostile.canary("uploadpack"));
  await hostile.write(".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n');
  hostile.git("add", ".gitmodules", "sub");
  hostile.git("commit", "--quiet", "--message", "With a submodule");
  hostile.git("update-index", "--fsmonitor", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
  hostile.git("commit", "--quiet", "--message", "With a commit that the submodule lacks");
  hostile.git("push", "--quiet", remote, "HEAD:refs/setpoint/lacks");
  hostile.git("reset", "--quiet", "--soft", "HEAD~1");
  const directory = `${hostile.path}-git`;
  await rename(join(hostile.path, ".git"), directory);
  await hostile.write(".git", `gitdir: ${directory}\n`);
  const written = `[core]
    worktree = ${hostile.path}
    fsmonitor = ${hostile.canary("fsmonitor")}
  [push]
    recurseSubmodules = on-demand
  [maintenance]
    auto = true
  [maintenance "loose-objects"]
    enabled = true
    auto = -1
  `;
  await appendFile(join(directory, "config"), written);
  const repository = await openRepository(hostile.tools, "setpoint.yaml");
  await repository.run(["fetch", "--quiet", remote, "refs/setpoint/lacks"], { remote: true });
  await repository.run(["push", "--quiet", remote, "HEAD:refs/setpoint/try"], { remote: true });
  expect(await hostile.ran()).toEqual([]);
  expect((await readdir(join(directory, "objects/pack"))).filter((name) => name.startsWith("loose-"))).toEqual([]);
});

test.runIf(process.getuid?.() === 0)(
  "a repository above the folder that belongs to someone else is refused",
  async () => {
    await using hostile = await build();
    const own = join(hostile.path, ".git");
    const other = 12_345;
    await chown(own, other, other);
    await expect(openRepository(hostile.tools, "setpoint.yaml")).rejects.toThrow(
      "belongs neither to this account nor to the owner",
    );
    await chown(hostile.tools, other, other);
    await chown(own, other, other);
    expect((await openRepository(hostile.tools, "setpoint.yaml").catch(String)).toString()).not.toContain(
      "belongs neither",
    );
  },
);

test("a git program inside the work tree is not run", async () => {
  await using hostile = await build();
  await hostile.write("node_modules/.bin/git", `#!/bin/sh\n${hostile.canary("exec")}\n`);
  await chmod(join(hostile.path, "node_modules/.bin/git"), 0o755);
  const path = (folder: string) => ({ PATH: `${folder}:${process.env.PATH}` });
  for (const folder of [join(hostile.path, "node_modules/.bin"), "", ".", "node_modules/.bin"])
    expect(await fileAt(hostile, "origin/main", path(folder))).toBe("name: honest\n");
  expect(await hostile.ran()).toEqual([]);
});
