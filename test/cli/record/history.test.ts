import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorkspace } from "../../../src/setpoint.ts";
import { openDesk, temporaryFolder } from "../../support/commands.ts";
import { commitAll, gitIn } from "../../support/git.ts";
import { applied, head, locks, planOf, problemsOf, refOf } from "./applied.ts";

test("a clone without the trees of older commits still reports the age of its base", async () => {
  await using desk = await openDesk(locks);
  for (const message of ["One", "Two"]) {
    await desk.write("notes.txt", message);
    commitAll(desk.path, message);
  }
  gitIn(desk.path, "config", "uploadpack.allowFilter", "true");
  await using folder = await temporaryFolder();
  const clone = join(folder.path, "clone");
  gitIn(folder.path, "clone", "--quiet", "--filter=tree:0", `file://${desk.path}`, clone);
  const planned = await openWorkspace({ path: clone, env: desk.env }).plan({ base: "HEAD" });
  expect(planned).toMatchObject({ is: "planned", plan: { basis: { relation: "before", commits: 0 } } });
});

test('"applied" is a word of setpoint\'s own: no branch or tag counts, and a clone without the ref says what to fetch', async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "One");
  gitIn(desk.path, "branch", "applied");
  gitIn(desk.path, "tag", "applied");
  expect(await problemsOf(desk, { base: "applied" })).toMatchObject([
    {
      code: "SP5002",
      message: "The clone has no refs/setpoint/applied.",
      hint: expect.stringContaining("git fetch origin refs/setpoint/applied:refs/setpoint/applied."),
    },
  ]);
});

test("a shallow clone says which fetch it needs", async () => {
  await using desk = await openDesk(locks);
  for (const message of ["One", "Two", "Three"]) commitAll(desk.path, message);
  gitIn(desk.path, "update-ref", applied, "HEAD~2");
  await using folder = await temporaryFolder();
  const clone = join(folder.path, "clone");
  gitIn(folder.path, "clone", "--quiet", "--depth", "1", `file://${desk.path}`, clone);
  const { env } = desk;
  const hintOf = async (base: string) => {
    const planned = await openWorkspace({ path: clone, env }).plan({ base });
    return planned.is === "wrong" ? planned.problems.map(({ hint }) => hint) : [];
  };
  const history = ["Fetch the history: git fetch --unshallow origin."];
  expect(await hintOf("HEAD~1")).toEqual(history);
  expect(await hintOf(gitIn(desk.path, "rev-parse", "HEAD~1").trim())).toEqual(history);
  expect(await hintOf("origin/other")).toEqual(["Fetch it: git fetch origin other:refs/remotes/origin/other."]);
  expect(await hintOf("applied")).toEqual([expect.stringContaining(`git fetch origin ${applied}:${applied}`)]);

  gitIn(clone, "fetch", "--quiet", "--depth", "1", "origin", `${applied}:${applied}`);
  const basis = async () => {
    const planned = await openWorkspace({ path: clone, env }).plan({ base: "applied" });
    return planned.is === "planned" ? planned.plan.basis : undefined;
  };
  expect(await basis()).toMatchObject({ relation: "unknown", commits: 0 });
  gitIn(clone, "fetch", "--quiet", "--unshallow", "origin");
  expect(await basis()).toMatchObject({ relation: "before", commits: 2, subjects: ["Three", "Two"] });
});

test("a ref that names an annotated tag is the base, and is moved on to a commit", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "One");
  gitIn(desk.path, "tag", "--annotate", "--message", "Applied", "one");
  gitIn(desk.path, "update-ref", applied, gitIn(desk.path, "rev-parse", "one").trim());
  expect((await planOf(desk, { base: "applied", record: applied })).plan.basis?.commit).toBe(head(desk));
  commitAll(desk.path, "Two");
  const { code, out } = await desk.run(["apply", "--base", "applied", "--record", "--yes"]);
  expect([code, refOf(desk)], out).toEqual([0, head(desk)]);
});

test("a shallow clone lists no commits since the base if a branch that was merged since may have begun before it", async () => {
  await using desk = await openDesk(locks);
  const git = (...args: readonly string[]) => gitIn(desk.path, ...args);
  commitAll(desk.path, "One");
  for (const round of ["Early", "Late"]) {
    git("checkout", "--quiet", "-B", "side");
    git("commit", "--quiet", "--allow-empty", "--message", `${round} on the side`);
    git("checkout", "--quiet", "main");
    git("commit", "--quiet", "--allow-empty", "--message", round);
    git("merge", "--quiet", "--no-edit", "side");
    if (round === "Early") {
      git("update-ref", applied, "HEAD");
      git("checkout", "--quiet", "side");
    }
  }
  await using folder = await temporaryFolder();
  const clone = join(folder.path, "clone");
  gitIn(folder.path, "clone", "--quiet", "--depth", "3", `file://${desk.path}`, clone);
  gitIn(clone, "fetch", "--quiet", "origin", `${applied}:${applied}`);
  const basis = async () => {
    const planned = await openWorkspace({ path: clone, env: desk.env }).plan({ base: "applied" });
    return planned.is === "planned" ? planned.plan.basis : undefined;
  };
  expect(await basis()).toMatchObject({ relation: "unknown", commits: 0 });
  gitIn(clone, "fetch", "--quiet", "--unshallow", "origin");
  const subjects = ["Merge branch 'side'", "Late", "Late on the side"];
  expect(await basis()).toMatchObject({ relation: "before", commits: 3, subjects: expect.arrayContaining(subjects) });
});

test("a base that is not an ancestor of the manifests' commit is reported as apart", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "One");
  commitAll(desk.path, "Two");
  gitIn(desk.path, "update-ref", applied, "HEAD");
  gitIn(desk.path, "reset", "--quiet", "--hard", "HEAD~1");
  expect((await planOf(desk, { base: "applied" })).plan.basis).toMatchObject({ relation: "apart", commits: 0 });
});

test("signatures of commits are not checked, which would run a program that the repository's configuration names", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "One");
  gitIn(desk.path, "update-ref", applied, "HEAD");
  await using folder = await temporaryFolder();
  await folder.write("gpg", `#!/bin/sh\necho checked; touch '${folder.path}/ran'\n`);
  await chmod(join(folder.path, "gpg"), 0o755);
  gitIn(desk.path, "config", "gpg.program", join(folder.path, "gpg"));
  gitIn(desk.path, "config", "log.showSignature", "true");
  const who = "a <a@example.com> 1700000000 +0000";
  const header = `tree ${gitIn(desk.path, "rev-parse", "HEAD^{tree}")}parent ${head(desk)}\nauthor ${who}\ncommitter ${who}\n`;
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n a\n -----END PGP SIGNATURE-----\n";
  await folder.write("commit", `${header}${signature}\nTwo\n`);
  const signed = gitIn(desk.path, "hash-object", "-t", "commit", "-w", join(folder.path, "commit")).trim();
  gitIn(desk.path, "update-ref", "HEAD", signed);
  expect((await planOf(desk, { base: "applied" })).plan.basis).toMatchObject({ commits: 1, subjects: ["Two"] });
  expect((await planOf(desk, { base: "HEAD" })).plan.basis).toMatchObject({ at: "2023-11-14T22:13:20.000Z" });
  expect(await readdir(folder.path)).not.toContain("ran");
});
