import { describe, expect, test } from "vitest";
import { artifactsService } from "../../../src/clients/artifacts/service.ts";
import { readerOf } from "../../../src/clients/connect.ts";
import { cleanup } from "../../../src/reconcilers/artifacts/cleanup.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { artifactsWorld, folder, stored } from "../../support/worlds/artifacts-fixture.ts";

type Fields = Readonly<Record<string, unknown>>;

const now = new Date("2026-06-30T12:00:00Z");
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();
const aged = (days: number) => stored(String(days), {}, daysAgo(days));

const items = {
  "old/nightly/1/a.tmp": aged(40),
  "old/nightly/2/b.tmp": aged(20),
  "old/nightly/c.tmp": aged(10),
  "old/d.tmp": aged(5),
  "old/nightly/1/keep.txt": aged(50),
  "libs/nightly/1/a.tmp": aged(40),
};

const rule = (more: Fields) => document("Cleanup", { repo: "old", ...more });
const lab = (world: Parameters<typeof artifactsWorld>[0] = items) => openLab({ world: artifactsWorld(world), now });

function goingIn({ changes }: Awaited<ReturnType<Lab["plan"]>>) {
  return changes.map(({ fields }) => fields.map(({ live }) => live));
}

describe("Cleanup", () => {
  test("budget: 1 query, 1 deleteItem per item, 1 query, 1 getItem as nothing is left; the plan lists what is deleted and that it is irreversible", async () => {
    await using desk = await lab();
    const old = rule({ pathPattern: "*.tmp", olderThan: "2w" });
    const report = await desk.apply(old);
    expect(report.plan.changes).toMatchObject([
      {
        action: "update",
        risks: ["irreversible"],
        fields: [{ path: ["items"], live: ["nightly/1/a.tmp", "nightly/2/b.tmp"], desired: [] }],
      },
    ]);
    expect(report.outcomes).toMatchObject([{ result: "applied" }]);
    expect(desk.asked()).toEqual(["query", "deleteItem", "deleteItem", "query", "getItem"]);
    const left = Object.keys(desk.sandbox.state().artifacts.items).filter((key) => /^(old|libs)\/.*\.\w+$/.test(key));
    expect(left.sort()).toEqual(["libs/nightly/1/a.tmp", "old/d.tmp", "old/nightly/1/keep.txt", "old/nightly/c.tmp"]);
    expect((await desk.plan(old)).changes).toEqual([]);
    expect(desk.asked()).toEqual(["query", "getItem"]);
  });

  test.each([
    ["*.tmp", ["d.tmp", "nightly/1/a.tmp", "nightly/2/b.tmp", "nightly/c.tmp"]],
    ["nightly/*", ["nightly/1/a.tmp", "nightly/1/keep.txt", "nightly/2/b.tmp", "nightly/c.tmp"]],
    ["nightly/*/*.tmp", ["nightly/1/a.tmp", "nightly/2/b.tmp"]],
    ["nightly/?/?.tmp", ["nightly/1/a.tmp", "nightly/2/b.tmp"]],
    ["n*/c.tmp", ["nightly/c.tmp"]],
    ["n*.tmp", ["nightly/1/a.tmp", "nightly/2/b.tmp", "nightly/c.tmp"]],
    ["d.tmp", ["d.tmp"]],
    ["d", undefined],
    ["?.tmp", ["d.tmp"]],
  ])("the pattern %s is matched against the whole path", async (pathPattern, going) => {
    await using desk = await lab();
    const plan = await desk.plan(rule({ pathPattern, olderThan: "1h" }));
    expect([plan.unknown, goingIn(plan)]).toEqual([[], going === undefined ? [] : [[going]]]);
  });

  test.each([
    ["percent sign", "a%2F", "a-2F"],
    ["caret", "a^2_F", "a-2_F"],
  ])("a %s in a pattern is one, although the service's own patterns have none", async (_what, start, other) => {
    await using desk = await lab({ [`old/${start}b/c.tmp`]: aged(40), [`old/${other}b/c.tmp`]: aged(50) });
    const going = async (more: Fields) => goingIn(await desk.plan(rule({ pathPattern: `${start}*`, ...more })));
    expect(await going({ olderThan: "1h" })).toEqual([[[`${start}b/c.tmp`]]]);
    expect(await going({ keepNewest: 1 })).toEqual([]);
  });

  test("leaves alone what the service would take for another item: a deletion would be that one's", async () => {
    await using desk = await lab({ "old/a%2Bb.tmp": aged(40), "old/a+b.tmp": aged(50), "old/c!/d.tmp": aged(40) });
    expect(goingIn(await desk.plan(rule({ pathPattern: "*.tmp", olderThan: "1h" })))).toEqual([[["a+b.tmp"]]]);
  });

  test("keeps the newest of all items; with an age too, deleted items exceed both", async () => {
    await using desk = await lab();
    const going = async (more: Fields) => goingIn(await desk.plan(rule({ pathPattern: "*.tmp", ...more })));
    expect(await going({ keepNewest: 3 })).toEqual([[["nightly/1/a.tmp"]]]);
    expect(await going({ keepNewest: 1, olderThan: "15d" })).toEqual([[["nightly/1/a.tmp", "nightly/2/b.tmp"]]]);
    expect(await going({ keepNewest: 3, olderThan: "15d" })).toEqual([[["nightly/1/a.tmp"]]]);
    expect(await going({ keepNewest: 4 })).toEqual([]);
    expect(await going({ depth: 2, olderThan: "1d" })).toEqual([[["nightly/c.tmp"]]]);
  });

  test("counts age from the time of the run, to the millisecond", async () => {
    const at = (milliseconds: number) =>
      stored("x", {}, new Date(now.getTime() - 86_400_000 + milliseconds).toISOString());
    await using desk = await lab({ "old/a": at(-1), "old/b": at(0) });
    expect(goingIn(await desk.plan(rule({ pathPattern: "?", olderThan: "24h" })))).toEqual([[["a"]]]);
    expect(goingIn(await desk.plan(rule({ pathPattern: "?", olderThan: "1d", keepNewest: 1 })))).toEqual([[["a"]]]);
  });

  test("deletes nothing if the rule would delete more than it allows, and shows the items to a person", async () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`old/${n}.tmp`, aged(30)]));
    await using desk = await lab(many);
    const plan = await desk.plan(rule({ pathPattern: "*.tmp", olderThan: "1d" }));
    expect(plan.changes).toMatchObject([
      {
        action: "check",
        instruction: expect.stringContaining("21 items would be deleted, but the rule allows at most 20"),
      },
    ]);
    expect([plan.calls, plan.changes[0]?.fields[0]?.live]).toMatchObject([[], { length: 21 }]);
    const allowed = await desk.plan(rule({ pathPattern: "*.tmp", olderThan: "1d", atMost: 21 }));
    expect(allowed.calls).toHaveLength(21);
  });

  test("deletes folders whole at their depth, and deletes what two rules match once", async () => {
    await using desk = await lab({
      ...items,
      "old/nightly/1": folder({}, daysAgo(50)),
      "old/nightly/2": folder({}, daysAgo(1)),
    });
    const folders = rule({ pathPattern: "nightly/*", type: "folder", depth: 2, olderThan: "4w" });
    expect(goingIn(await desk.plan(folders))).toEqual([[["nightly/1"]]]);
    const report = await desk.apply(folders + rule({ pathPattern: "*.tmp", olderThan: "15d" }));
    expect(report.outcomes).toMatchObject([{ result: "applied" }, { result: "applied" }]);
    expect(report.plan.calls.map(({ args, carries }) => [args.path, carries.length])).toEqual([
      ["nightly/1", 2],
      ["nightly/2/b.tmp", 1],
    ]);
  });

  test.each([
    ["none", "odl"],
    ["a remote one, whose cache has the items", "remote"],
  ])(
    "is unknown if the repository is %s: a query finds nothing there, and nothing would ever be deleted",
    async (_what, repo) => {
      await using desk = await lab();
      desk.sandbox.change(({ artifacts }) =>
        artifacts.repositories.push({ key: "remote", type: "REMOTE", packageType: "npm", members: [] }),
      );
      const { unknown, changes } = await desk.plan(rule({ repo, pathPattern: "*.tmp", olderThan: "2w" }));
      expect(changes).toEqual([]);
      expect(unknown.map(({ problem }) => problem)).toMatchObject([
        { code: "SP3005", message: expect.stringContaining(repo) },
      ]);
    },
  );

  test("is unknown if the repository is virtual: nothing in it can be deleted", async () => {
    await using desk = await lab();
    const { unknown } = await desk.plan(rule({ repo: "all", pathPattern: "*.tmp", olderThan: "2w" }));
    expect(unknown.map(({ problem }) => problem)).toMatchObject([
      { code: "SP3103", message: expect.stringContaining('/nightly/1/a.tmp"') },
    ]);
  });

  test("items that have become old since the base are drift", async () => {
    await using desk = await lab();
    const old = rule({ pathPattern: "*.tmp", olderThan: "2w" });
    expect((await desk.plan({ now: old, base: old })).changes).toMatchObject([{ verdict: "drift" }]);
    expect((await desk.plan({ now: "", base: old })).changes).toEqual([]);
  });

  test.each([
    ["another path", { name: "b.txt" }],
    ["another repository, as for a virtual one", { repo: "libs" }],
    ["another type", { type: "folder" }],
    ["no date", { created: "soon" }],
    ["words with a number for a date", { created: "item 5" }],
    ["a time without a zone", { created: "2026-01-31T12:00:00.000" }],
  ])("an answer with %s makes the rule unknown, and nothing is deleted", async (_what, wrong) => {
    const result = { repo: "old", path: "x", name: "a.tmp", type: "file", created: daysAgo(9), ...wrong };
    const read = readerOf(async () => ({ results: [result] }), { wire: "product" }, artifactsService);
    const spec = cleanup.spec.parse({ repo: "old", pathPattern: "*.tmp", olderThan: "1d" });
    const found = await cleanup.observe(read, "", [spec], now);
    expect(found.get("old:*.tmp")).toMatchObject({ is: "unknown", problem: { code: "SP3103" } });
  });

  test("counts an item that an answer contains twice as one of the newest only once", async () => {
    const item = (name: string, days: number) => ({
      repo: "old",
      path: "x",
      name,
      type: "file",
      created: daysAgo(days),
    });
    const results = [item("a.tmp", 1), item("a.tmp", 1), item("b.tmp", 2), item("c.tmp", 3)];
    const read = readerOf(async () => ({ results }), { wire: "product" }, artifactsService);
    const spec = cleanup.spec.parse({ repo: "old", pathPattern: "*.tmp", keepNewest: 2 });
    const found = await cleanup.observe(read, "", [spec], now);
    expect(found.get("old:*.tmp")).toMatchObject({ is: "present", spec: { items: ["x/c.tmp"] } });
  });

  test("a service that rejects the credentials makes its rules unknown", async () => {
    await using desk = await openLab({ world: artifactsWorld(items), as: { username: "admin", secret: "wrong" } });
    const plan = await desk.plan(rule({ pathPattern: "*.tmp", olderThan: "1d" }));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
  });

  test.each([
    ["without a limit", { pathPattern: "*" }],
    ["of folders at any depth", { pathPattern: "*", type: "folder", olderThan: "1d" }],
    ["with an age in months", { pathPattern: "*", olderThan: "1mo" }],
    ["with a path that begins with a slash", { pathPattern: "/a", olderThan: "1d" }],
  ])("a rule %s is an error", async (what, wrong) => {
    await using desk = await lab();
    expect(await problemsOf(desk.plan(rule(wrong)))).toMatchObject([
      { code: what.includes("depth") ? "SP1003" : "SP1002" },
    ]);
  });
});
