import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Observation } from "../../../src/core/change.ts";
import type { Kind } from "../../../src/core/kind.ts";
import { makePlan } from "../../../src/planner/make-plan.ts";
import { absent, box, declare, fakeKinds, present, unknown, wall } from "../../support/fake-kinds.ts";
import { boxes, input, type Observations, planned } from "./input.ts";

describe("a plan", () => {
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
