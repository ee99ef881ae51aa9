import { expect, test } from "vitest";
import type { Kind } from "../../src/core/kind.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { mergeShards } from "../../src/planner/parts/merge.ts";
import { partOf } from "../../src/planner/parts/part.ts";
import { shardOfName } from "../../src/planner/parts/shards.ts";
import { digestOf } from "../../src/planner/saved/manifests.ts";
import { change, emptyPlan } from "../reports/fixture.ts";
import { Box, box, declare, fakeKinds } from "../support/fake-kinds.ts";

const declarationsOf = (boxes: readonly Box[]) => ({
  kinds: fakeKinds,
  desired: boxes.map((spec) => declare(spec)),
  base: undefined,
  selected: () => true,
  now: new Date(0),
});

function sizesOf(boxes: readonly Box[], of: number): readonly number[] {
  const same = { digest: "0", services: [], narrowed: false };
  const part = partOf({ is: "shard", index: 1, of, ...same }, declarationsOf(boxes));
  if (part.is !== "shard") throw new Error("no shard");
  return part.shard.resources.map((groups) => Object.values(groups).reduce((sum, keys) => sum + keys.length, 0));
}

test("separate objects are spread evenly over shards, and objects that are read as one stay together", () => {
  const apart = Array.from({ length: 20_000 }, (_none, index) => ({ shelf: `s${index}`, name: "box" }));
  const sizes = sizesOf(apart, 50);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(20_000);
  expect(Math.max(...sizes)).toBeLessThan(1.25 * 400);
  expect(Math.min(...sizes)).toBeGreaterThan(0.75 * 400);
  const together = Array.from({ length: 50 }, (_none, index) => ({ shelf: "one", name: `box ${index}` }));
  expect(sizesOf(together, 50).filter((size) => size > 0)).toEqual([50]);
});

test("a narrowed run divides only what it includes", () => {
  const declarations = declarationsOf(
    [..."abcdefgh"].flatMap((shelf) => ["in", "out"].map((name) => ({ shelf, name }))),
  );
  const selected = ({ key }: { readonly key: string }) => key.endsWith(":in");
  const request = { is: "shard", of: 3, digest: "0", services: [], narrowed: true } as const;
  const parts = [1, 2, 3].map((index) => partOf({ ...request, index }, { ...declarations, selected }));
  const own = parts.map((part) => declarations.desired.filter(part.selected).map(({ key }) => key));
  expect(own.flat().sort()).toEqual([..."abcdefgh"].map((shelf) => `${shelf}:in`));
  for (const part of parts)
    expect(part.is === "shard" && part.shard.resources.map((groups) => groups["store/Box"] ?? [])).toEqual(own);
});

test("a resource keeps its shard when others come and go, and on every machine", () => {
  expect([..."abcdef"].map((name) => shardOfName(name, 8))).toMatchInlineSnapshot(`
    [
      4,
      2,
      1,
      1,
      4,
      1,
    ]
  `);
  const names = Array.from({ length: 200 }, (_none, index) => `s${index}`);
  const shardOf = (shelves: readonly string[]) => {
    const same = { digest: "0", services: [], narrowed: false };
    const part = partOf(
      { is: "shard", index: 1, of: 4, ...same },
      declarationsOf(shelves.map((shelf) => ({ shelf, name: "box" }))),
    );
    const groups = part.is === "shard" ? part.shard.resources : [];
    return new Map(groups.flatMap((keys, at) => (keys["store/Box"] ?? []).map((key) => [key, at])));
  };
  const before = shardOf(names);
  for (const [key, at] of shardOf(names.slice(50))) expect(before.get(key)).toBe(at);
});

/** The boxes that a run reads if the first one changes. */
function affectedBy(kind: Kind, boxes: readonly Box[]): readonly string[] {
  const desired = boxes.map((spec) => declare(spec, {}, kind));
  const changed = new Set(desired.slice(0, 1).map(({ address }) => address));
  const request = { is: "affected", changed, isTouched: () => false, rules: [] } as const;
  const part = partOf(request, { ...declarationsOf([]), kinds: new Map([["Box", kind]]), desired });
  return desired.filter(part.selected).map(({ key }) => key);
}

