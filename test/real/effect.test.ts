import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { ProjectAccess } from "../../src/clients/review/access.ts";
import { type AccessAttempt, grantOf, type ProjectRules } from "../../src/reconcilers/review/shared/effect.ts";
import { describeWithGerrit } from "./support/describe.ts";
import type { Account, Gerrit } from "./support/gerrit.ts";
import { lawRuns } from "./support/law-runs.ts";
import { type Sections, said, setAccess } from "./support/real-lab.ts";

const registered = "global:Registered-Users";
const branch = "release-1.0";

/** Patterns that match the branch, uploads to it, or neither, in all forms: they overlap, and some differ only in form. */
const patterns = [
  "refs/*",
  "refs/heads/*",
  "refs/heads/release-1.0",
  "refs/for/*",
  "refs/for/refs/heads/release-1.0",
  "^refs/heads/release-1\\.0",
  "^refs/heads/release-1\\.0$",
  "^refs/heads/(release-1\\.0)$",
  "^refs/heads/release-.*",
  "^refs/heads/release-.+$",
  "^refs/heads/release-[0-9]\\.[0-9]",
  "^refs/heads/release-\\d.\\d",
  "^refs/heads/(main|release-1\\.0)",
  "^refs/heads/rel[^/]*",
  "^refs/(?:for/refs/)?heads/.+",
  "^refs/.*release.*",
];

const actions = ["ALLOW", "ALLOW", "BLOCK", "BLOCK", "DENY"];

describeWithGerrit("the effect of access rules is what a real server makes of them", (gerrit) => {
  let groups: Readonly<Record<string, string>>;
  let accounts: readonly { readonly account: Account; readonly groups: ReadonlySet<string> }[];

  beforeAll(async () => {
    groups = {
      Developers: await gerrit().createGroup("Developers"),
      "Release Managers": await gerrit().createGroup("Release Managers"),
    };
    const memberships = [[], ["Developers"], ["Developers", "Release Managers"]];
    accounts = await Promise.all(
      memberships.map(async (names, index) => ({
        account: await gerrit().createAccount(`member${index}`, names),
        groups: new Set([registered, "global:Anonymous-Users", ...names.flatMap((name) => groups[name] ?? [])]),
      })),
    );
  });

  const map = <Value>(names: readonly string[], values: fc.Arbitrary<Value>, minKeys: number, maxKeys: number) =>
    fc.dictionary(fc.constantFrom(...names), values, { minKeys, maxKeys, noNullPrototype: true });
  const rule = fc.record({ action: fc.constantFrom(...actions), force: fc.boolean() });
  const rules = map([registered, "Developers", "Release Managers"], rule, 1, 3);
  const permission = fc.record({ exclusive: fc.boolean(), rules });
  const sectionsWith = (permissions: readonly string[]) =>
    map(
      patterns,
      fc.record({ permissions: map(permissions, permission, permissions.length, permissions.length) }),
      2,
      6,
    );

  test("law: setpoint and the server agree on who may push and create, whatever sections match and are inherited", async () => {
    const [parent, project] = ["asked-parent", "asked"];
    await gerrit().createProject(parent);
    await gerrit().createProject(project, ["master", branch], parent);
    const refs = [`refs/heads/${branch}`, "refs/heads/release-2", "refs/heads/x", `refs/for/refs/heads/${branch}`];
    await fc.assert(
      fc.asyncProperty(sectionsWith(["push", "create"]), sectionsWith(["push"]), async (own, inherited) => {
        await replaceAccess(gerrit(), project, own);
        await replaceAccess(gerrit(), parent, inherited);
        const judge = await judgeOf(gerrit(), [project, parent, "All-Projects"]);
        for (const { account, groups: held } of accounts)
          for (const ref of refs)
            for (const name of ["push", "create"]) {
              const may = await mayByCheck(gerrit(), project, account, ref, name);
              const judged = judge({ ref, permission: name, force: false, groups: held });
              expect([account.username, ref, name, judged]).toEqual([account.username, ref, name, may]);
            }
      }),
      { ...lawRuns(40, 2), endOnFailure: true },
    );
  });

  test("law: setpoint predicts who can really push, force, upload, merge and submit", async () => {
    const all = sectionsWith(["push", "submit", "pushMerge"]);
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(all, all, fc.nat(2), async (own, inherited, index) => {
        const [parent, project] = [`parent-${++runs}`, `effect-${runs}`];
        await gerrit().createProject(parent);
        await gerrit().createProject(project, ["master", branch], parent);
        const asks = accounts[index] ?? accounts[0];
        if (asks === undefined) throw new Error("no account");
        const deeds = await prepare(gerrit(), project, asks.account);
        await setAccess(gerrit(), project, own);
        await setAccess(gerrit(), parent, inherited);
        const judge = await judgeOf(gerrit(), [project, parent, "All-Projects"]);

        const by = { groups: asks.groups, force: false };
        const on = `refs/heads/${branch}`;
        const mayUpload = judge({ ...by, ref: `refs/for/${on}`, permission: "push" });
        const mayPush = judge({ ...by, ref: on, permission: "push" });
        const predicts = (deed: string, predicted: boolean, really: boolean | undefined) =>
          expect({ [deed]: really ?? predicted }).toEqual({ [deed]: predicted });
        predicts("upload", mayUpload, await deeds.upload());
        // The server checks merges only on the ref for uploads.
        const mayMerge = judge({ ...by, ref: `refs/for/${on}`, permission: "pushMerge" });
        predicts("merge", mayUpload && mayMerge, await deeds.merge());
        predicts("submit", judge({ ...by, ref: on, permission: "submit" }), await deeds.submit());
        predicts("push", mayPush, await deeds.push());
        const mayForce = mayPush && judge({ ...by, ref: on, permission: "push", force: true });
        predicts("force", mayForce, await deeds.force());
      }),
      { ...lawRuns(10, 3), endOnFailure: true },
    );
  });
});

