import { describe, expect, test } from "vitest";
import type { Metadata } from "../../../src/core/resource.ts";
import { analysisGroup } from "../../../src/reconcilers/analysis/analysis-group.ts";
import { userLimit } from "../../../src/reconcilers/analysis/shared/lists.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { listLive, readerWith } from "./live.ts";

function group(spec: Readonly<Record<string, unknown>>, metadata: Partial<Metadata> = {}): string {
  return document("AnalysisGroup", { name: "firmware", ...spec }, metadata);
}

const user = (name: string) => document("AnalysisUser", { name });

function membersOf({ sandbox }: Lab, name = "firmware") {
  return sandbox.state().analysis.groups.find((one) => one.name === name)?.users;
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

describe("AnalysisGroup", () => {
  test("creates a group with its members", async () => {
    await using lab = await openLab();
    const report = await lab.apply(group({ name: "board", users: ["mlind", "jdoe"] }));
    expect(report.outcomes).toEqual([{ address: "analysis/AnalysisGroup/board", result: "applied" }]);
    expect(membersOf(lab, "board")).toEqual(["mlind", "jdoe"]);
    expect((await lab.plan(group({ name: "board", users: ["jdoe", "mlind"] }))).changes).toEqual([]);
  });

  test.each([{}, { users: [] }])("creates a group without members without naming any: %j", async (fields) => {
    await using lab = await openLab();
    const report = await lab.apply(document("AnalysisGroup", { name: "board", ...fields }));
    expect(report.plan.calls.map(({ args }) => args)).toEqual([{ name: "board" }]);
    expect(membersOf(lab, "board")).toEqual([]);
  });

  test("budget: groups are one read, one write each and one read to verify; users that they name are looked up once", async () => {
    await using lab = await openLab();
    const groups = Array.from({ length: 10 }, (_, n) => group({ name: `group ${n}`, users: ["jdoe"] })).join("");
    expect(results(await lab.apply(groups))).toEqual(Array(10).fill("applied"));
    expect(lab.asked()).toEqual(["groups", "users", ...Array(10).fill("createGroup"), "groups"]);
    await lab.plan(groups);
    expect(lab.asked()).toEqual(["groups"]);
  });

  test("adds a member and keeps those that no manifest names", async () => {
    await using lab = await openLab();
    const report = await lab.apply(group({ users: ["auditor", "jdoe"] }));
    expect(report.plan.changes).toMatchObject([{ action: "update", risks: ["widens-access"] }]);
    expect(membersOf(lab)).toEqual(["jdoe", "mlind", "auditor"]);
  });

  test("an exclusive group has only the named members", async () => {
    await using lab = await openLab();
    const exclusive = group({ users: ["jdoe"], exclusive: true });
    const report = await lab.apply(exclusive);
    expect(report.plan.changes).toMatchObject([{ fields: [{ path: ["users"] }], risks: ["narrows-access"] }]);
    expect(membersOf(lab)).toEqual(["jdoe"]);
    const emptied = await lab.apply(group({ users: [], exclusive: true }));
    expect(emptied.plan.calls.map(({ args }) => args)).toEqual([{ name: "firmware", remove_all: true }]);
    expect(membersOf(lab)).toEqual([]);
    expect((await lab.plan(group({ users: [], exclusive: true }))).changes).toEqual([]);
  });

  test("a group of a directory is changed and deleted by a person, and is in sync if nothing differs", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ analysis }) => {
      for (const one of analysis.groups) one.readonly = true;
    });
    expect((await lab.plan(group({ users: ["jdoe"] }))).inSync).toHaveLength(1);
    const changed = await lab.plan(group({ users: ["jdoe"], exclusive: true }));
    const deleted = await lab.plan({ now: "", base: group({}) });
    for (const { changes, calls } of [changed, deleted]) {
      expect(changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("read-only") }]);
      expect(calls).toEqual([]);
    }
  });

  test("members that are not stated, or ignored, are not managed", async () => {
    await using lab = await openLab();
    expect((await lab.plan(group({}))).changes).toEqual([]);
    expect((await lab.plan(group({ exclusive: true }))).changes).toEqual([]);
    const plan = await lab.plan(group({ users: ["auditor"] }, { ignore: ["users"] }));
    expect(plan.changes).toEqual([]);
    expect(plan.ignored.map(({ field }) => field)).toEqual(["users"]);
  });

  test("removes a member that leaves the manifest if there is a base, and keeps it otherwise", async () => {
    await using lab = await openLab();
    const smaller = group({ users: ["jdoe"] });
    expect((await lab.plan(smaller)).changes).toEqual([]);
    const report = await lab.apply({ now: smaller, base: group({ users: ["jdoe", "mlind"] }) });
    expect(report.plan.changes).toMatchObject([{ verdict: "pending", risks: ["narrows-access"] }]);
    expect(membersOf(lab)).toEqual(["jdoe"]);
  });

  test("reports which side changed: the manifest, the service or both", async () => {
    await using lab = await openLab();
    const verdicts = async (now: readonly string[], base: readonly string[]) =>
      (await lab.plan({ now: group({ users: now }), base: group({ users: base }) })).changes.map(
        ({ verdict }) => verdict,
      );
    expect(await verdicts(["jdoe", "auditor"], ["jdoe"])).toEqual(["pending"]);
    expect(await verdicts(["jdoe", "auditor"], ["jdoe", "auditor"])).toEqual(["drift"]);
    expect(await verdicts(["auditor", "admin"], ["auditor"])).toEqual(["conflict"]);
  });

  test("adding or removing a member manually widens or narrows access, whoever else is in the group", async () => {
    await using lab = await openLab();
    const both = group({ users: ["jdoe", "auditor"], exclusive: true });
    await lab.apply(both);
    const happenedWith = async (users: string[]) => {
      lab.sandbox.change(({ analysis }) => {
        for (const one of analysis.groups) if (one.name === "firmware") one.users = users;
      });
      return (await lab.plan({ now: both, base: both })).changes.map(({ happened }) => happened?.risks);
    };
    expect(await happenedWith(["jdoe"])).toEqual([["narrows-access"]]);
    expect(await happenedWith(["jdoe", "auditor", "mlind"])).toEqual([["widens-access"]]);
    expect(await happenedWith(["jdoe", "mlind"])).toEqual([["widens-access", "narrows-access"]]);
  });

  test("deletes a group that is declared absent or has left the manifests since the base", async () => {
    await using lab = await openLab();
    const report = await lab.apply(group({}, { state: "absent" }));
    expect(report.plan.changes).toMatchObject([{ action: "delete", risks: ["irreversible", "narrows-access"] }]);
    expect(lab.asked()).toEqual(["groups", "deleteGroup", "groups"]);
    expect((await lab.plan("")).changes).toEqual([]);
    expect(results(await lab.apply({ now: "", base: group({ name: "quality" }) }))).toEqual(["applied"]);
    expect(lab.sandbox.state().analysis.groups).toEqual([]);
  });

  test("is created after its users, and deleted before them", async () => {
    await using lab = await openLab();
    const all = group({ name: "a", users: ["zoe"] }) + user("zoe");
    expect(results(await lab.apply(all))).toEqual(["applied", "applied"]);
    expect(lab.asked().filter((name) => /^(create|delete)/.test(name))).toEqual(["createUser", "createGroup"]);
    expect(results(await lab.apply({ now: "", base: all }))).toEqual(["applied", "applied"]);
    expect(lab.asked().filter((name) => /^(create|delete)/.test(name))).toEqual(["deleteGroup", "deleteUser"]);
  });

  test("removes a user from the group before deleting the user", async () => {
    await using lab = await openLab();
    const before = group({ users: ["jdoe", "mlind"] }) + user("mlind");
    expect(results(await lab.apply({ now: group({ users: ["jdoe"] }), base: before }))).toEqual(["applied", "applied"]);
    expect(lab.asked().filter((name) => /^(update|delete)/.test(name))).toEqual(["updateGroup", "deleteUser"]);
  });

  test("is written before a member that it keeps unasked is deleted", async () => {
    await using lab = await openLab();
    const gone = document("AnalysisUser", { name: "mlind" }, { state: "absent" });
    const report = await lab.apply(group({ users: ["newcomer"] }) + user("newcomer") + gone);
    expect(results(report)).toEqual(["applied", "applied", "applied"]);
    expect(membersOf(lab)).toEqual(["jdoe", "newcomer"]);
  });

  test("a member that is neither declared nor live is an error", async () => {
    await using lab = await openLab();
    expect(await problemsOf(lab.plan(group({ users: ["nobody"] })))).toMatchObject([
      { code: "SP1010", message: expect.stringContaining("analysis/AnalysisUser/nobody") },
    ]);
  });

  test("with a declared member that is not selected is unknown until the member exists", async () => {
    await using lab = await openLab();
    const select = { kind: ["AnalysisGroup"] };
    const all = group({ users: ["newcomer"] }) + user("newcomer");
    const { changes, calls, unknown } = await lab.plan({ now: all, select });
    expect([changes, calls]).toEqual([[], []]);
    const message = "It needs analysis/AnalysisUser/newcomer, which does not exist yet, and is not selected here.";
    const hint = "Apply it first, or select it too: setpoint apply --only analysis/AnalysisUser/newcomer.";
    expect(unknown).toMatchObject([{ problem: { code: "SP3005", message, hint } }]);
    await lab.apply(user("newcomer"));
    expect(results(await lab.apply({ now: all, select }))).toEqual(["applied"]);
  });

  test("a member that is declared absent, or leaves the manifests, is an error although it is still in the group", async () => {
    await using lab = await openLab();
    const gone = document("AnalysisUser", { name: "jdoe" }, { state: "absent" });
    const wrong = [{ code: "SP1010", message: expect.stringContaining("analysis/AnalysisUser/jdoe") }];
    expect(await problemsOf(lab.plan(group({ users: ["jdoe"] }) + gone))).toMatchObject(wrong);
    const now = group({ users: ["jdoe"] });
    expect(await problemsOf(lab.plan({ now, base: now + user("jdoe") }))).toMatchObject(wrong);
  });

  test("is unknown, not absent, if it is missing from a list that reached its limit", async () => {
    const groups = Array.from({ length: userLimit }, (_, n) => ({ name: `group ${n}` }));
    const read = readerWith({ groups: async () => groups });
    const wanted = [
      { name: "group 7", exclusive: false },
      { name: "firmware", exclusive: false },
    ];
    const found = await analysisGroup.observe(read, "groups", wanted, new Date(0));
    expect(found.get("group 7")?.is).toBe("present");
    expect(found.get("firmware")).toMatchObject({ is: "unknown", problem: { code: "SP3104" } });
    expect(await problemsOf(analysisGroup.list?.(read) ?? Promise.resolve())).toMatchObject([{ code: "SP3104" }]);
  });

  test("lists every group and its members with one read; importing then planning gives an empty plan", async () => {
    await using lab = await openLab();
    const { specs, manifest, asked } = await listLive(lab, "AnalysisGroup");
    expect(specs).toEqual([
      { name: "firmware", users: ["jdoe", "mlind"], exclusive: false },
      { name: "quality", users: ["auditor"], exclusive: false },
    ]);
    expect(asked).toEqual(["groups"]);
    expect(await lab.plan(manifest)).toMatchObject({ changes: [], unknown: [] });
  });

  test("a service that rejects the credentials makes its groups unknown", async () => {
    await using lab = await openLab({ as: { username: "admin", secret: "wrong" } });
    const plan = await lab.plan(group({ users: ["auditor"] }));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
    expect(plan.calls).toEqual([]);
  });

  test("an account without write access gets a failed outcome that names the missing permission", async () => {
    await using lab = await openLab({ as: { username: "jdoe", secret: "jdoe-secret" } });
    const report = await lab.apply(group({ users: ["auditor"] }));
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
  });

  test("accepts special characters in names of groups and members, even the list separator", async () => {
    await using lab = await openLab();
    const names = [`a,b`, `a\\`, `\\,`, `"ü';/&=% +`];
    const hard = group({ name: names.join(), users: names }) + names.map(user).join("");
    expect(results(await lab.apply(hard))).toEqual(Array(5).fill("applied"));
    expect(membersOf(lab, names.join())).toEqual(names);
    const fewer = group({ name: names.join(), users: names.slice(1), exclusive: true }) + names.map(user).join("");
    expect(results(await lab.apply(fewer))).toEqual(["applied"]);
    expect(membersOf(lab, names.join())).toEqual(names.slice(1));
  });
});
