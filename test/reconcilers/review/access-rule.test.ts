import { describe, expect, test } from "vitest";
import { openLab } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { accessOf, allow, main, managers, managersId, registered, results, rule } from "./access-rule/rules.ts";

describe("AccessRule", () => {
  test("adds a rule beside those of groups that no manifest names: one read, one write, one read to verify", async () => {
    await using lab = await openLab();
    expect(results(await lab.apply(rule()))).toEqual(["applied"]);
    expect(lab.asked()).toEqual(["getProjectAccess", "modifyProjectAccess", "getProjectAccess"]);
    expect(accessOf(lab.sandbox.state())[main]).toEqual({
      push: { exclusive: true, rules: expect.arrayContaining([allow(managersId), allow(registered)]) },
    });
    expect((await lab.plan(rule())).inSync).toEqual([`review/AccessRule/platform/core:${main}:push`]);
  });

  test("budget: rules and locks of a project are one read and one commit of its configuration", async () => {
    await using lab = await openLab();
    const rules = ["push", "submit", "read", "create"].map((permission) => rule({ permission })).join("");
    const lock = document("BranchLock", { project: "platform/core", branch: "release-2.4" });
    expect(results(await lab.apply(rules + lock))).toEqual(Array(5).fill("applied"));
    expect(lab.asked()).toEqual(["getProjectAccess", "modifyProjectAccess", "getProjectAccess"]);
    expect(lab.sandbox.state().review.projects["platform/core"]?.commits).toHaveLength(1);
  });

  test("budget: rules of several projects are read in one request, and written in one per project", async () => {
    await using lab = await openLab();
    await lab.apply(["platform/core", "platform/ui", "tools"].map((project) => rule({ project })).join(""));
    expect(lab.asked()).toEqual(["listAccess", ...Array(3).fill("modifyProjectAccess"), "listAccess"]);
  });

  test("budget: a rule in sync costs one read and no write", async () => {
    await using lab = await openLab();
    const plan = await lab.plan(rule({ rules: [{ group: managers }] }));
    expect(plan.changes).toEqual([]);
    expect(lab.asked()).toEqual(["getProjectAccess"]);
  });

  test("a rule added beside one that states only its highest vote narrows nothing", async () => {
    await using lab = await openLab();
    const votes = (...rules: readonly object[]) => rule({ permission: "label-Code-Review", rules });
    const first = { group: managers, max: 2 };
    await lab.apply(votes(first));
    const plan = await lab.plan(votes(first, { group: registered, max: 1 }));
    expect(plan.changes).toMatchObject([{ action: "update", risks: ["widens-access"] }]);
  });

  test("changes a rule by removing and adding it again, so that it exists once", async () => {
    await using lab = await openLab();
    const changed = rule({ rules: [{ group: managers, force: true }] });
    const plan = await lab.plan(changed);
    expect(plan.changes).toMatchObject([{ action: "update", risks: ["widens-access", "narrows-access"] }]);
    expect(plan.calls.map(({ args }) => args)).toEqual([
      {
        projectName: "platform/core",
        remove: { [main]: { permissions: { push: { rules: { [managersId]: {} } } } } },
        add: {
          [main]: {
            permissions: { push: { exclusive: true, rules: { [managersId]: { action: "ALLOW", force: true } } } },
          },
        },
        message: "Change rules for push on refs/heads/main",
      },
    ]);
    await lab.apply(changed);
    expect(accessOf(lab.sandbox.state())[main]?.push).toEqual({ exclusive: true, rules: [allow(managersId, true)] });
  });

  test.each([
    ["BLOCK", "ALLOW", ["widens-access"]],
    ["DENY", "ALLOW", ["widens-access"]],
    ["ALLOW", "BLOCK", ["narrows-access"]],
    ["DENY", "BLOCK", ["widens-access", "narrows-access"]],
    [undefined, "ALLOW", ["widens-access"]],
    [undefined, "DENY", ["narrows-access"]],
    [undefined, "BLOCK", ["narrows-access"]],
    ["BLOCK", undefined, ["widens-access"]],
    ["DENY", undefined, ["widens-access"]],
    ["ALLOW", undefined, ["narrows-access"]],
  ] as const)("a plan says who may do more and who less: %s becomes %s", async (before, after, risks) => {
    await using lab = await openLab();
    const spec = (action: string | undefined) =>
      action === undefined ? undefined : rule({ ref: "refs/heads/x", rules: [{ group: registered, action }] });
    await lab.apply(spec(before) ?? "");
    const plan = await lab.plan({ now: spec(after) ?? "", base: spec(before) ?? "" });
    expect(plan.changes).toMatchObject([{ risks }]);
  });

  test("removes the rules that it names and keeps the others", async () => {
    await using lab = await openLab();
    await lab.apply(rule());
    expect(results(await lab.apply(rule({}, { state: "absent" })))).toEqual(["applied"]);
    expect(accessOf(lab.sandbox.state())[main]?.push).toEqual({ exclusive: true, rules: [allow(managersId)] });
  });

  test("reports which side changed: the manifest, the service or both", async () => {
    await using lab = await openLab();
    const forced = (force: boolean) => rule({ rules: [{ group: managers, force }] });
    const verdict = async (now: string, base: string) =>
      (await lab.plan({ now, base })).changes.map((change) => change.verdict);
    expect(await verdict(forced(true), forced(false))).toEqual(["pending"]);
    expect(await verdict(forced(true), forced(true))).toEqual(["drift"]);
    const denied = rule({ rules: [{ group: managers, action: "DENY" }] });
    expect(await verdict(forced(true), denied)).toEqual(["conflict"]);
  });

  test("deletes what is removed from the manifests if there is a base, and keeps it otherwise", async () => {
    await using lab = await openLab();
    const both = rule({ rules: [{ group: registered }, { group: managers }] });
    await lab.apply(both);
    const smaller = rule({ rules: [{ group: managers }] });
    expect((await lab.plan(smaller)).changes).toEqual([]);
    await lab.apply({ now: smaller, base: both });
    expect(accessOf(lab.sandbox.state())[main]?.push?.rules).toEqual([allow(managersId)]);
    expect((await lab.plan("")).changes).toEqual([]);
    expect(results(await lab.apply({ now: "", base: smaller }))).toEqual(["applied"]);
    expect(accessOf(lab.sandbox.state())[main]?.push?.rules).toEqual([]);
  });

  test("keeps a deleted rule if a lock now claims it, and no longer checks it", async () => {
    await using lab = await openLab();
    const blocked = { ref: "refs/heads/x", rules: [{ group: registered, action: "BLOCK" }] };
    await lab.apply(rule(blocked));
    const lock = document("BranchLock", { project: "platform/core", branch: "x", permissions: ["push"] });
    const report = await lab.apply({ now: lock, base: rule(blocked) });
    expect(report.outcomes).toEqual([{ address: "review/BranchLock/platform/core:x", result: "applied" }]);
    expect((await lab.plan({ now: lock, base: rule(blocked) })).changes).toEqual([]);
    expect((await lab.plan(lock + rule(blocked, { state: "absent" }))).changes).toEqual([]);
  });

  test("reads projects with long names in more requests, each short enough for the server", async () => {
    await using lab = await openLab();
    const projects = Array.from({ length: 20 }, (_, index) => `${"ü".repeat(80)}${index}`);
    lab.sandbox.change(({ review }) => {
      for (const project of projects) review.projects[project] = { state: "ACTIVE", access: {}, commits: [] };
    });
    const plan = await lab.plan(projects.map((project) => rule({ project })).join(""));
    expect(plan.changes).toHaveLength(projects.length);
    expect(lab.asked()).toEqual(Array(4).fill("listAccess"));
  });
});