test("a change affects what depends on it, at any distance, and what that refers to, but nothing else", () => {
  // Each box is an object of its own that claims nothing, so that only what they stand on connects them.
  const alone: Kind = { ...box, scope: (spec) => `box ${box.key(Box.parse(spec))}` };
  Reflect.deleteProperty(alone, "claims");
  const boxes: readonly Box[] = [
    { shelf: "a", name: "bottom" },
    { shelf: "a", name: "middle", on: ["bottom"] },
    { shelf: "a", name: "top", on: ["middle", "pillar"] },
    { shelf: "a", name: "pillar" },
    { shelf: "a", name: "beside", on: ["pillar"] },
    { shelf: "b", name: "elsewhere" },
  ];
  expect(affectedBy(alone, boxes)).toEqual(["a:bottom", "a:middle", "a:top", "a:pillar"]);
});

test("a change affects whatever might claim a part of the same object", () => {
  const names = [
    { shelf: "a", name: "changed" },
    { shelf: "a", name: "mate" },
    { shelf: "b", name: "elsewhere" },
  ];
  expect(affectedBy(box, names)).toEqual(["a:changed", "a:mate"]);
});

test("the digest depends on declarations, base and rules, but not on the folder or the contents of live lists", () => {
  const at = (folder: string) => {
    const spec = { shelf: "a", name: "1", content: { path: `${folder}/file`, sha256: "0" } };
    return { ...declare({ shelf: "a", name: "1" }), spec };
  };
  const one = at("/home/x");
  const stated = { ...declarationsOf([]), desired: [one] };
  const digest = digestOf(stated, { guards: 1 }, "/home/x");
  expect(digestOf({ ...stated, desired: [at("/home/y")] }, { guards: 1 }, "/home/y")).toBe(digest);
  const listed = { ...declare({ shelf: "b", name: "2" }), listed: true as const };
  expect(digestOf({ ...stated, desired: [one, listed] }, { guards: 1 }, "/home/x")).toBe(digest);
  const others = [
    digestOf({ ...stated, desired: [] }, { guards: 1 }, "/home/x"),
    digestOf({ ...stated, base: [one] }, { guards: 1 }, "/home/x"),
    digestOf({ ...stated, base: [] }, { guards: 1 }, "/home/x"),
    digestOf(stated, { guards: 2 }, "/home/x"),
  ];
  expect(new Set([digest, ...others]).size).toBe(5);
});

const guards = { maxDeletePercent: 30, accept: [], noDeletes: false, noExec: false };

/** A shard of two that read some boxes and knows of others. */
function shard(index: number, own: readonly string[], others: readonly string[], more: Partial<Plan> = {}) {
  const resources = index === 1 ? [own, others] : [others, own];
  const plan: Plan = {
    ...emptyPlan,
    inSync: own.map((key) => `store/Box/${key}`),
    shard: {
      index,
      of: 2,
      digest: "0",
      services: [],
      resources: resources.map((keys): Readonly<Record<string, readonly string[]>> => ({ "store/Box": keys })),
      live: {},
      protected: [],
      guards,
      narrowed: false,
    },
    ...more,
  };
  return { file: `${index}.json`, plan };
}

test("a list that changes between two shards causes neither gaps nor duplicates", () => {
  // The second shard saw `new`, which belongs to the first, and `moved` has come to it in the meantime.
  const merged = mergeShards([shard(1, ["a", "moved"], ["b"]), shard(2, ["b", "moved"], ["a", "new"])]);
  if (merged.is === "wrong") throw new Error(JSON.stringify(merged.problems));
  expect(merged.plan.inSync).toEqual(["store/Box/a", "store/Box/b", "store/Box/moved"]);
  expect(merged.plan.unknown).toMatchObject([{ address: "store/Box/new", problem: { code: "SP2007" } }]);
  expect(merged.plan.warnings).toBeUndefined();
});

test("a resource that a list moved between two shards is as the first of them saw it, even if the other could not read it", () => {
  const problem = { code: "SP3101", message: "No answer." } as const;
  const address = "store/Box/moved";
  const call = { id: 1, service: "store", operation: "put", args: {}, carries: [address], phase: 0, lane: "store a" };
  const unread = { inSync: ["store/Box/b"], unknown: [{ address, service: "store", problem }], calls: [call] };
  const merged = mergeShards([shard(1, ["a", "moved"], ["b"]), shard(2, ["b", "moved"], ["a"], unread)]);
  if (merged.is === "wrong") throw new Error(JSON.stringify(merged.problems));
  expect(merged.plan.inSync).toEqual(["store/Box/a", "store/Box/b", "store/Box/moved"]);
  expect(merged.plan.unknown).toEqual([]);
  expect(merged.plan.calls).toEqual([]);
});

