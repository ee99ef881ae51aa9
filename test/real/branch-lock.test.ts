import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import {
  accepted,
  allow,
  lock,
  refused,
  registered,
  rulesAndBranch,
  rulesBeside,
  withoutEmptySections,
} from "./support/branch-locks.ts";
import { describeWithGerrit } from "./support/describe.ts";
import type { Account } from "./support/gerrit.ts";
import { lawRuns } from "./support/law-runs.ts";
import { manifest, pushAndUpload, pushConfig, realRoad, said, setAccess } from "./support/real-lab.ts";

describeWithGerrit("BranchLock on a real server", (gerrit) => {
  let alice: Account;

  beforeAll(async () => {
    await setAccess(gerrit(), "All-Projects", { "refs/heads/*": { permissions: { push: allow, submit: allow } } });
    alice = await gerrit().createAccount("alice");
    await gerrit().createGroup("Developers", ["alice"]);
  });

  test.each(["release-2.4", "feature/ü+(x)", "v1.0", "fix(core-{x}"])(
    "the branch %s refuses a push and an upload for review while it is locked, and accepts both after the unlock",
    async (branch) => {
      const project = `refusing/${branch.replaceAll(/[^a-z0-9]/g, "")}`;
      await gerrit().createProject(project, ["master", branch]);
      const start = await gerrit().configFile(project);
      const road = realRoad(gerrit());
      expect(await pushAndUpload(gerrit(), project, branch, alice)).toEqual(accepted);

      const locked = await road.apply(manifest(lock(project, branch)));
      expect(locked.outcomes.map(({ result }) => result)).toEqual(["applied"]);
      expect(await pushAndUpload(gerrit(), project, branch, alice)).toEqual(refused(branch));
      expect(await pushAndUpload(gerrit(), project, "master", alice)).toEqual(accepted);
      expect((await road.plan(manifest(lock(project, branch)))).changes).toEqual([]);

      await road.apply(manifest([...lock(project, branch), { state: "absent" }]));
      expect(await pushAndUpload(gerrit(), project, branch, alice)).toEqual(accepted);
      expect(withoutEmptySections(await gerrit().configFile(project))).toBe(start);
    },
  );

  test("the lock of a pattern locks only the branches that match", async () => {
    await gerrit().createProject("pattern", ["release-1", "release-x"]);
    await realRoad(gerrit()).apply(manifest(lock("pattern", "^release-[0-9]+$")));
    expect(await pushAndUpload(gerrit(), "pattern", "release-1", alice)).toEqual(refused("release-1"));
    expect(await pushAndUpload(gerrit(), "pattern", "release-x", alice)).toEqual(accepted);
  });

  test("locks out a group by its name, and everyone else if the lock is exclusive", async () => {
    await gerrit().createProject("by-name");
    const bob = await gerrit().createAccount("bob");
    const road = realRoad(gerrit());
    for (const exclusive of [false, true]) {
      const locks = manifest(lock("by-name", "master", { groups: ["Developers"], exclusive }));
      expect((await road.apply(locks)).outcomes).toMatchObject([{ result: "applied" }]);
      expect(await pushAndUpload(gerrit(), "by-name", "master", alice)).toEqual(refused("master"));
      expect(await pushAndUpload(gerrit(), "by-name", "master", bob)).toEqual(exclusive ? refused("master") : accepted);
      expect((await road.plan(locks)).changes).toEqual([]);
    }
  });

  test.each(rulesBeside)(
    "beside %s, the lock holds, and the unlock leaves the configuration byte for byte",
    async (name, sections) => {
      const project = name.toLowerCase().replaceAll(/[^a-z]+/g, "-");
      await gerrit().createProject(project);
      await setAccess(gerrit(), project, sections);
      const start = await gerrit().configFile(project);
      const road = realRoad(gerrit());
      for (const exclusive of [true, false]) {
        const spec = lock(project, "master", { exclusive });
        expect((await road.apply(manifest(spec))).outcomes).toMatchObject([{ result: "applied" }]);
        expect(await pushAndUpload(gerrit(), project, "master", alice)).toEqual(refused("master"));
        await road.apply(manifest([...spec, { state: "absent" }]));
        const end = await gerrit().configFile(project);
        expect(exclusive ? withoutEmptySections(end) : end).toBe(start);
      }
    },
  );

  test.each([
    ["refs/heads/master", "push"],
    ["refs/for/refs/heads/master", "upload"],
  ] as const)(
    "a lock of an expression needs a person beside an exclusive ALLOW on %s: it would not hold",
    async (ref, deed) => {
      const project = `expression-${deed}`;
      await gerrit().createProject(project);
      await setAccess(gerrit(), project, { [ref]: { permissions: { push: { exclusive: true, ...allow } } } });
      const before = await gerrit().configLog(project);
      const report = await realRoad(gerrit()).apply(manifest(lock(project, "^mast.*$")));
      expect(report.plan.changes).toMatchObject([
        { action: "check", instruction: expect.stringContaining(`because push on ${ref} is exclusive and allows it`) },
      ]);
      expect(await gerrit().configLog(project)).toEqual(before);

      const block = { permissions: { push: { exclusive: true, rules: { [registered]: { action: "BLOCK" } } } } };
      await setAccess(gerrit(), project, { "^refs/heads/mast.*$": block, "^refs/for/refs/heads/mast.*$": block });
      const other = deed === "push" ? { upload: refused("master").upload } : { push: refused("master").push };
      expect(await pushAndUpload(gerrit(), project, "master", alice)).toEqual({ [deed]: "accepted", ...other });
    },
  );

  test("a lock that someone opened is drift that says who can push, and is closed again beside the rule", async () => {
    await gerrit().createProject("opened");
    const road = realRoad(gerrit());
    const locks = manifest(lock("opened", "master"));
    await road.apply(locks);
    await setAccess(gerrit(), "opened", {
      "refs/heads/master": { permissions: { push: { rules: { Developers: {} } } } },
    });
    expect((await pushAndUpload(gerrit(), "opened", "master", alice)).push).toBe("accepted");
    const plan = await road.plan({ now: locks, base: locks });
    expect(plan.changes).toMatchObject([
      {
        action: "update",
        verdict: "drift",
        note: expect.stringContaining("locked, but Developers can push to master"),
      },
    ]);
    expect((await road.apply(locks)).outcomes).toMatchObject([{ result: "applied" }]);
    expect(await pushAndUpload(gerrit(), "opened", "master", alice)).toEqual(refused("master"));
    expect(await gerrit().configFile("opened")).toContain("\tpush = group Developers\n");
  });

  test("a locked branch cannot be deleted and recreated, and a branch that matches a locked expression cannot be created", async () => {
    await gerrit().createProject("deleted", ["master", "kept"]);
    const all = { create: allow, delete: allow, push: { rules: { [registered]: { force: true } } } };
    await setAccess(gerrit(), "deleted", { "refs/heads/*": { permissions: all } });
    const directory = await gerrit().clone("deleted", alice);
    const deletion = (ref: string) => gerrit().git(directory, alice, "push", "origin", `:${ref}`);
    const road = realRoad(gerrit());
    await road.apply(manifest(lock("deleted", "kept"), lock("deleted", "^new-.*$")));
    expect((await deletion("refs/heads/kept")).stderr).toContain("not permitted: delete");
    expect(await said(gerrit(), directory, alice, "refs/heads/new-1")).toContain("not permitted: create");
    await road.apply(
      manifest(...["kept", "^new-.*$"].map((branch) => [...lock("deleted", branch), { state: "absent" }] as const)),
    );
    expect((await deletion("refs/heads/kept")).code).toBe(0);
    expect(await said(gerrit(), directory, alice, "refs/heads/kept")).toBe("accepted");
    expect(await said(gerrit(), directory, alice, "refs/heads/new-1")).toBe("accepted");
  });

  test("law: whatever rules exist or are added, a lock holds or is reported not to hold, and the unlock keeps the rules", async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(...rulesAndBranch, async (written, later, branch) => {
        const project = `law-${++runs}`;
        await gerrit().createProject(project);
        for (const add of written) await setAccess(gerrit(), project, add);
        const start = await gerrit().configFile(project);
        const spec = lock(project, branch);
        const road = realRoad(gerrit());
        const { plan, outcomes } = await road.apply(manifest(spec));
        if (plan.changes.some(({ action }) => action === "check")) {
          expect(await gerrit().configFile(project)).toBe(start);
          return;
        }
        expect(outcomes).toMatchObject([{ result: "applied" }]);
        expect(await pushAndUpload(gerrit(), project, "master", alice)).toEqual(refused("master"));
        await road.apply(manifest([...spec, { state: "absent" }]));
        expect(withoutEmptySections(await gerrit().configFile(project))).toBe(start);

        await road.apply(manifest(spec));
        await setAccess(gerrit(), project, later);
        const repaired = await road.apply(manifest(spec));
        const isLocked = repaired.outcomes.every(({ result }) => result === "applied");
        if (isLocked && repaired.plan.changes.every(({ action }) => action !== "check"))
          expect(await pushAndUpload(gerrit(), project, "master", alice)).toEqual(refused("master"));
      }),
      lawRuns(10),
    );
  });

  test("budget: ten locks on a project take one read and one commit to its configuration, as do their unlocks", async () => {
    await gerrit().createProject("ten");
    const start = await gerrit().configFile("ten");
    const before = await gerrit().configLog("ten");
    const locks = Array.from({ length: 10 }, (_, n) => lock("ten", `release-${n}`, { reason: `Frozen ${n}` }));
    const road = realRoad(gerrit());
    const report = await road.apply(manifest(...locks));
    expect(report.plan.services).toMatchObject([{ reads: 1 }]);
    expect(report.requests).toEqual({ review: { reads: 1, writes: 1 } });
    expect(await gerrit().configLog("ten")).toEqual([
      {
        commit: expect.any(String),
        message: Array.from({ length: 10 }, (_, n) => `Lock release-${n}: Frozen ${n}`).join("\n"),
      },
      ...before,
    ]);
    await road.apply({ now: "", base: manifest(...locks), consent: { maxDeletePercent: 100 } });
    expect(await gerrit().configLog("ten")).toHaveLength(before.length + 2);
    expect(withoutEmptySections(await gerrit().configFile("ten"))).toBe(start);
  });

  test("budget: projects are read in one request, whatever their names, and a plan writes nothing", async () => {
    const projects = ["many/a", "many+b", "many c", "many ü", "many&d=#e"];
    for (const project of projects) await gerrit().createProject(project);
    const before = await Promise.all(projects.map((project) => gerrit().configLog(project)));
    const locks = manifest(...projects.map((project) => lock(project, "master")));
    const road = realRoad(gerrit());
    const plan = await road.plan(locks);
    expect(plan.unknown).toEqual([]);
    expect(plan.changes).toHaveLength(projects.length);
    expect(plan.services).toMatchObject([{ reads: 1 }]);
    expect(await Promise.all(projects.map((project) => gerrit().configLog(project)))).toEqual(before);

    const report = await road.apply(locks);
    expect(report.outcomes.map(({ result }) => result)).toEqual(projects.map(() => "applied"));
    expect(report.requests).toEqual({ review: { reads: 1, writes: projects.length } });
    for (const project of projects)
      expect(await pushAndUpload(gerrit(), project, "master", alice)).toEqual(refused("master"));
  });

  test("a lock is moved away from a pattern that came with a push, and that a request can only take rules from", async () => {
    await gerrit().createProject("pushed");
    await setAccess(gerrit(), "pushed", { "refs/meta/config": { permissions: { push: allow } } });
    const section = '[access "^refs/heads/.*"]\n\tpush = block group Registered Users\n';
    const config = `${await gerrit().configFile("pushed")}${section}`;
    const files = { "project.config": config, groups: `${registered}\tRegistered Users\n` };
    expect(await pushConfig(gerrit(), "pushed", files)).toBe("accepted");
    const declared = manifest(lock("pushed", "^.*$", { permissions: ["push"], reviewUploads: false }));
    const road = realRoad(gerrit());
    expect((await road.apply(declared)).outcomes).toMatchObject([{ result: "applied" }]);
    const text = await gerrit().configFile("pushed");
    expect(text).not.toContain(section);
    expect(text).toContain(
      '[access "^refs/heads/.*$"]\n\texclusiveGroupPermissions = push\n\tpush = block group Registered Users\n',
    );
    expect((await road.plan(declared)).changes).toEqual([]);
  });

  test("one project of any name is read and written", async () => {
    const project = "ö one+two/three&four";
    await gerrit().createProject(project);
    const road = realRoad(gerrit());
    expect((await road.apply(manifest(lock(project, "master")))).outcomes).toMatchObject([{ result: "applied" }]);
    expect((await road.plan(manifest(lock(project, "master")))).changes).toEqual([]);
  });

  test("a project that does not exist makes its own lock unknown, and no other", async () => {
    await gerrit().createProject("known");
    const plan = await realRoad(gerrit()).plan(manifest(lock("known", "master"), lock("nowhere", "master")));
    expect(plan.unknown).toMatchObject([
      { address: "review/BranchLock/nowhere:master", problem: { code: "SP3005", message: expect.any(String) } },
    ]);
    expect(plan.changes).toMatchObject([{ address: "review/BranchLock/known:master" }]);
  });

  test("a project that is hidden from the account makes its own lock unknown, and no other", async () => {
    for (const project of ["plain", "hidden"]) {
      await gerrit().createProject(project);
      await setAccess(gerrit(), project, { "refs/meta/config": { permissions: { read: allow } } });
    }
    await gerrit().call("PUT", "/a/projects/hidden/config", { body: { state: "HIDDEN" } });
    const plan = await realRoad(gerrit(), alice).plan(manifest(lock("plain", "master"), lock("hidden", "master")));
    expect(plan.unknown).toMatchObject([
      { address: "review/BranchLock/hidden:master", problem: { message: expect.stringContaining("HIDDEN") } },
    ]);
    expect(plan.changes).toMatchObject([{ address: "review/BranchLock/plain:master" }]);
  });

  test("an account that may not read the configuration makes locks unknown, not absent", async () => {
    await gerrit().createProject("unreadable");
    await realRoad(gerrit()).apply(manifest(lock("unreadable", "master")));
    const plan = await realRoad(gerrit(), alice).plan(manifest(lock("unreadable", "master")));
    expect(plan.unknown).toMatchObject([{ problem: { code: "SP3004" } }]);
    expect([plan.changes, plan.calls]).toEqual([[], []]);
  });

  test("an account that may read but not write the configuration sees the lock, and its change is refused", async () => {
    await gerrit().createProject("readable");
    await setAccess(gerrit(), "readable", { "refs/meta/config": { permissions: { read: allow } } });
    await realRoad(gerrit()).apply(manifest(lock("readable", "master")));
    const before = await gerrit().configLog("readable");
    const road = realRoad(gerrit(), alice);
    expect((await road.plan(manifest(lock("readable", "master")))).inSync).toHaveLength(1);
    const report = await road.apply(manifest(lock("readable", "other")));
    expect(report.calls).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
    expect(report.outcomes).toMatchObject([{ result: "failed" }]);
    expect(await gerrit().configLog("readable")).toEqual(before);
  });

  test("a wrong password makes locks unknown", async () => {
    const road = realRoad(gerrit(), { username: "admin", password: "wrong" });
    const plan = await road.plan(manifest(lock("All-Projects", "master")));
    expect(plan.unknown).toMatchObject([{ problem: { code: "SP3003" } }]);
  });
});
