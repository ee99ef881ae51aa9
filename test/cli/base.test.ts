import { chmod, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import type { Plan, PlanOptions } from "../../src/setpoint.ts";
import { type Desk, lock, openDesk, temporaryFolder, workflows, workspaceText } from "../support/commands.ts";
import { commitAll, gitIn } from "../support/git.ts";

const locks = lock("platform/core", "release-2.2") + lock("platform/core", "release-2.3");

test("the base distinguishes pending from drift and conflict, and prunes what has left the manifests since", async () => {
  const others = workflows("website", true) + workflows("handbook", true);
  await using desk = await openDesk(locks + others + allowed("all"));
  commitAll(desk.path, "Applied");
  await apply(desk);

  desk.sandbox.change(({ hosting }) => {
    for (const { name, actions } of hosting.repositories) {
      if (name === "handbook") actions.enabled = false;
      if (name === "telemetry") actions.allowed_actions = "selected";
    }
  });
  const changed = others.replace("enabled: true", "enabled: false");
  await desk.write("manifests/all.yaml", lock("platform/core", "release-2.3") + changed + allowed("local_only"));
  const { code, out } = await desk.run(["plan", "--base", "HEAD"]);
  expect(out).toMatchInlineSnapshot(`
    "Review first:
      widens access
        hosting/ActionsPermission/meridian-kites/handbook
        review/BranchLock/platform/core:release-2.2

    review   http://sandbox.example/review                                                        1 read
      - BranchLock platform/core:release-2.2                                      pending, widens access
          project        platform/core
          branch         release-2.2
          permissions    create, delete, push, pushMerge, submit
          reviewUploads  true
          groups         global:Registered-Users
          exclusive      true
          force          false

    hosting  http://sandbox.example/hosting                                                      3 reads
      ! ActionsPermission meridian-kites/telemetry                              conflict, narrows access
          allowedActions  selected → local_only
          manifests/all.yaml:11
      ~ ActionsPermission meridian-kites/handbook
          drift, widens access, enabling allows all actions: state allowedActions to limit them
          enabled  false → true
          manifests/all.yaml:8
      ~ ActionsPermission meridian-kites/website                                 pending, narrows access
          enabled  true → false
          manifests/all.yaml:5

    1 in sync   2 pending   1 drift   1 conflict   0 unknown
    Apply would make 4 calls: 3 × hosting.setActionsPermissions, 1 × review.modifyProjectAccess.
    After about 6 requests to hosting: 4,994 of 5,000 requests left until 2100-01-01 00:00 UTC.
    "
  `);
  expect(code).toBe(0);
});

test("without a base nothing is ever pruned", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "Applied");
  await apply(desk);
  await desk.write("manifests/all.yaml", lock("platform/core", "release-2.3"));
  expect((await planOf(desk)).changes).toEqual([]);
  expect((await planOf(desk, "HEAD")).changes).toMatchObject([{ action: "delete" }]);
});

test("deleting the last manifest plans deletes, subject to the guards", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "Applied");
  await apply(desk);
  await rm(join(desk.path, "manifests/all.yaml"));
  const refused = await desk.open().plan({ base: "HEAD", noDeletes: true });
  if (refused.is === "wrong") throw new ProblemError(...refused.problems);
  expect(refused.plan.changes.map(({ action }) => action)).toEqual(["delete", "delete"]);
  expect(refused.plan.refusals).toMatchObject([{ code: "SP2002" }]);
  await expect(desk.open().apply(refused)).rejects.toThrow("SP2002");
  // Without a base nobody knows which manifests existed, so a glob that matches nothing is treated as misspelt.
  expect(await desk.open().plan()).toMatchObject({ is: "wrong", problems: [{ code: "SP1013" }] });
  await desk.write("setpoint.yaml", `${workspaceText(desk.sandbox.url)}manifests: ["manifest/*.yaml"]\n`);
  expect(await desk.open().plan({ base: "HEAD" })).toMatchObject({ is: "wrong", problems: [{ code: "SP1013" }] });
});

test("reading the base neither reads nor touches the work tree", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "Applied");
  await apply(desk);
  await rm(join(desk.path, "manifests/all.yaml"));
  await desk.write("manifests/new.yaml", "# nothing\n");
  const before = gitIn(desk.path, "status", "--porcelain", "--untracked-files=all");
  const index = await readFile(join(desk.path, ".git/index"));
  expect((await planOf(desk, "HEAD")).changes).toHaveLength(2);
  expect(await readFile(join(desk.path, ".git/index"))).toEqual(index);
  expect(gitIn(desk.path, "status", "--porcelain", "--untracked-files=all")).toBe(before);
});

