import { describe, expect, test } from "vitest";
import { z } from "zod";
import { callOf } from "../../src/core/call.ts";
import type { Writable } from "../../src/core/change.ts";
import type { Kind } from "../../src/core/kind.ts";
import type { OperationTable } from "../../src/core/operation.ts";
import type { Resource } from "../../src/core/resource.ts";
import { compileCalls, fingerprint, type PhasedChange, rowOf } from "../../src/planner/compile.ts";
import { laneOf } from "../../src/planner/subjects.ts";
import { box, declare, fakeOperations, gauge } from "../support/fake-kinds.ts";

type Compile = NonNullable<Kind["compile"]>;
const call = callOf<typeof fakeOperations>();
const arrange = (shelf: string, changes: readonly Pick<Writable, "address" | "key">[]) =>
  call("arrange", { shelf, boxes: changes.map(({ key }) => key) }, changes);

function change(key: string, part: Partial<PhasedChange> = {}): PhasedChange {
  const address = `store/Box/${key}`;
  return {
    change: { address, key, verdict: "pending", marker: undefined, action: "create", desired: {} },
    kind: box,
    service: "store",
    scope: "a",
    lane: laneOf(part.service ?? "store", part.scope ?? "a"),
    phase: 0,
    ...part,
  };
}

const kindThat = (compile: Compile): Kind => ({ ...box, compile });
const compiled = (
  changes: readonly PhasedChange[],
  table: OperationTable = fakeOperations,
  desired: readonly Resource[] = [],
) => compileCalls(changes, { offeredBy: () => ({ table, wire: "product" }), desired });
const shown = (changes: readonly PhasedChange[], table?: OperationTable) =>
  compiled(changes, table).calls.map(({ args, parts }) => [
    args.boxes,
    ...(parts ?? []).map((part) => part.args.boxes),
  ]);

describe("calls", () => {
  test("are ordered by phase and then by remote object, and are numbered in that order", () => {
    const at = (key: string, scope: string, phase: number) =>
      change(key, { scope, phase, kind: kindThat((all) => [arrange(scope, all)]) });
    const { calls } = compiled([at("4", "b", 1), at("3", "a", 1), at("2", "c", 0), at("1", "b", 0)]);
    expect(calls.map(({ id, phase, lane }) => [id, phase, lane])).toEqual([
      [1, 0, "store b"],
      [2, 0, "store c"],
      [3, 1, "store a"],
      [4, 1, "store b"],
    ]);
  });

  test("of one remote object keep the order in which its kinds make them", () => {
    const kind = kindThat((all) => [arrange("z", all), arrange("y", all)]);
    expect(compiled([change("1", { kind })]).calls.map(({ args }) => args.shelf)).toEqual(["z", "y"]);
  });

  test("are made for the changes of a phase, kind and remote object together, except those that need a person", () => {
    const asked: (readonly [string, readonly string[]])[] = [];
    const kind = kindThat((all, scope) => {
      asked.push([scope, all.map(({ key }) => key)]);
      return [arrange(scope, all)];
    });
    const check = { address: "store/Box/p", key: "p", verdict: "pending", marker: undefined, action: "check" } as const;
    const byHand = change("p", { kind, change: { ...check, desired: {}, live: {}, fields: [], instruction: "Do." } });
    const changes = ["1", "2"].map((key) => change(key, { kind }));
    compiled([...changes, byHand, change("3", { kind, phase: 1 }), change("4", { kind, scope: "b" })]);
    expect(asked.filter(([, keys]) => keys.length > 1)).toEqual([["a", ["1", "2"]]]);
    expect(asked).toContainEqual(["b", ["4"]]);
    asked.length = 0;
    expect(compiled([byHand])).toEqual({ calls: [], problems: [] });
    expect(asked).toEqual([]);
  });

  test("do not exist for a kind that can only be checked", () => {
    expect(compiled([change("1", { kind: gauge })]).calls).toEqual([]);
  });

  test("to anything but a write of the service are a bug in the kind", () => {
    const read = { arrange: { ...fakeOperations.arrange, effect: "read" as const } };
    for (const table of [{}, read])
      expect(() => compiled([change("1")], table)).toThrow("Box calls arrange, but its service has no such write");
    const wrong = { operation: "toString", args: {}, carries: [] };
    expect(() => rowOf(box, wrong, fakeOperations)).toThrow("Box calls toString");
    expect(rowOf(box, { ...wrong, operation: "arrange" }, fakeOperations)).toBe(fakeOperations.arrange);
  });

  test("to one object are joined only if their operation says how", () => {
    const { merge: _merge, ...alone } = fakeOperations.arrange;
    const kind = kindThat((all) => all.map((one) => arrange("a", [one])));
    const changes = ["1", "2"].map((key) => change(key, { kind }));
    expect(shown(changes)).toEqual([[["1", "2"], ["1"], ["2"]]]);
    expect(shown(changes, { arrange: alone })).toEqual([[["1"]], [["2"]]]);
    expect(shown([change("1", { kind }), change("2", { kind, service: "shop" })])).toEqual([[["2"]], [["1"]]]);
  });
});

