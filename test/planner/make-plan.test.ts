import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Observation } from "../../src/core/change.ts";
import type { Kind } from "../../src/core/kind.ts";
import type { Resource } from "../../src/core/resource.ts";
import type { Plan, PlannedChange } from "../../src/core/run/plan.ts";
import { refusals } from "../../src/planner/guards.ts";
import { makePlan, type PlanInput } from "../../src/planner/make-plan.ts";
import { decideAll, subjectsOf } from "../../src/planner/subjects.ts";
import {
  absent,
  type Box,
  box,
  declare,
  fakeKinds,
  fakeOperations,
  gauge,
  planParts,
  present,
  unknown,
  wall,
} from "../support/fake-kinds.ts";

/** `live` is what exists; `observations` replaces the result of a reading. */
function input(
  desired: readonly Resource[],
  live: readonly Box[],
  { observations, ...more }: Partial<PlanInput> & { readonly observations?: Observations } = {},
): PlanInput {
  const known: Observations = new Map(live.map((spec) => [`store/Box/${box.key(spec)}`, present(spec)]));
  const declarations = {
    kinds: fakeKinds,
    desired,
    base: undefined,
    selected: () => true,
    now: new Date("2026-03-01T12:00:00Z"),
    ...more,
  };
  const subjects = subjectsOf(declarations);
  const looked = new Map(subjects.map(({ address }) => [address, known.get(address) ?? absent]));
  return {
    ...planParts,
    decided: decideAll(declarations, subjects, observations ?? looked),
    undeclared: new Map([...known].filter(([address]) => !looked.has(address))),
    ...declarations,
  };
}

type Observations = ReadonlyMap<string, Observation>;

function planned(of: PlanInput): Plan {
  const result = makePlan(of);
  if (result.is === "wrong") throw new Error(JSON.stringify(result.problems));
  return result.plan;
}

const boxes = (count: number, shelf = "a") =>
  Array.from({ length: count }, (_, n) => ({ shelf, name: `b${n}`, size: 1 }));