test("what each shard says that its manifests newly leave alone or deliver elsewhere is in the merged plan once", () => {
  const says = (...keys: readonly string[]) => ({
    newlyAcknowledged: keys.map((key) => ({ address: `store/Box/${key}`, fields: ["size"] })),
    newlyDelivered: keys.map((key) => ({ address: `store/Box/${key}`, to: { file: key } })),
  });
  const merged = mergeShards([
    shard(2, ["b", "moved"], ["a"], says("b", "moved")),
    shard(1, ["a", "moved"], ["b"], says("a", "moved")),
  ]);
  if (merged.is === "wrong") throw new Error(JSON.stringify(merged.problems));
  expect(merged.plan).toMatchObject(says("a", "b", "moved"));
});

test("a merged plan is of the moment of the latest shard, adds up what they counted, and names each unread list once", () => {
  const store = { name: "store", role: "store", url: "https://store.example" };
  const problem = { code: "SP3101", message: "No answer." } as const;
  const keys = [..."abcdefghijklmn"];
  const half = (index: number, hour: number) => {
    const own = keys.filter((_key, at) => at % 2 === index - 1);
    const one = shard(index, own, keys, {
      about: { ...emptyPlan.about, at: `2027-01-13T0${hour}:00:00.000Z` },
      services: [{ ...store, reads: index }],
      inSync: [],
      changes: own.slice(0, 4).map((key) => change({ service: "store", kind: "Box", key, action: "delete" })),
      unknown: [{ address: "store/Crate/*", service: "store", problem }],
    });
    const kept = { ...shardOf(one), services: [store], live: { "store/Box": 10 } };
    return { ...one, plan: { ...one.plan, shard: kept } };
  };
  for (const [first = 0, second = 0] of [
    [1, 2],
    [2, 1],
  ]) {
    const merged = mergeShards([half(1, first), half(2, second)]);
    if (merged.is === "wrong") throw new Error(JSON.stringify(merged.problems));
    const { about, services, unknown, refusals } = merged.plan;
    expect(about.at).toBe("2027-01-13T02:00:00.000Z");
    expect(services).toEqual([{ ...store, reads: 3 }]);
    expect(unknown).toHaveLength(1);
    expect(refusals).toMatchObject([{ message: expect.stringContaining("deletes 8 of 20 live store/Box resources") }]);
  }
});

test("what no manifest declares is unknown if the shard that would have listed it is missing, even one without resources", () => {
  const merged = (more: Partial<Plan>) => {
    const made = mergeShards([shard(2, ["a"], [], more)]);
    return made.is === "merged" ? made.plan.unknown : made.problems;
  };
  expect(shardOfName("store/Box", 2)).toBe(1);
  expect(merged({ unmanaged: [] })).toMatchObject([
    { address: "store/Box/*", service: "store", problem: { code: "SP2007", address: "store/Box/*" } },
  ]);
  expect(merged({})).toEqual([]);
});

test("files that do not belong together are refused, each with its reason", () => {
  const [one, two] = [shard(1, ["a"], ["b"]), shard(2, ["b"], ["a"])];
  const withShard = (more: object) => ({
    ...two,
    file: "x.json",
    plan: { ...two.plan, shard: { ...shardOf(two), ...more } },
  });
  const drift = {
    ...two,
    file: "d.json",
    plan: { ...two.plan, about: { ...two.plan.about, command: "drift" as const } },
  };
  const at = "2027-01-14T00:01:00.000Z";
  const late = { file: "l.json", plan: { ...two.plan, about: { ...two.plan.about, at } } };
  const made = mergeShards([
    one,
    drift,
    late,
    withShard({ of: 3 }),
    withShard({ commit: "c0ffee" }),
    withShard({ digest: "1" }),
    one,
  ]);
  expect(
    made.is === "wrong" ? made.problems.map(({ code, message }) => `${code} ${message}`) : [],
  ).toMatchInlineSnapshot(`
    [
      "SP2006 d.json does not belong to 1.json: it is from drift and the other one from plan.",
      "SP2006 l.json does not belong to 1.json: it is of 2027-01-14 00:01 UTC and the other one of 2027-01-13 12:00 UTC.",
      "SP2006 x.json does not belong to 1.json: it is one of 3 shards and the other one of 2.",
      "SP2006 x.json does not belong to 1.json: its commit is c0ffee and the other one's is none.",
      "SP2006 x.json does not belong to 1.json: the manifests, the base, the rules or the options differ.",
      "SP2006 1.json is shard 1, and so is 1.json.",
    ]
  `);
});

function shardOf({ plan }: { readonly plan: Plan }): NonNullable<Plan["shard"]> {
  if (plan.shard === undefined) throw new Error("no shard");
  return plan.shard;
}