describe("the parts of a joint call", () => {
  const changes = (compile: Compile, ...keys: readonly string[]) =>
    keys.map((key) => change(key, { kind: kindThat(compile) }));

  test("are the calls that close each change alone, even if the kind itself joins them", () => {
    expect(shown(changes((all) => [arrange("a", all)], "1", "2"))).toEqual([[["1", "2"], ["1"], ["2"]]]);
  });

  test("are calls to the same object only", () => {
    const made = compiled(changes((all) => all.flatMap((one) => [arrange("a", [one]), arrange("b", [one])]), "1", "2"));
    expect(
      made.calls.map(({ id, args, parts }) => [id, args.shelf, parts?.map((part) => [part.id, part.args.shelf])]),
    ).toEqual([
      [
        1,
        "a",
        [
          [2, "a"],
          [3, "a"],
        ],
      ],
      [
        4,
        "b",
        [
          [5, "b"],
          [6, "b"],
        ],
      ],
    ]);
  });

  test("are calls of the same operation only", () => {
    const table = { ...fakeOperations, tidy: fakeOperations.arrange };
    const both = callOf<typeof table>();
    const kind = (all: readonly Writable[]) =>
      all.flatMap((one) => [
        both("arrange", { shelf: "a", boxes: [one.key] }, [one]),
        both("tidy", { shelf: "a", boxes: [one.key] }, [one]),
      ]);
    const { calls } = compiled(changes(kind, "1", "2"), table);
    expect(calls.map(({ operation, parts }) => [operation, parts?.map((part) => part.operation)])).toEqual([
      ["arrange", ["arrange", "arrange"]],
      ["tidy", ["tidy", "tidy"]],
    ]);
  });

  test("do not exist if a change alone has no such call, since none of them would carry it", () => {
    const needed: Compile = (all) => {
      const own = all.length > 1 ? all : all.filter(({ key }) => key !== "1");
      return own.length === 0 ? [] : [arrange("a", own)];
    };
    expect(shown(changes(needed, "1", "2", "3"))).toEqual([[["1", "2", "3"]]]);
  });

  test("do not exist if a change alone has several such calls, the joint call itself, or a secret to deliver", () => {
    const twice: Compile = (all) =>
      all.flatMap((one) => (one.key === "2" ? [arrange("a", [one]), arrange("a", [one])] : [arrange("a", [one])]));
    expect(shown(changes(twice, "1", "2", "3"))).toEqual([[["1", "2", "2", "3"]]]);
    const same: Compile = (all) =>
      all.length > 1
        ? [arrange("a", all)]
        : all.map((one) =>
            call("arrange", { shelf: "a", boxes: one.key === "2" ? ["1", "2", "3"] : [one.key] }, [one]),
          );
    expect(shown(changes(same, "1", "2", "3"))).toEqual([[["1", "2", "3"]]]);
    const otherwise = { operation: "arrange", argument: "shelf", from: "id" };
    const delivers: Compile = (all) =>
      all.map((one) => ({
        ...arrange("a", [one]),
        ...(one.key === "2" ? { deliver: { from: "t", to: { file: "f" }, otherwise } } : {}),
      }));
    expect(shown(changes(delivers, "1", "2", "3"))).toEqual([[["1", "2", "3"]]]);
  });

  test("of many changes ask each change only a few times what it decides", () => {
    const { arrange: row } = fakeOperations;
    let asked = 0;
    const merge = row.merge && {
      ...row.merge,
      decides: () => {
        asked++;
        return [];
      },
    };
    const each: Compile = (all) => all.map((one) => arrange("a", [one]));
    const keys = Array.from({ length: 200 }, (_, index) => String(index));
    const [[, ...parts] = []] = shown(changes(each, ...keys), { arrange: { ...row, ...(merge && { merge }) } });
    expect(parts).toEqual(keys.map((key) => [key]));
    expect(asked).toBeLessThan(3 * keys.length);
  });

  test("keep changes together that decide one thing, and do not exist if those are all", () => {
    const each: Compile = (all) => all.map((one) => arrange("a", [one]));
    expect(shown(changes(each, "1 glued", "2", "3 glued", "4"))).toEqual([
      [["1 glued", "2", "3 glued", "4"], ["2"], ["1 glued", "3 glued"], ["4"]],
    ]);
    expect(shown(changes(each, "1 glued", "2 glued"))).toEqual([[["1 glued", "2 glued"]]]);
  });
});

describe("arguments that cannot be sent", () => {
  const args = z.strictObject({ shelf: z.string(), boxes: z.array(z.string().max(1)) });
  const table = { arrange: { ...fakeOperations.arrange, args } };
  const kind = kindThat((all) => all.map((one) => arrange("a", [one])));
  const place = { file: "boxes.yaml", line: 9, column: 2 };
  const declared = { ...declare({ shelf: "a", name: "x" }), address: "store/Box/long", place };
  const problem = {
    code: "SP1002",
    service: "store",
    operation: "arrange",
    address: "store/Box/long",
    message: "The arguments of arrange are wrong: boxes[0] is too long: expected at most 1 character.",
    hint: "Correct the value in the manifest; `setpoint call store arrange --help` lists the arguments.",
  };

  test("are reported once, for the change that has them, at its manifest if it has one", () => {
    const changes = ["1", "long"].map((key) => change(key, { kind }));
    expect(compiled(changes, table, [declared]).problems).toStrictEqual([{ ...problem, place }]);
    expect(compiled(changes, table).problems).toStrictEqual([problem]);
    expect(compiled(changes.slice(1), table).problems).toStrictEqual([problem]);
    expect(compiled(changes.slice(0, 1), table).problems).toEqual([]);
  });

  test("of a call that carries nothing are reported for no resource", () => {
    const idle = kindThat(() => [call("arrange", { shelf: "a", boxes: ["long"] }, [])]);
    const { address: _address, ...rest } = problem;
    expect(compiled([change("1", { kind: idle })], table).problems).toStrictEqual([rest]);
  });
});

test("a fingerprint is the same for the same JSON, and equals the SHA-256 that others compute", () => {
  expect(fingerprint({ b: 1, a: undefined })).toBe(fingerprint({ b: 1 }));
  expect(fingerprint({ b: 1, a: [2] })).toBe(fingerprint({ a: [2], b: 1 }));
  expect(fingerprint({})).toBe("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
});
