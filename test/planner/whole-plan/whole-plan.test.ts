import { describe, expect, test } from "vitest";
import { callOf } from "../../../src/core/call.ts";
import type { ObjectEvent, Observation } from "../../../src/core/change.ts";
import type { Kind } from "../../../src/core/kind.ts";
import type { Resource } from "../../../src/core/resource.ts";
import { fingerprint } from "../../../src/planner/compile.ts";
import { fingerprintsOf } from "../../../src/planner/make-plan.ts";
import { box, declare, fakeOperations, present, unknown } from "../../support/fake-kinds.ts";
import { isNightly } from "../../support/measured.ts";
import { input, planOf, point } from "./input.ts";

const asChest = (resource: Resource): Resource => ({
  ...resource,
  kind: "Chest",
  address: resource.address.replace("/Box/", "/Chest/"),
});
const stated = (resource: Resource): Resource => ({
  ...resource,
  statedAt: ([name]) => (name === undefined ? point(1) : name === "label" ? point(4) : undefined),
});

describe("a plan", () => {
  const created = stated(declare({ shelf: "a", name: "created", label: "l" }));
  const updated = asChest(declare({ shelf: "b", name: "updated", label: "new", size: 1 }, { ignore: ["on"] }));
  const settled = declare({ shelf: "c", name: "settled" });
  const lost = declare({ shelf: "c", name: "lost" });
  const gone = {
    ...asChest(declare({ shelf: "d", name: "gone", size: 3 }, { state: "absent" })),
    because: "expired on 2026-01-01",
  };
  const edited: ObjectEvent = { what: "edited", by: "ada" };
  const services = [{ name: "store", role: "review", url: "https://store.example", reads: 3 }];
  const unlisted = [{ address: "store/Box/*", service: "store", problem: { code: "SP3101" as const, message: "No." } }];
  const live = {
    updated: {
      is: "present" as const,
      spec: { shelf: "b", name: "updated", label: "old" },
      marker: 1,
      note: "odd",
      events: [edited],
    },
    settled: present({ shelf: "c", name: "settled" }),
    lost: unknown,
    gone: present({ shelf: "d", name: "gone", label: "x" }),
  };

  test("shows every resource once, with everything known about its change", () => {
    const of = input([updated, lost, settled, gone, created], live, {
      base: [updated],
      services,
      unlisted,
      baseRef: "main",
    });
    const plan = planOf(of);
    const call = (id: number, shelf: string, phase: number, address: string, box: string) => ({
      id,
      service: "store",
      operation: "arrange",
      args: { shelf, boxes: [box] },
      carries: [address],
      phase,
      lane: `store shelf ${shelf}`,
    });
    expect(plan).toStrictEqual({
      version: 1,
      about: { command: "plan", at: "2027-01-14T02:00:00.000Z", workspace: "platform" },
      base: "main",
      services,
      changes: [
        {
          address: "store/Box/a:created",
          service: "store",
          kind: "Box",
          key: "a:created",
          place: point(1),
          action: "create",
          verdict: "pending",
          fields: [
            { path: ["shelf"], live: undefined, desired: "a", verdict: "pending" },
            { path: ["name"], live: undefined, desired: "created", verdict: "pending" },
            { path: ["label"], live: undefined, desired: "l", verdict: "pending", place: point(4) },
          ],
          risks: [],
          dependsOn: [],
          phase: 0,
        },
        {
          address: "store/Chest/b:updated",
          service: "store",
          kind: "Chest",
          key: "b:updated",
          action: "update",
          verdict: "drift",
          happened: { action: "update", risks: ["narrows-access"] },
          fields: [{ path: ["label"], live: "old", desired: "new", verdict: "drift" }],
          risks: ["narrows-access"],
          note: "odd",
          events: [edited],
          dependsOn: [],
          phase: 0,
        },
        {
          address: "store/Chest/d:gone",
          service: "store",
          kind: "Chest",
          key: "d:gone",
          action: "delete",
          verdict: "pending",
          fields: [
            { path: ["shelf"], live: "d", desired: undefined, verdict: "pending" },
            { path: ["name"], live: "gone", desired: undefined, verdict: "pending" },
            { path: ["made"], live: "of wood", desired: undefined, verdict: "pending" },
          ],
          risks: ["irreversible"],
          note: "expired on 2026-01-01",
          dependsOn: [],
          phase: 0,
        },
      ],
      inSync: ["store/Box/c:settled"],
      unknown: [
        { address: "store/Box/c:lost", service: "store", problem: { code: "SP3101", message: "No answer." } },
        ...unlisted,
      ],
      ignored: [],
      refusals: [],
      calls: [
        call(1, "a", 0, "store/Box/a:created", "create a:created"),
        call(2, "b", 0, "store/Chest/b:updated", "update b:updated"),
        call(3, "d", 0, "store/Chest/d:gone", "delete d:gone"),
      ],
      forecast: { writes: { "store.arrange": 3 }, verifyScopes: 3 },
      fingerprints: {
        "store shelf a": expect.stringMatching(/^[0-9a-f]{64}$/),
        "store shelf b": expect.stringMatching(/^[0-9a-f]{64}$/),
        "store shelf d": expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
  });

  test("shows a field that cannot be read back if the resource is created", () => {
    const { changes } = planOf(input([asChest(declare({ shelf: "a", name: "x", size: 3 }))], {}));
    expect(changes[0]?.fields.map(({ path, desired }) => [path, desired])).toEqual([
      [["shelf"], "a"],
      [["name"], "x"],
      [["size"], 3],
      [["made"], "of wood"],
    ]);
  });

  test("prefers events from the history to those of the reading, and omits an empty list", () => {
    const used: ObjectEvent = { what: "used" };
    expect(planOf(input([updated], live, { events: { updated: [used] } })).changes[0]?.events).toEqual([used]);
    expect(planOf(input([updated], live, { events: { updated: [] } })).changes[0]).not.toHaveProperty("events");
    expect(planOf(input([created], live)).changes[0]).not.toHaveProperty("events");
  });

  test("counts what left the manifests without existing as neither in sync nor changed", () => {
    expect(planOf(input([], {}, { base: [settled] }))).toMatchObject({ inSync: [], changes: [], unknown: [] });
  });

  test("has its optional parts only if they were requested", () => {
    const bare = planOf(input([], {}));
    for (const name of ["base", "unmanaged", "orphans", "consented", "triggers"]) expect(bare).not.toHaveProperty(name);
    for (const none of [{ orphans: [], consent: {} }])
      for (const name of ["orphans", "consented"]) expect(planOf(input([], {}, none))).not.toHaveProperty(name);
    const consent = { maxDeletes: 3 };
    const asked = input([], {}, { unmanaged: [], orphans: ["shop/Box/x"], consent });
    expect(planOf(asked)).toMatchObject({ unmanaged: [], orphans: ["shop/Box/x"], consented: consent });
  });

  test("counts calls by operation, sorted by name, and each remote object once", () => {
    const table = { ...fakeOperations, b: fakeOperations.arrange, a: fakeOperations.arrange };
    const call = callOf<typeof table>();
    const kind: Kind = {
      ...box,
      compile: (changes) => [
        call("b", { shelf: "1", boxes: [] }, changes),
        call("a", { shelf: "2", boxes: [] }, changes),
        call("b", { shelf: "3", boxes: [] }, changes),
      ],
    };
    const of = input([created], {}, { kinds: new Map([["Box", kind]]), offeredBy: () => ({ table, wire: "product" }) });
    const { forecast } = planOf(of);
    expect(JSON.stringify(forecast)).toBe('{"writes":{"store.a":1,"store.b":2},"verifyScopes":1}');
  });
});

test("a fingerprint ignores who changed an object and covers everything else that was read", () => {
  const [one] = input([declare({ shelf: "a", name: "x" })], { x: present({ shelf: "a", name: "x" }) }).decided;
  if (one === undefined) throw new Error("nothing was decided");
  const print = (observation: Observation) => fingerprintsOf([{ ...one, observation }])["store shelf a"];
  const seen = { is: "present", spec: { size: 1 }, marker: 1 } as const;
  expect(print({ ...seen, events: [{ what: "used" }] })).toBe(print(seen));
  for (const other of [
    { ...seen, marker: 2 },
    { ...seen, marker: { rules: { a: 1 } } },
    { ...seen, spec: { size: 2 } },
    { ...seen, note: "n" },
    { is: "absent", marker: 1 } as const,
  ])
    expect(print(other)).not.toBe(print(seen));
  expect(fingerprintsOf([{ ...one, observation: unknown }])).toEqual({});
  expect(fingerprintsOf([{ ...one, address: "store/Box/a:y" }])).not.toEqual(fingerprintsOf([one]));
});

test("a fingerprint of many resources writes out only once what all of their markers have in common", () => {
  const [one] = input([declare({ shelf: "a", name: "x" })], { x: present({ shelf: "a", name: "x" }) }).decided;
  if (one === undefined) throw new Error("nothing was decided");
  let written = 0;
  const rules = (text: string) => ({ toJSON: () => [written++, text][1] });
  const many = (shared: object) =>
    Array.from({ length: 600 }, (_, index) => {
      const observation = { is: "present", spec: {}, marker: { rules: shared, index } } as const;
      return { ...one, address: `store/Box/a:${index}`, observation };
    });
  expect(fingerprintsOf(many(rules("x")))).not.toEqual(fingerprintsOf(many(rules("y"))));
  expect(written).toBe(2);
});

describe("a fingerprint", () => {
  const [one] = input([declare({ shelf: "a", name: "x" })], { x: present({ shelf: "a", name: "x" }) }).decided;
  if (one === undefined) throw new Error("nothing was decided");
  const listOf = (texts: readonly string[]) =>
    texts.map((text) => ({ ...one, observation: { is: "present", spec: { text }, marker: undefined } as const }));

  test("of a list is made from those of its resources, so that no text holds all of them", () => {
    const list = listOf(["a", "b"]);
    const each = list.map(({ address, observation }) => [address, fingerprint(observation)]);
    expect(fingerprintsOf(list)).toEqual({ [one.lane]: fingerprint(each) });
  });

  test.runIf(isNightly)("covers more than fits into one string", () => {
    const large = listOf(Array.from({ length: 33 }, () => "x".repeat(2 ** 24)));
    expect(fingerprintsOf(large)).not.toEqual(fingerprintsOf(large.slice(0, 1)));
  });
});