test("a lock is effective even if its permission is spelled in another case on the service", async () => {
  await using lab = await openLab();
  lab.sandbox.change(({ review }) => {
    const core = review.projects["platform/core"];
    const rules = [{ group: managersId, action: "ALLOW", force: false } as const];
    if (core !== undefined) core.access["refs/heads/x"] = { Push: { exclusive: false, rules } };
  });
  const lock = document("BranchLock", { project: "platform/core", branch: "x", permissions: ["push"] });
  expect(results(await lab.apply(lock))).toEqual(["applied"]);
  expect((await lab.plan(lock)).changes).toEqual([]);
});

test("a rule that a lock takes over is left to the lock", async () => {
  await using lab = await openLab();
  const lock = document("BranchLock", {
    project: "platform/core",
    branch: "x",
    permissions: ["push"],
    reviewUploads: false,
  });
  const rule = (...groups: readonly object[]) =>
    document("AccessRule", { project: "platform/core", ref: "refs/heads/x", permission: "push", rules: groups });
  const block = { group: "global:Registered-Users", action: "BLOCK" };
  const deny = { group: "Release Managers", action: "DENY" };
  await lab.apply(rule(block, deny));
  await lab.apply({ now: lock + rule(deny), base: rule(block, deny) });
  expect((await lab.plan({ now: lock + rule(deny), base: rule(block, deny) })).changes).toEqual([]);
  const rules = lab.sandbox.state().review.projects["platform/core"]?.access["refs/heads/x"]?.push?.rules;
  expect(rules).toMatchObject([{ action: "DENY" }, { action: "BLOCK" }]);
});
