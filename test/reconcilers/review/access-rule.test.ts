import { describe, expect, test } from "vitest";
import type { Metadata } from "../../../src/core/resource.ts";
import { accessRule } from "../../../src/reconcilers/review/access-rule.ts";
import { branchLock } from "../../../src/reconcilers/review/branch-lock.ts";
import type { World } from "../../../src/sandbox/world.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { readerOn } from "../../support/read-lists.ts";

const registered = "global:Registered-Users";
const managers = "Release Managers";
const managersId = "5f0e6d1c9a7b42388e4d3c2b1a09f8e7d6c5b4a3";
const main = "refs/heads/main";

function rule(spec: Readonly<Record<string, unknown>> = {}, metadata: Partial<Metadata> = {}): string {
  const defaults = { project: "platform/core", ref: main, permission: "push", rules: [{ group: registered }] };
  return document("AccessRule", { ...defaults, ...spec }, metadata);
}

function accessOf(world: World, project = "platform/core") {
  return world.review.projects[project]?.access ?? {};
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

/** Removes permissions on the main branch, as someone would manually on the service. */
async function setRulesByHand(lab: Lab, project: string, message: string, { remove }: { remove: readonly string[] }) {
  const permissions = Object.fromEntries(remove.map((name) => [name, { rules: {} }]));
  const answer = await fetch(`${lab.sandbox.url}/review/a/projects/${encodeURIComponent(project)}/access`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("admin:secret")}`, "content-type": "application/json" },
    body: JSON.stringify({ remove: { [main]: { permissions } }, message }),
  });
  expect(answer.status).toBe(200);
}

const allow = (group: string, force = false) => ({ group, action: "ALLOW", force }) as const;

/** Lists live rules: the keys of those that can be declared, and why others were left out. */
async function listedBy(reader: Parameters<NonNullable<typeof accessRule.list>>[0]) {
  const leftOut: string[] = [];
  const specs = await accessRule.list?.(reader, new Date(), (key, { code }) => leftOut.push(`${code} ${key}`));
  return { leftOut, keys: (specs ?? []).map(accessRule.key) };
}

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

  test("budget: finding out who changed the rules is at most 3 reads per project, and only if the service changed them", async () => {
    await using lab = await openLab();
    const manifests = rule() + rule({ permission: "submit" }) + rule({ project: "tools" });
    await lab.apply(manifests);
    await setRulesByHand(lab, "platform/core", "Just this once\n\nOnly until Friday.", { remove: ["push", "submit"] });
    lab.asked();
    expect((await lab.plan({ now: manifests, base: "" })).changes).toMatchObject([
      { verdict: "pending" },
      { verdict: "pending" },
    ]);
    expect(lab.asked()).toEqual(["listAccess"]);
    const drift = await lab.plan({ now: manifests, base: manifests });
    const told = {
      what: "configured",
      name: "project",
      by: "Ada Brandt",
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      message: "Just this once\n\nOnly until Friday.",
      commit: expect.any(String),
    };
    const events = [told, { message: expect.stringMatching(/^Add rules for/) }, { message: "Created project" }];
    const happened = { action: "delete", risks: ["narrows-access"] };
    expect(drift.changes).toMatchObject([
      { action: "create", happened, events },
      { action: "create", happened, events },
    ]);
    expect(lab.asked()).toEqual(["listAccess", "getCommit", "getCommit", "getCommit"]);
  });

  test("who removed rules is told even if a person has to add them again", async () => {
    await using lab = await openLab();
    await lab.apply(rule());
    await setRulesByHand(lab, "platform/core", "By hand", { remove: ["push"] });
    lab.sandbox.change(({ review }) => {
      review.requireChange = true;
    });
    const { changes } = await lab.plan({ now: rule(), base: rule() });
    expect(changes).toMatchObject([{ action: "check", verdict: "drift", events: [{ message: "By hand" }, {}, {}] }]);
  });

  test("a service that does not report who changed the rules hides nothing else about the change", async () => {
    await using lab = await openLab({ wire: "documented" });
    await lab.apply(rule());
    await setRulesByHand(lab, "platform/core", "By hand", { remove: ["push"] });
    const { changes, unknown } = await lab.plan({ now: rule(), base: rule() });
    expect({ changes, unknown }).toMatchObject({ changes: [{ verdict: "drift", action: "create" }], unknown: [] });
    expect(changes[0]).not.toHaveProperty("events");
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

  test("changes the last rule of a permission without changing its `exclusive` flag", async () => {
    await using lab = await openLab();
    expect(results(await lab.apply(rule({ rules: [{ group: managers, action: "DENY" }], exclusive: true })))).toEqual([
      "applied",
    ]);
    expect(accessOf(lab.sandbox.state())[main]?.push).toMatchObject({ exclusive: true, rules: [{ action: "DENY" }] });
  });

  test("removes the rules that it names and keeps the others", async () => {
    await using lab = await openLab();
    await lab.apply(rule());
    expect(results(await lab.apply(rule({}, { state: "absent" })))).toEqual(["applied"]);
    expect(accessOf(lab.sandbox.state())[main]?.push).toEqual({ exclusive: true, rules: [allow(managersId)] });
  });

  test("keeps an `exclusive` flag that it had not set after its last rule: without it, wider patterns would apply again", async () => {
    await using lab = await openLab();
    const ours = { rules: [{ group: managers }] };
    expect(results(await lab.apply(rule(ours, { state: "absent" })))).toEqual(["applied"]);
    expect(accessOf(lab.sandbox.state())[main]).toEqual({ push: { exclusive: true, rules: [] } });
    await lab.apply(rule(ours));
    expect(accessOf(lab.sandbox.state())[main]).toEqual({ push: { exclusive: true, rules: [allow(managersId)] } });
    await lab.apply({ now: "", base: rule({ ...ours, exclusive: true }) });
    expect(accessOf(lab.sandbox.state())[main]).toEqual({});
  });

  test("resets the `exclusive` flag only if it had set it", async () => {
    await using lab = await openLab();
    const ours = rule({ exclusive: true });
    const flagAfterDelete = async (made: string, declared: string) => {
      await lab.apply(made);
      await lab.apply({ now: "", base: declared });
      return accessOf(lab.sandbox.state())[main]?.push;
    };
    expect(await flagAfterDelete(ours, rule())).toEqual({ exclusive: true, rules: [allow(managersId)] });
    expect(await flagAfterDelete(ours, ours)).toEqual({ exclusive: false, rules: [allow(managersId)] });
  });

  test("an `exclusive` flag that was there before a run needs a person: a revert would leave it cleared, and wider patterns would apply again", async () => {
    for (const exclusive of [true, false]) {
      const given = exclusive ? [] : [allow(managersId)];
      await using lab = await openLab();
      lab.sandbox.change(({ review }) => {
        const { access = {} } = review.projects["platform/core"] ?? {};
        access[main] = { push: { exclusive: true, rules: given } };
      });
      expect(results(await lab.apply(rule({ exclusive })))).toEqual(["applied"]);
      const { left, plan } = await lab.revert("");
      expect([left, plan.calls]).toMatchObject([
        [{ code: "SP4007", message: expect.stringContaining("more than a manifest can declare") }],
        [],
      ]);
    }
  });

  test("a plan says that the flag changes who may do something by wider patterns, also the flag of others' rules", async () => {
    await using lab = await openLab();
    const ref = "refs/heads/x";
    const [plain, open, closed] = [undefined, false, true].map((exclusive) => rule({ ref, exclusive }));
    const risksOf = async (now = "", base = "") =>
      (await lab.plan({ now, base })).changes.flatMap(({ risks, happened }) => [risks, happened?.risks]);
    expect(await risksOf(open)).toEqual([["widens-access"], undefined]);
    expect(await risksOf(closed)).toEqual([["widens-access", "narrows-access"], undefined]);
    await lab.apply(closed ?? "");
    expect(await risksOf(open, closed)).toEqual([["widens-access"], undefined]);
    expect(await risksOf(open, open)).toEqual([["widens-access"], ["narrows-access"]]);
    expect(await risksOf("", closed)).toEqual([["widens-access", "narrows-access"], undefined]);
    expect(await risksOf("", plain)).toEqual([["narrows-access"], undefined]);
    const others = rule({ ref, exclusive: false, rules: [{ group: managers, action: "DENY" }] });
    expect(await risksOf(others)).toEqual([["widens-access", "narrows-access"], undefined]);
  });

  test("leaves a flag that a lock now manages", async () => {
    await using lab = await openLab();
    const x = { ref: "refs/heads/x", exclusive: true };
    const both = {
      ...x,
      rules: [
        { group: registered, action: "BLOCK" },
        { group: managers, action: "DENY" },
      ],
    };
    await lab.apply(rule(both));
    const lock = document("BranchLock", { project: "platform/core", branch: "x", permissions: ["push"] });
    await lab.apply({ now: lock, base: rule(both) });
    expect(accessOf(lab.sandbox.state())["refs/heads/x"]?.push).toEqual({
      exclusive: true,
      rules: [{ group: registered, action: "BLOCK", force: false }],
    });
  });

  test("manages the flag of a permission that a lock no longer manages", async () => {
    await using lab = await openLab();
    const lock = document("BranchLock", { project: "platform/core", branch: "x", permissions: ["push"] });
    await lab.apply(lock);
    lab.sandbox.change(({ review }) => {
      review.projects["platform/core"]?.access["refs/heads/x"]?.push?.rules.push({
        ...{ group: "global:Project-Owners", action: "ALLOW", force: false },
      });
    });
    const now = rule({ ref: "refs/heads/x", exclusive: true, rules: [{ group: managers }] });
    expect(results(await lab.apply({ now, base: lock }))).toEqual(["applied", "applied"]);
    expect(accessOf(lab.sandbox.state())["refs/heads/x"]?.push).toMatchObject({ exclusive: true, rules: [{}, {}] });
  });

  test("leaves `exclusive` as it is if the manifest does not set it, or ignores it", async () => {
    await using lab = await openLab();
    await lab.apply(rule());
    expect(accessOf(lab.sandbox.state())[main]?.push?.exclusive).toBe(true);
    const ignoring = rule({ exclusive: false, rules: [{ group: registered, force: true }] }, { ignore: ["exclusive"] });
    const report = await lab.apply(ignoring);
    expect(report.plan.ignored).toEqual([
      { address: `review/AccessRule/platform/core:${main}:push`, field: "exclusive" },
    ]);
    expect(accessOf(lab.sandbox.state())[main]?.push).toMatchObject({
      exclusive: true,
      rules: expect.arrayContaining([allow(managersId), allow(registered, true)]),
    });
  });

  test("a flag needs a person beside the rule of a group that the service no longer knows, which it would not add again", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ review }) => {
      const { access } = review.projects["platform/core"] ?? {};
      if (access !== undefined)
        access[main] = { push: { exclusive: false, rules: [allow("gone"), allow(registered)] } };
    });
    expect((await lab.plan(rule({ rules: [{ group: managers }] }))).changes).toMatchObject([{ action: "create" }]);
    const report = await lab.apply(rule({ exclusive: true }));
    expect([report.calls, report.plan.changes]).toMatchObject([
      [],
      [{ action: "check", instruction: expect.stringContaining('"gone", a group that it does not know') }],
    ]);
    const ours = rule({ exclusive: true });
    lab.sandbox.change(({ review }) => {
      const push = review.projects["platform/core"]?.access[main]?.push;
      if (push !== undefined) push.exclusive = true;
    });
    expect((await lab.plan({ now: "", base: ours })).changes).toMatchObject([{ action: "check" }]);
  });

  test("changes `exclusive` by replacing the permission with every rule in it", async () => {
    await using lab = await openLab();
    expect(results(await lab.apply(rule({ exclusive: false })))).toEqual(["applied"]);
    expect(accessOf(lab.sandbox.state())[main]?.push).toEqual({
      exclusive: false,
      rules: expect.arrayContaining([allow(managersId), allow(registered)]),
    });
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

  test("votes have a range, and other rules of the label keep theirs", async () => {
    await using lab = await openLab();
    const vote = { project: "All-Projects", ref: "refs/heads/*", permission: "label-Code-Review" };
    const spec = { ...vote, rules: [{ group: managers, min: -1, max: 1 }] };
    expect(results(await lab.apply(rule(spec)))).toEqual(["applied"]);
    expect(accessOf(lab.sandbox.state(), "All-Projects")["refs/heads/*"]?.["label-Code-Review"]?.rules).toEqual([
      { ...allow(registered), min: -2, max: 2 },
      { ...allow(managersId), min: -1, max: 1 },
    ]);
    const changed = { ...vote, rules: [{ group: registered, min: 0, max: 1 }] };
    expect(results(await lab.apply(rule(changed)))).toEqual(["applied"]);
    expect((await lab.plan(rule(spec))).changes).toEqual([]);
  });

  test("global capabilities are rules of the root project", async () => {
    await using lab = await openLab();
    const capability = rule({ project: "All-Projects", ref: "GLOBAL_CAPABILITIES", permission: "viewQueue" });
    expect(results(await lab.apply(capability))).toEqual(["applied"]);
    expect((await lab.plan(capability)).changes).toEqual([]);
  });

  test("a capability that is a limit has a range", async () => {
    await using lab = await openLab();
    const spec = { project: "All-Projects", ref: "GLOBAL_CAPABILITIES", permission: "queryLimit" };
    const limit = rule({ ...spec, rules: [{ group: managers, min: 0, max: 500 }] });
    expect(results(await lab.apply(limit))).toEqual(["applied"]);
    expect((await lab.plan(limit)).changes).toEqual([]);
    const { GLOBAL_CAPABILITIES: capabilities } = accessOf(lab.sandbox.state(), "All-Projects");
    expect(capabilities?.queryLimit?.rules).toEqual([{ ...allow(managersId), min: 0, max: 500 }]);
  });

  test("accepts special characters in names of projects, refs and groups, read alone and in bulk", async () => {
    await using lab = await openLab();
    const name = `team/ü & "co", 100%+\\;'<x>`;
    lab.sandbox.change(({ review }) => {
      review.groups.push({ uuid: "a1b2", name });
      for (const project of [name, `${name}2`]) review.projects[project] = { state: "ACTIVE", access: {}, commits: [] };
    });
    const spec = { project: name, ref: `refs/heads/ü&"co",100%+;'<x>`, rules: [{ group: name }] };
    expect(results(await lab.apply(rule(spec)))).toEqual(["applied"]);
    const plan = await lab.plan(rule(spec) + rule({ ...spec, project: `${name}2` }));
    expect(plan.inSync).toEqual([`review/AccessRule/${name}:${spec.ref}:push`]);
    expect(plan.changes).toMatchObject([{ action: "create" }]);
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

  test("a list names and leaves out the projects whose rules the account may not read; if it cannot, it fails", async () => {
    await using lab = await openLab();
    const read = readerOn(lab, "review");
    const getProjectAccess: typeof read.getProjectAccess = async (args) => {
      const access = await read.getProjectAccess(args);
      return args.projectName === "platform/core" ? { ...access, is_owner: false, config_visible: false } : access;
    };
    const { leftOut, keys } = await listedBy({ ...read, getProjectAccess });
    expect(leftOut).toEqual(["SP3004 platform/core:*"]);
    expect(keys).toEqual(expect.arrayContaining(["platform/ui:refs/heads/experimental/*:push"]));
    expect(keys).not.toContain("platform/core:refs/tags/*:createTag");
    const failed = accessRule.list?.({ ...read, getProjectAccess });
    expect(await problemsOf(failed ?? Promise.resolve())).toMatchObject([{ code: "SP3004" }]);
  });

  test("a list names and leaves out what setpoint does not understand, and blocks that might belong to a lock", async () => {
    await using lab = await openLab();
    const read = readerOn(lab, "review");
    const block = { rules: { [registered]: { action: "BLOCK" } } } as const;
    const plain = { rules: { [registered]: { action: "ALLOW" } } } as const;
    const odd = { unclear: { rules: "odd" } };
    const getProjectAccess: typeof read.getProjectAccess = async (args) => {
      const access = await read.getProjectAccess(args);
      const local = {
        "refs/heads/main": { permissions: { push: odd, submit: block, read: plain } },
        "refs/heads/next": { permissions: { push: plain }, unclear: { inherit: "odd" } },
        "refs/tags/*": { permissions: { push: odd, createTag: plain } },
      };
      return args.projectName === "platform/core" ? { ...access, local } : access;
    };
    const { leftOut, keys } = await listedBy({ ...read, getProjectAccess });
    expect(leftOut).toEqual(
      ["refs/heads/main:push", "refs/heads/main:submit", "refs/heads/next:*", "refs/tags/*:push"].map(
        (key) => `SP3103 platform/core:${key}`,
      ),
    );
    expect(keys).toEqual(
      expect.arrayContaining(["platform/core:refs/heads/main:read", "platform/core:refs/tags/*:createTag"]),
    );
    const locks: string[] = [];
    await branchLock.list?.({ ...read, getProjectAccess }, new Date(), (key) => locks.push(key));
    expect(locks).toEqual(["platform/core:main", "platform/core:next"]);
  });

  test("a list names and leaves out an exclusive permission without rules, by which nobody has it, unless a lock has it", async () => {
    await using lab = await openLab();
    const block = { group: registered, action: "BLOCK", force: false } as const;
    lab.sandbox.change(({ review }) => {
      const { access } = review.projects["platform/core"] ?? {};
      if (access === undefined) return;
      access["refs/heads/x"] = { push: { exclusive: true, rules: [] }, read: { exclusive: false, rules: [] } };
      access["refs/heads/y"] = { push: { exclusive: true, rules: [block] } };
    });
    const { leftOut } = await listedBy(readerOn(lab, "review"));
    expect(leftOut).toEqual(["SP1020 platform/core:refs/heads/x:push"]);
  });

  test("rules that the account may not see are unknown, not absent", async () => {
    await using lab = await openLab({ as: { username: "jdoe", secret: "jdoe-secret" } });
    const plan = await lab.plan(rule() + rule({ project: "platform/ui" }));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3004", "SP3004"]);
    expect(plan.calls).toEqual([]);
    // One message, so that a report names it once for however many projects.
    expect(new Set(plan.unknown.map(({ problem }) => problem.message)).size).toBe(1);
  });

  test("a service that rejects the credentials makes its rules unknown", async () => {
    await using lab = await openLab({ as: { username: "admin", secret: "wrong" } });
    const plan = await lab.plan(rule());
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
    expect(plan.calls).toEqual([]);
  });

  test("an account without write access gets a failed outcome that names the missing permission", async () => {
    await using lab = await openLab({ as: { username: "auditor", secret: "auditor-secret" } });
    const report = await lab.apply(rule());
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
    expect(lab.asked()).toEqual(["getProjectAccess", "modifyProjectAccess"]);
  });

  test("a rule that the service refuses blocks no lock of its project, since the joint call is sent in parts", async () => {
    await using lab = await openLab();
    const locks = Array.from({ length: 9 }, (_, n) =>
      document("BranchLock", { project: "platform/core", branch: `r${n}` }),
    );
    const report = await lab.apply(locks.join("") + rule({ permission: "psuh" }));
    expect(report.outcomes).toEqual([
      {
        address: `review/AccessRule/platform/core:${main}:psuh`,
        result: "failed",
        problem: expect.objectContaining({ code: "SP3007", message: expect.stringContaining("psuh") }),
      },
      ...locks.map((_, n) => ({ address: `review/BranchLock/platform/core:r${n}`, result: "applied" })),
    ]);
    expect(lab.asked()).toEqual(["getProjectAccess", ...Array(11).fill("modifyProjectAccess"), "getProjectAccess"]);
    expect(Object.keys(accessOf(lab.sandbox.state()))).toContain("refs/heads/r8");
  });

  test("parts keep together what two resources manage in one permission", async () => {
    await using lab = await openLab();
    const lock = { project: "platform/core", branch: "x", permissions: ["push"], reviewUploads: false };
    const both = document("BranchLock", lock) + rule({ ref: "refs/heads/x", rules: [{ group: managers }] });
    const plan = await lab.plan(both + rule({ permission: "submit" }));
    expect(plan.calls.map(({ parts = [] }) => parts.map(({ carries }) => carries.length))).toEqual([[1, 2]]);
  });

  test("under wire: documented, a group that does not exist is a failed outcome in the service's words", async () => {
    await using lab = await openLab({ wire: "documented" });
    const report = await lab.apply(rule({ rules: [{ group: "Nobody" }] }));
    expect(report.outcomes).toMatchObject([
      { result: "failed", problem: { code: "SP3007", message: expect.stringContaining("Nobody") } },
    ]);
  });

  test("ignores case in the name of a permission, and writes it as the service spells it", async () => {
    await using lab = await openLab();
    const odd = rule({ permission: "PUSH" });
    const plan = await lab.plan(odd);
    expect(plan.changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("permission push:") }]);
    const live = rule({ permission: "PUSH", rules: [{ group: managers }] });
    expect((await lab.plan(live)).changes).toEqual([]);
    const lock = document("BranchLock", { project: "platform/core", branch: "main", groups: [registered] });
    for (const other of [rule(), lock])
      expect(await problemsOf(lab.plan(odd + other))).toMatchObject([{ code: "SP1016" }]);
    expect(results(await lab.apply({ now: "", base: live }))).toEqual(["applied"]);
    expect(accessOf(lab.sandbox.state())[main]?.push?.rules).toEqual([]);
  });

  test("does not mistake names of JavaScript's object members for existing rules", async () => {
    await using lab = await openLab({ wire: "documented" });
    const odd = rule({ rules: [{ group: "constructor" }] });
    expect((await lab.plan(odd)).changes).toMatchObject([{ action: "create" }]);
    expect((await lab.plan(rule({ permission: "toString" }))).calls).toMatchObject([
      { args: { add: { [main]: { permissions: { toString: { rules: { [registered]: {} } } } } } } },
    ]);
  });

  test("a manifest has one rule per group, and a valid ref pattern", () => {
    const isFine = (spec: object) =>
      accessRule.spec.safeParse({ project: "p", ref: main, permission: "push", rules: [{ group: "g" }], ...spec })
        .success;
    expect([{}, { ref: "^refs/heads/v.+$" }, { ref: "GLOBAL_CAPABILITIES" }].map(isFine)).toEqual([true, true, true]);
    const wrong = [{ ref: "main" }, { rules: [] }, { rules: [{ group: "g" }, { group: "g", force: true }] }];
    expect(wrong.map(isFine)).toEqual([false, false, false]);
    const votes = [{ min: -1 }, { max: 2 }, { min: -2, max: -1 }, { min: 2, max: -2 }, { min: 1 }];
    const label = "label-Code-Review";
    expect(votes.map((range) => isFine({ permission: label, rules: [{ group: "g", ...range }] }))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test("the name of a permission is one that the service's configuration can hold: another one would break it", () => {
    const names = [
      "push",
      "label-Code-Review",
      "plugin-x-y",
      "removeLabel-Code Review",
      "removeLabel-a_b",
      "label-Ü",
      "",
    ];
    const isFine = (permission: string) =>
      accessRule.spec.safeParse({ project: "p", ref: main, permission, rules: [{ group: "g" }] }).success;
    expect(names.filter(isFine)).toEqual(["push", "label-Code-Review", "plugin-x-y"]);
  });

  // The service drops both from what it stores, so a plan would never be empty.
  test("a manifest has a range only for votes and limits, and neither ownership nor a capability is exclusive", () => {
    const mistakes = (spec: object) =>
      accessRule.spec
        .safeParse({ project: "p", ref: main, permission: "push", rules: [{ group: "g", max: 1 }], ...spec })
        .error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
    const wrongRange = "rules expected no min and max: only votes and limits have a range";
    expect(mistakes({})).toEqual([wrongRange]);
    const ranged = ["label-Code-Review", "labelAs-Code-Review", "removeLabel-Code-Review"];
    expect(ranged.map((permission) => mistakes({ permission }))).toEqual([undefined, undefined, undefined]);
    const capability = { ref: "GLOBAL_CAPABILITIES", permission: "createProject" };
    expect(mistakes({ ...capability, permission: "queryLimit" })).toBeUndefined();
    expect(mistakes({ ...capability, permission: "batchChangesLimit" })).toBeUndefined();
    expect(mistakes(capability)).toEqual([wrongRange]);
    const rules = [{ group: "g", min: 0, max: 0 }];
    expect(mistakes({ rules })).toBeUndefined();
    const wrongFlag = "exclusive expected false: owner and capabilities cannot be exclusive";
    expect(mistakes({ permission: "owner", exclusive: true, rules })).toEqual([wrongFlag]);
    expect(mistakes({ ...capability, exclusive: true, rules })).toEqual([wrongFlag]);
    expect(mistakes({ ...capability, exclusive: false, rules })).toBeUndefined();
    expect(mistakes({ permission: "owner", exclusive: false, rules })).toBeUndefined();
  });
});

test.each([
  ["^refs/heads/[unclosed$", "expected a complete regular expression"],
  ["refs/heads/fix(core", "expected a complete regular expression"],
  ["refs/heads/{a}", "expected a complete regular expression"],
  ["refs/heads/$${user}/*", "expected a complete regular expression"],
  ["^refs/heads/.*", 'the shortest name that it matches, "refs/heads/", is not a ref'],
  ["refs/heads/a b", '"refs/heads/a b", is not a ref'],
  ["^refs/heads/(dev|fix)/$${username}/.+", "expected fixed text before the user's name"],
  ["^refs/heads/[a-z]+/$${shardeduserid}", "expected fixed text before the user's name"],
])("the ref pattern %s, which the service would refuse, is an error in the manifest", async (ref, message) => {
  await using lab = await openLab();
  expect(await problemsOf(lab.plan(rule({ ref })))).toMatchObject([
    { code: "SP1002", message: expect.stringContaining(message), place: expect.anything() },
  ]);
  expect(lab.asked()).toEqual([]);
});

test.each([".git", "/", "/.git"])(
  "a project is the same with %s at its end: declaring both is an error, and its name is read without it",
  async (end) => {
    await using lab = await openLab();
    const [plain, other] = ["platform/core", `platform/core${end}`].map((project) => rule({ project }));
    expect(await problemsOf(lab.plan(`${plain}${other}`))).toMatchObject([{ code: "SP1006" }]);
    const lock = document("BranchLock", { project: `platform/core${end}`, branch: "x" });
    expect((await lab.plan(`${plain}${lock}`)).calls).toMatchObject([{ args: { projectName: "platform/core" } }]);
  },
);

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
