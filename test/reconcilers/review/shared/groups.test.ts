import { expect, test } from "vitest";
import { GroupRecord } from "../../../../src/clients/review/records.ts";
import { type ProblemCode, ProblemError } from "../../../../src/core/problem.ts";
import { lookUp } from "../../../../src/reconcilers/review/shared/groups.ts";
import { type Lab, openLab, problemsOf } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";

const managers = "Release Managers";
const managersId = "5f0e6d1c9a7b42388e4d3c2b1a09f8e7d6c5b4a3";
const core = "platform/core";
const main = "refs/heads/main";

/** Rules for pushes to a branch that already has a rule for the release managers. */
function rule(...groups: readonly (string | object)[]): string {
  const rules = groups.map((group) => (typeof group === "string" ? { group } : group));
  return document("AccessRule", { project: core, ref: main, permission: "push", rules });
}

function lock(...groups: readonly string[]): string {
  return document("BranchLock", { project: core, branch: "x", permissions: ["push"], reviewUploads: false, groups });
}

function rulesOf({ sandbox }: Lab, ref = main) {
  return sandbox.state().review.projects[core]?.access[ref]?.push?.rules;
}

test("a built-in group can be used too, and is found by its name", async () => {
  await using lab = await openLab();
  const [change] = (await lab.plan(rule("Change Ownr"))).changes;
  expect(change?.instruction).toContain('Did you mean "Change Owner"?');
  expect((await lab.plan(rule("Registered Users"))).changes).toMatchObject([{ action: "create" }]);
});

test("a missing group needs a person and comes with a suggestion; the rest of its project is applied", async () => {
  await using lab = await openLab();
  const report = await lab.apply(lock(managers) + rule("Relaese Managers"));
  expect(report.plan.changes).toMatchObject([
    {
      kind: "AccessRule",
      action: "check",
      instruction: expect.stringMatching(/no group "Relaese Managers".* Did you mean "Release Managers"\?.*renamed/),
    },
    { kind: "BranchLock", action: "create" },
  ]);
  expect(report.outcomes).toEqual([{ address: `review/BranchLock/${core}:x`, result: "applied" }]);
  const asked = ["getProjectAccess", "getGroup", "listGroups", "modifyProjectAccess", "getProjectAccess"];
  expect(lab.asked()).toEqual(asked);
  const locked = await lab.plan(lock("Nobody", managers));
  expect(locked.changes).toMatchObject([{ action: "check", instruction: expect.stringContaining('"Nobody"') }]);
});

test("budget: a group that the project's rules name, or that every server has, is not looked up; any other once for all", async () => {
  await using lab = await openLab();
  await lab.plan(rule(managers, managersId) + lock("global:Registered-Users"));
  expect(lab.asked()).toEqual(["getProjectAccess"]);
  const rules = ["platform/ui", "tools"].map((project) =>
    document("AccessRule", { project, ref: main, permission: "push", rules: [{ group: "Administrators" }] }),
  );
  await lab.plan(rules.join(""));
  expect(lab.asked()).toEqual(["listAccess", "getGroup"]);
});

test.each(["release managers", "2", managersId])(
  "%s identifies the group by its name, number or UUID",
  async (group) => {
    await using lab = await openLab();
    await lab.apply(lock(group) + rule({ group, force: true }));
    const plan = await lab.plan(lock(group) + rule({ group, force: true }));
    expect([plan.changes, plan.inSync.length]).toEqual([[], 2]);
    expect(rulesOf(lab)).toEqual([{ group: managersId, action: "ALLOW", force: true }]);
    expect(rulesOf(lab, "refs/heads/x")).toEqual([{ group: managersId, action: "BLOCK", force: false }]);
    await lab.apply({ now: "", base: lock(group) + rule({ group, force: true }) });
    expect([rulesOf(lab), rulesOf(lab, "refs/heads/x")]).toEqual([[], undefined]);
  },
);

test("a group that has another name than at the base is still the same", async () => {
  await using lab = await openLab();
  await lab.apply(lock(managersId));
  const plan = await lab.plan({ now: lock(managers) + rule(managers), base: lock(managersId) + rule(managersId) });
  expect([plan.changes, plan.inSync.length]).toEqual([[], 2]);
});

test("a renamed group is updated under its new name, not granted twice, and its old name needs a person", async () => {
  await using lab = await openLab();
  lab.sandbox.change(({ review }) => {
    for (const group of review.groups) if (group.uuid === managersId) group.name = "Release Team";
  });
  expect((await lab.plan(rule(managers))).changes).toMatchObject([{ action: "check" }]);
  const report = await lab.apply({ now: rule({ group: "Release Team", force: true }), base: rule(managers) });
  expect(report.plan.changes).toMatchObject([{ action: "update" }]);
  expect(rulesOf(lab)).toEqual([{ group: managersId, action: "ALLOW", force: true }]);
});

test("two names for one group in a manifest need a person, since a group has one rule", async () => {
  await using lab = await openLab();
  const plan = await lab.plan(rule({ group: managers, force: true }, { group: managersId, action: "DENY" }));
  expect(plan.changes).toMatchObject([
    { action: "check", instruction: `"${managers}" and "${managersId}" are the same group: name it once.` },
  ]);
});

test("two resources that name one group differently claim the same thing, which is an error", async () => {
  await using lab = await openLab();
  const block = { project: core, ref: "refs/heads/x", permission: "push", rules: [{ group: managers }] };
  expect(await problemsOf(lab.plan(document("AccessRule", block) + lock(managersId)))).toMatchObject([
    {
      code: "SP1016",
      message: expect.stringContaining(managersId),
      place: expect.anything(),
      other: expect.anything(),
    },
  ]);
});

test("what a resource no longer declares is kept if another one declares it under another name of the group", async () => {
  await using lab = await openLab();
  await lab.apply(lock(managers));
  const spec = { project: core, ref: "refs/heads/x", permission: "push" };
  const now = document("AccessRule", { ...spec, rules: [{ group: managersId, action: "BLOCK" }] });
  await lab.apply({ now, base: lock(managers) });
  expect(rulesOf(lab, "refs/heads/x")).toEqual([{ group: managersId, action: "BLOCK", force: false }]);
});

test("a group id that is not encoded correctly is an error in the answer, and does not abort the run", () => {
  expect(GroupRecord.safeParse({ id: "a+b%2Fc" })).toMatchObject({ data: { id: "a b/c" } });
  expect(GroupRecord.safeParse({ id: "100%" })).toMatchObject({ success: false });
});

test("what a service refuses to look up is left to the write; a failure says nothing about what exists", async () => {
  const failing = (code: ProblemCode) => lookUp(Promise.reject(new ProblemError({ code, message: "" })));
  expect([await failing("SP3005"), await failing("SP3007")]).toEqual(["missing", "unasked"]);
  for (const code of ["SP3003", "SP3004", "SP3009", "SP3103"] as const)
    await expect(failing(code)).rejects.toMatchObject({ problems: [{ code }] });
});