describe("a plan", () => {
  test("merges all changes of one remote object into one call that carries them all", () => {
    const plan = planned(input([declare({ shelf: "a", name: "x" }), declare({ shelf: "a", name: "y" })], []));
    expect(plan.calls).toEqual([
      {
        id: 1,
        service: "store",
        operation: "arrange",
        args: { shelf: "a", boxes: ["create a:x", "create a:y"] },
        carries: ["store/Box/a:x", "store/Box/a:y"],
        phase: 0,
        lane: "store shelf a",
        parts: ["x", "y"].map((name, index) => ({
          id: index + 2,
          service: "store",
          operation: "arrange",
          args: { shelf: "a", boxes: [`create a:${name}`] },
          carries: [`store/Box/a:${name}`],
          phase: 0,
          lane: "store shelf a",
        })),
      },
    ]);
    expect(plan.forecast).toEqual({ writes: { "store.arrange": 1 }, verifyScopes: 1 });
  });

  test("a joint call has parts, except for changes that decide one thing together; a call for one change has none", () => {
    const named = (...names: readonly string[]) => names.map((name) => declare({ shelf: "a", name }));
    const partsOf = (desired: readonly Resource[]) =>
      planned(input(desired, [])).calls.map(({ parts }) => parts?.map(({ id, args }) => [id, args.boxes]));
    expect(partsOf(named("1-glued", "2", "3-glued"))).toEqual([
      [
        [2, ["create a:2"]],
        [3, ["create a:1-glued", "create a:3-glued"]],
      ],
    ]);
    expect(partsOf(named("1-glued", "2-glued"))).toEqual([undefined]);
    expect(partsOf(named("1"))).toEqual([undefined]);
  });

  test.each([
    ["an operation", { ext: "facts.md, boxes" }, "requires arrange, which"],
    [
      "an argument",
      { args: z.strictObject({ shelf: z.string(), boxes: z.array(z.string()).meta({ ext: "facts.md, boxes" }) }) },
      "requires boxes of arrange, which",
    ],
  ])("a change that takes %s which is not sent to the service needs a person", (_what, mark, said) => {
    const table = { arrange: { ...fakeOperations.arrange, ...mark } };
    const plan = planned(
      input([declare({ shelf: "a", name: "x" })], [], { offeredBy: () => ({ table, wire: "documented" }) }),
    );
    expect(plan.calls).toEqual([]);
    expect(plan.changes).toMatchObject([
      { action: "check", verdict: "pending", instruction: expect.stringContaining(said) },
    ]);
  });

  test.each([{}, { arrange: { ...fakeOperations.arrange, effect: "read" as const } }])(
    "a call to anything but a write of the service is a bug in the kind, not work for a person",
    (table) => {
      const of = input([declare({ shelf: "a", name: "x" })], [], { offeredBy: () => ({ table, wire: "documented" }) });
      expect(() => makePlan(of)).toThrow("Box calls arrange");
    },
  );

  test("is wrong if a call has arguments that its operation rejects, each reported at the manifest of its change", () => {
    const args = z.strictObject({ shelf: z.enum(["a", "b"]), boxes: z.array(z.string().regex(/^create [abc]:x$/)) });
    const table = { arrange: { ...fakeOperations.arrange, args } };
    const boxes = [
      declare({ shelf: "a", name: "x" }),
      declare({ shelf: "b", name: "yy" }),
      declare({ shelf: "b", name: "x" }),
      declare({ shelf: "c", name: "y" }),
    ];
    const { place } = boxes[0] ?? {};
    const common = { code: "SP1002", service: "store", operation: "arrange", place };
    expect(makePlan(input(boxes, [], { offeredBy: () => ({ table, wire: "product" }) }))).toMatchObject({
      is: "wrong",
      problems: [
        { ...common, address: "store/Box/b:yy", message: expect.stringContaining("boxes[0]: ") },
        { ...common, address: "store/Box/c:y", message: expect.stringContaining("shelf is not a or b.") },
        { ...common, address: "store/Box/c:y", message: expect.stringContaining("boxes[0]: ") },
      ],
    });
  });

  test("has the arguments as the kind states them, not as they are sent", () => {
    const args = z.strictObject({ shelf: z.string(), boxes: z.array(z.string()).transform((boxes) => boxes.join()) });
    const table = { arrange: { ...fakeOperations.arrange, args } };
    const of = input([declare({ shelf: "a", name: "x" })], [], { offeredBy: () => ({ table, wire: "product" }) });
    expect(planned(of).calls[0]?.args).toEqual({ shelf: "a", boxes: ["create a:x"] });
  });

  test("has the place of each declared change and of its stated fields, and none for what no manifest declares", () => {
    const point = (line: number) => ({ file: "boxes.yaml", line, column: 1 });
    const statedAt: Resource["statedAt"] = ([name]) =>
      name === undefined ? point(1) : name === "size" ? point(7) : undefined;
    const stated = { ...declare({ shelf: "a", name: "x", size: 2 }), statedAt };
    const listed = declare({ shelf: "a", name: "z", size: 2 }, { state: "absent" });
    const live = { shelf: "a", name: "z", size: 3, label: "not declared" };
    const { changes } = planned(input([stated, listed], [live]));
    expect(changes).toMatchObject([
      {
        action: "create",
        place: point(1),
        fields: [{ path: ["shelf"] }, { path: ["name"] }, { path: ["size"], place: point(7) }],
      },
      { action: "delete", fields: [{ live: "a" }, { live: "z" }, { path: ["size"], live: 3, verdict: "pending" }] },
    ]);
    expect(changes[0]?.fields[0]).not.toHaveProperty("place");
    expect(changes[1]).not.toHaveProperty("place");
  });

  test("does not merge across phases, and orders by references", () => {
    const plan = planned(
      input([declare({ shelf: "a", name: "top", on: ["bottom"] }), declare({ shelf: "a", name: "bottom" })], []),
    );
    expect(plan.calls.map(({ phase, carries }) => [phase, carries])).toEqual([
      [0, ["store/Box/a:bottom"]],
      [1, ["store/Box/a:top"]],
    ]);
    expect(plan.changes.find(({ key }) => key === "a:top")?.dependsOn).toEqual(["store/Box/a:bottom"]);
  });

  test("deletes backwards: a referring resource goes before the one that it refers to", () => {
    const base = [declare({ shelf: "a", name: "top", on: ["bottom"] }), declare({ shelf: "a", name: "bottom" })];
    const live = [
      { shelf: "a", name: "top", on: ["bottom"] },
      { shelf: "a", name: "bottom" },
    ];
    const plan = planned(input([], live, { base }));
    expect(plan.calls.map(({ args }) => args.boxes)).toEqual([["delete a:top"], ["delete a:bottom"]]);
  });

  test("prunes nothing without a base", () => {
    expect(planned(input([], boxes(3))).changes).toEqual([]);
  });

  test("does nothing about a permanent object that left the manifests", () => {
    const left = declare({ shelf: "a", name: "x" }, {}, wall);
    const plan = planned(
      input([], [], { base: [left], observations: new Map([[left.address, present({ shelf: "a", name: "x" })]]) }),
    );
    expect(plan.changes).toEqual([]);
  });

  test("does nothing about what is unknown, nor about what needs it", () => {
    const top = declare({ shelf: "a", name: "top", on: ["bottom"] });
    const bottom = declare({ shelf: "a", name: "bottom" });
    const plan = planned(
      input([top, bottom], [], {
        observations: new Map([
          [bottom.address, unknown],
          [top.address, absent],
        ]),
      }),
    );
    expect(plan.calls).toEqual([]);
    expect(plan.unknown.map(({ address, problem }) => [address, problem.code])).toEqual([
      ["store/Box/a:bottom", "SP3101"],
      ["store/Box/a:top", "SP2003"],
    ]);
  });

  test("does nothing about what needs something that a person has to create", () => {
    const byHand: Kind = { ...box, needsPerson: ({ key }) => (key === "a:bottom" ? "Bring one." : undefined) };
    const kinds = new Map([...fakeKinds, ["Box", byHand] as const]);
    const boxes = [
      declare({ shelf: "a", name: "top", on: ["middle"] }),
      declare({ shelf: "a", name: "middle", on: ["bottom"] }),
      declare({ shelf: "a", name: "bottom" }),
    ];
    const plan = planned(input(boxes, [], { kinds }));
    expect(plan.changes.map(({ address, action }) => [address, action])).toEqual([["store/Box/a:bottom", "check"]]);
    expect(plan.calls).toEqual([]);
    expect(plan.unknown.map(({ address, problem }) => [address, problem.code])).toEqual([
      ["store/Box/a:middle", "SP3005"],
      ["store/Box/a:top", "SP2003"],
    ]);
  });

  test("does nothing about a chain of 10,000 whose last link is unknown", () => {
    const chain = Array.from({ length: 10_000 }, (_, n) => declare({ shelf: "a", name: `b${n}`, on: [`b${n + 1}`] }));
    const plan = planned({ ...input(chain, []), undeclared: new Map([["store/Box/a:b10000", unknown]]) });
    expect(plan.changes).toEqual([]);
    expect(plan.unknown).toHaveLength(10_000);
    expect(plan.unknown[0]).toMatchObject({
      address: "store/Box/a:b0",
      problem: { code: "SP2003", message: "It needs store/Box/a:b1, whose state is unknown." },
    });
  });

  test("a resource that the reading omits is unknown", () => {
    const plan = planned(input([declare({ shelf: "a", name: "x" })], [], { observations: new Map() }));
    expect(plan.unknown[0]?.problem.code).toBe("SP3104");
  });

  test("refuses a reference to a resource that is neither declared nor live", () => {
    const top = declare({ shelf: "a", name: "top", on: ["nowhere"] });
    const result = makePlan({ ...input([top], []), undeclared: new Map([["store/Box/a:nowhere", absent]]) });
    expect(result).toMatchObject({ is: "wrong", problems: [{ code: "SP1010", place: { file: "boxes.yaml" } }] });
  });

  test("shows in a drift what refers to a resource that someone has removed, and all else", () => {
    const top = declare({ shelf: "a", name: "top", on: ["nowhere"] });
    const of = { ...input([top], []), undeclared: new Map([["store/Box/a:nowhere", absent]]) };
    const { changes } = planned({ ...of, about: { ...of.about, command: "drift" } });
    expect(changes).toMatchObject([{ action: "create", address: "store/Box/a:top" }]);
  });

  test("accepts a reference to a resource that is live but not declared", () => {
    const top = declare({ shelf: "a", name: "top", on: ["there"] });
    expect(planned(input([top], [{ shelf: "a", name: "there" }])).calls).toHaveLength(1);
  });

  test("refuses a reference to a resource that is declared absent", () => {
    const result = makePlan(
      input(
        [
          declare({ shelf: "a", name: "top", on: ["gone"] }),
          declare({ shelf: "a", name: "gone" }, { state: "absent" }),
        ],
        [],
      ),
    );
    expect(result).toMatchObject({ is: "wrong", problems: [{ code: "SP1010" }] });
  });

  test("a circle is a problem that names its edges", () => {
    const result = makePlan(
      input([declare({ shelf: "a", name: "x", on: ["y"] }), declare({ shelf: "a", name: "y", on: ["x"] })], []),
    );
    expect(result).toMatchObject({
      is: "wrong",
      problems: [
        {
          code: "SP2001",
          message: expect.stringContaining("store/Box/a:x needs store/Box/a:y, store/Box/a:y needs store/Box/a:x"),
        },
      ],
    });
  });

  test("counts ignored fields", () => {
    const wanted = declare({ shelf: "a", name: "x", size: 2 }, { ignore: ["size"] });
    expect(planned(input([wanted], [{ shelf: "a", name: "x", size: 1 }])).ignored).toEqual([
      { address: "store/Box/a:x", field: "size" },
    ]);
  });

  test("a fingerprint covers what was read of each remote object that changes, and nothing that is unknown", () => {
    const desired = [declare({ shelf: "a", name: "x", size: 2 })];
    const print = (size: number) =>
      planned(input(desired, [{ shelf: "a", name: "x", size }])).fingerprints["store shelf a"];
    expect(print(1)).toMatch(/^[0-9a-f]{64}$/);
    expect(print(1)).toBe(print(1));
    expect(print(1)).not.toBe(print(3));
    expect(print(2)).toBeUndefined();
    const observations = new Map([["store/Box/a:x", unknown]]);
    expect(planned(input(desired, [], { observations })).fingerprints).toEqual({});
  });

  test("law: the order of resources makes no difference", () => {
    const specs = fc.uniqueArray(
      fc.record({ shelf: fc.constantFrom("a", "b"), name: fc.constantFrom("p", "q", "r", "s"), size: fc.nat(2) }),
      { selector: ({ shelf, name }) => `${shelf}:${name}` },
    );
    fc.assert(
      fc.property(specs, specs, fc.infiniteStream(fc.nat()), (wanted, live, stream) => {
        const shuffled = wanted
          .map((spec) => [stream.next().value ?? 0, spec] as const)
          .sort(([a], [b]) => a - b)
          .map(([, spec]) => declare(spec));
        const inOrder = planned(
          input(
            wanted.map((spec) => declare(spec)),
            live,
          ),
        );
        expect(planned(input(shuffled, live))).toEqual(inOrder);
      }),
    );
  });
});