/** Replaces all sections of a project. */
async function replaceAccess(gerrit: Gerrit, project: string, add: Sections): Promise<void> {
  const path = `/a/projects/${encodeURIComponent(project)}/access`;
  const { local } = ProjectAccess.parse((await gerrit.call("GET", path)).body);
  const remove = Object.fromEntries(Object.keys(local).map((ref) => [ref, { permissions: {} }]));
  const answer = await gerrit.call("POST", path, { body: { remove, add } });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** Returns setpoint's verdict on an attempt, from the access of a project and its ancestors. */
async function judgeOf(gerrit: Gerrit, projects: readonly string[]): Promise<(attempt: AccessAttempt) => boolean> {
  const chain = await Promise.all(
    projects.map(async (project): Promise<ProjectRules> => {
      const { body } = await gerrit.call("GET", `/a/projects/${encodeURIComponent(project)}/access`);
      return { project, local: ProjectAccess.parse(body).local };
    }),
  );
  return (attempt) => {
    const grant = grantOf({ chain, isWhole: true }, attempt);
    expect(grant?.isSure ?? true).toBe(true);
    return grant !== undefined;
  };
}

async function mayByCheck(gerrit: Gerrit, project: string, { username }: Account, ref: string, permission: string) {
  const query = new URLSearchParams({ account: username, ref, perm: permission });
  const path = `/a/projects/${encodeURIComponent(project)}/check.access?${query}`;
  const { body, text } = await gerrit.call("GET", path);
  const { status } = Object(body);
  if (status !== 200 && status !== 403) throw new Error(text);
  return status === 200;
}

function newChangeId(): string {
  return `Change-Id: I${(randomUUID() + randomUUID()).replaceAll("-", "").slice(0, 40)}`;
}

/** Prepares what the account will try before the rules are written: a change with its votes, and commits to push. */
async function prepare(gerrit: Gerrit, project: string, as: Account) {
  const directory = await gerrit.clone(project, as, branch);
  const start = await gerrit.git(directory, as, "rev-parse", "HEAD");
  const changeId = await gerrit.commit(directory, as, "To submit", { "submitted.txt": project });
  expect(await said(gerrit, directory, as, `refs/for/${branch}`)).toBe("accepted");
  const change = `/a/changes/${encodeURIComponent(project)}~${branch}~${changeId}`;
  const voted = await gerrit.call("POST", `${change}/revisions/current/review`, {
    body: { labels: { "Code-Review": 2 } },
  });
  expect(voted.status).toBe(200);
  const commit = async (name: string) => {
    await gerrit.git(directory, as, "reset", "-q", "--hard", start.stdout.trim());
    await gerrit.commit(directory, as, name, { [name]: project });
  };
  /** Undefined if the server does not look at the ref. @see docs/facts.md, Review: a push over HTTP */
  async function isAccepted(ref: string, ...options: string[]): Promise<boolean | undefined> {
    const answer = await said(gerrit, directory, as, ref, ...options);
    return answer.includes("The requested URL returned error: 403") ? undefined : answer === "accepted";
  }
  return {
    async upload() {
      await commit("uploaded");
      return isAccepted(`refs/for/${branch}`);
    },
    async merge() {
      await commit("merged");
      await gerrit.git(directory, as, "branch", "-f", "side");
      await commit("with");
      await gerrit.git(directory, as, "merge", "-q", "--no-ff", "-m", `Merge\n\n${newChangeId()}`, "side");
      return isAccepted(`refs/for/${branch}`);
    },
    async submit() {
      const { status, text } = await gerrit.call("POST", `${change}/submit`, { as, body: {} });
      if (status !== 200 && status !== 403) throw new Error(text);
      return status === 200;
    },
    /** Pushes a commit on top of what was submitted. */
    async push() {
      await gerrit.git(directory, as, "fetch", "-q", "origin", branch);
      await gerrit.git(directory, as, "reset", "-q", "--hard", "FETCH_HEAD");
      await gerrit.commit(directory, as, "pushed", { pushed: project });
      return isAccepted(`refs/heads/${branch}`);
    },
    /** Pushes a commit by force in place of what was pushed. */
    async force() {
      await commit("forced");
      return isAccepted(`refs/heads/${branch}`, "--force");
    },
  };
}
