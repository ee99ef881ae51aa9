import { describe, expect, test } from "vitest";
import { accessRule } from "../../../../src/reconcilers/review/access-rule.ts";
import { openLab, problemsOf } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";
import { accessOf, allow, main, managers, managersId, registered, results, rule } from "./rules.ts";

describe("AccessRule", () => {
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