test.each([
  ["plan", "Closing it also opens the lid."],
  ["drift", undefined],
] as const)("what closing a difference also does is noted by a %s as %o", (command, note) => {
  const spec = { shelf: "a", name: "x", size: 1 };
  const ahead = "Closing it also opens the lid.";
  const live: Observation = { is: "present", spec: { ...spec, size: 2 }, marker: undefined, ahead };
  const observations: Observations = new Map([["store/Box/a:x", live]]);
  const about = { command, at: "2027-01-14T02:00:00.000Z", workspace: "platform" };
  const [change] = planned(input([declare(spec)], [], { observations, about })).changes;
  expect([change?.action, change?.note]).toEqual(["update", note]);
});

describe("guards", () => {
  const base = (count: number) => boxes(count).map((spec) => declare(spec));

  test("refuse to delete more than 30 % of a kind once there are ten", () => {
    const refused = planned(input(base(10).slice(4), boxes(10), { base: base(10) }));
    expect(refused.refusals).toMatchObject([{ code: "SP2002", message: expect.stringContaining("4 of 10") }]);
    expect(planned(input(base(10).slice(3), boxes(10), { base: base(10) })).refusals).toEqual([]);
    expect(planned(input([], boxes(9), { base: base(9) })).refusals).toEqual([]);
  });

  test("refuse more deletes than the workspace allows", () => {
    const guards = { maxDeletes: 1, maxDeletePercent: 100, noDeletes: false };
    expect(planned(input([], boxes(2), { base: base(2), guards })).refusals).toHaveLength(1);
    expect(planned(input([], boxes(1), { base: base(1), guards })).refusals).toEqual([]);
  });

  test("refuse any delete with --no-deletes", () => {
    const guards = { maxDeletePercent: 30, noDeletes: true };
    expect(planned(input([], boxes(1), { base: base(1), guards })).refusals).toHaveLength(1);
  });

  test("refuse what cannot be undone with --no-deletes, whatever the action is called", () => {
    const change: PlannedChange = {
      address: "store/Rule/r",
      service: "store",
      kind: "Rule",
      key: "r",
      action: "update",
      verdict: "pending",
      fields: [],
      risks: ["irreversible"],
      dependsOn: [],
      phase: 0,
    };
    const refused = (noDeletes: boolean) =>
      refusals([change], new Map(), () => false, { maxDeletePercent: 0, maxDeletes: 0, noDeletes });
    expect(refused(false)).toEqual([]);
    expect(refused(true)).toMatchObject([{ code: "SP2002", message: expect.stringContaining("store/Rule/r") }]);
  });

  test("do not refuse what is only checked, whatever its kind says about the risks of a write", () => {
    const risky: Kind = { ...gauge, risk: () => ["irreversible", "widens-access"] };
    const plan = planned(
      input([declare({ shelf: "a", name: "x" }, {}, gauge)], [], {
        kinds: new Map([["Gauge", risky]]),
        guards: { maxDeletePercent: 30, noDeletes: true, accept: ["widens-access"] },
      }),
    );
    expect(plan).toMatchObject({ changes: [{ action: "check", risks: [] }], refusals: [] });
  });

  test("refuse to delete what is protected, even if it left the manifests", () => {
    const spec = { shelf: "a", name: "b0", size: 1 };
    const left = planned(input([], [spec], { base: [declare(spec, { protect: true })] }));
    expect(left.refusals).toMatchObject([{ code: "SP2002", address: "store/Box/a:b0" }]);
    const asked = planned(input([declare(spec, { protect: true, state: "absent" })], [spec]));
    expect(asked.refusals).toHaveLength(1);
  });

  test("refuse to delete what one commit both deletes and stops protecting", () => {
    const spec = { shelf: "a", name: "b0", size: 1 };
    const base = [declare(spec, { protect: true })];
    const desired = [declare(spec, { state: "absent" })];
    expect(planned(input(desired, [spec], { base })).refusals).toMatchObject([{ address: "store/Box/a:b0" }]);
  });
});

describe("a selection", () => {
  test("narrows what is read, while the rest still counts as declared", () => {
    const top = declare({ shelf: "a", name: "top", on: ["bottom"] });
    const bottom = declare({ shelf: "a", name: "bottom" });
    const plan = planned(input([top, bottom], [], { selected: ({ key }) => key === "a:top" }));
    expect(plan.changes.map(({ key }) => key)).toEqual(["a:top"]);
  });

  test("does not prune what is declared but was not selected", () => {
    const moved = declare({ shelf: "a", name: "x" });
    const plan = planned(
      input([moved], [{ shelf: "a", name: "x" }], { base: [moved], selected: (resource) => resource !== moved }),
    );
    expect(plan.changes).toEqual([]);
  });
});
