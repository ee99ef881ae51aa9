import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Resource } from "../../../src/core/resource.ts";
import { makePlan } from "../../../src/planner/make-plan.ts";
import { declare, fakeOperations } from "../../support/fake-kinds.ts";
import { input, planned } from "./input.ts";

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
});