test("a new manifest cannot read a file to which the base delivers a secret", async () => {
  const token = (file: string) => `kind: PersonalToken\nspec: { description: ci, deliver: { file: ${file} } }\n`;
  const page = 'kind: WikiPage\nspec: { id: "48213", title: A, body: { file: ../secrets/token } }\n';
  await using desk = await openDesk(token("secrets/token"));
  commitAll(desk.path, "Applied");
  await desk.write("secrets/token", "canary\n");
  await desk.write("manifests/all.yaml", page);
  const planned = await desk.open().plan({ base: "HEAD" });
  expect(planned).toMatchObject({ is: "wrong", problems: [{ code: "SP1017" }] });
  expect(JSON.stringify(planned)).toContain("a secret is delivered to it");
  expect(desk.sandbox.requests()).toEqual([]);
});

test("a ref that git does not know is an error", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "Applied");
  expect(await desk.run(["plan", "--base", "origin/main"])).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "",
      "out": "SP5002  "origin/main" is not a git ref.
      Hint: Name a commit, a branch or a tag that was fetched.
    No plan was made.
    ",
    }
  `);
  expect(desk.sandbox.requests()).toEqual([]);
});

test("an error of the base, which nobody can correct there, is shown once the manifests have none, with a way on", async () => {
  await using desk = await openDesk(locks.replace("branch", "squid"));
  commitAll(desk.path, "Broken");
  expect((await desk.run(["plan", "--base", "HEAD"])).out).not.toContain("At HEAD");

  await desk.write("manifests/all.yaml", locks);
  const { code, out } = await desk.run(["plan", "--base", "HEAD"]);
  expect(code).toBe(1);
  expect(out.replaceAll(/\n +/g, " ")).toContain('At HEAD: BranchLock has no field "squid".');
  expect(out).not.toContain("Its fields");
  expect(out).toContain("Hint: Leave out --base, and nothing is deleted; or name a base without this error.");
});

test("a plan starts git only for a base, and then asks each question once", async () => {
  await using desk = await openDesk(locks);
  commitAll(desk.path, "Applied");
  await using bin = await temporaryFolder();
  // Settings are words with a dot or a hyphen in front; the first other word is the command.
  const noted = `for word; do case $word in -*|*.*) ;; *) echo "$word" >>'${bin.path}/asked'; break ;; esac; done`;
  await bin.write("git", `#!/bin/sh\n${noted}\nPATH='${process.env.PATH}' exec git "$@"\n`);
  await chmod(join(bin.path, "git"), 0o755);
  const asked = async (args: readonly string[]) => {
    await bin.write("asked", "");
    expect(await desk.run(["plan", ...args], { PATH: `${bin.path}:${process.env.PATH}` })).toMatchObject({ code: 0 });
    return (await readFile(join(bin.path, "asked"), "utf8")).split("\n").filter(Boolean);
  };
  expect(await asked([])).toEqual([]);
  const [repository, ref, files] = [["ls-files"], ["for-each-ref"], ["ls-tree", "cat-file", "cat-file"]];
  const basis = ["rev-list", "merge-base", "rev-parse", "rev-list"];
  expect(await asked(["--base", "main"])).toEqual([...repository, ...ref, ...files, ...basis]);
  expect(await asked(["--base", "main", "--affected"])).toEqual([...repository, ...ref, ...files, ...basis]);
  const head = ["show-ref"];
  expect(await asked(["--base", "main", "--out", "plan.json"])).toEqual([
    ...repository,
    ...ref,
    ...files,
    ...basis,
    ...head,
  ]);
});

/** A manifest that states which actions the workflows of one repository may use. */
function allowed(actions: string): string {
  return `---\nkind: ActionsPermission\nspec: { org: meridian-kites, repo: telemetry, enabled: true, allowedActions: ${actions} }\n`;
}

/** Makes a plan in this process. */
async function planOf(desk: Desk, base?: string, more: PlanOptions = {}): Promise<Plan> {
  const planned = await desk.open().plan({ base, ...more });
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  return planned.plan;
}

/** Makes a plan and applies it in this process. */
async function apply(desk: Desk): Promise<void> {
  const workspace = desk.open();
  const planned = await workspace.plan();
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  const { outcomes } = await workspace.apply(planned);
  expect(outcomes.filter(({ result }) => result !== "applied")).toEqual([]);
}
