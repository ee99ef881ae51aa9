import { describe, expect, test } from "vitest";
import type { PlannedCall } from "../../../src/core/call.ts";
import type { Problem } from "../../../src/core/problem.ts";
import type { Plan, PlannedChange } from "../../../src/core/run/plan.ts";
import { agree, type Comparison } from "../../../src/planner/saved/agreement.ts";
import { change, emptyPlan } from "../../reports/fixture.ts";

const address = (key: string) => `store/Box/${key}`;
const changed = (key: string, part: Partial<PlannedChange> = {}) =>
  change({ service: "store", kind: "Box", key, action: "update", ...part });
const call = (id: number, key: string, part: Partial<PlannedCall> = {}): PlannedCall => ({
  id,
  service: "store",
  operation: "arrange",
  args: { box: key },
  carries: [address(key)],
  phase: 0,
  lane: `store ${key}`,
  ...part,
});
const trigger = call(9, "t", { operation: "start", carries: [], phase: 2 });

const plan: Plan = {
  ...emptyPlan,
  changes: [changed("a"), changed("b")],
  calls: [call(1, "a"), call(2, "b", { phase: 1 })],
};
const moved: Problem = { code: "SP4003", message: "It has moved." };

function compared(saved: Plan, again: Plan, held: readonly string[] = [], part: Partial<Comparison> = {}) {
  const looked = new Set(["a", "b", "c"].map(address));
  const holding = new Map(held.map((key) => [address(key), moved]));
  return agree({ saved, again, looked, held: holding, done: new Set(), folder: "/srv/site", ...part });
}

function agreed(...of: Parameters<typeof compared>) {
  const result = compared(...of);
  if (result.is === "wrong") throw new Error(JSON.stringify(result.problems));
  return result;
}

function wrong(...of: Parameters<typeof compared>) {
  const result = compared(...of);
  return result.is === "wrong" ? result.problems : [];
}

const hint = "Plan again, and apply the file unchanged.";

describe("a plan that matches its saved form", () => {
  test("is executed with the calls that were made again, numbered in the order of phases", () => {
    const again = { ...plan, calls: [call(7, "b", { phase: 1 }), call(8, "a")] };
    expect(agreed(plan, again)).toEqual({ is: "agreed", plan, withheld: new Map() });
    expect(agreed(plan, plan).plan).not.toHaveProperty("triggers");
  });

  test("can differ in numbers, and in what depends on the moment of reading", () => {
    const place = { file: "a.yaml", line: 1, column: 1 };
    const field = { path: ["size"], live: 1, desired: 2, verdict: "pending" } as const;
    const saved = { ...plan, changes: [changed("a", { fields: [field], events: [{ what: "used" }] }), changed("b")] };
    const again = { ...plan, changes: [changed("a", { fields: [{ ...field, place }], place }), changed("b")] };
    expect(agreed(saved, again).plan.changes).toBe(saved.changes);
    const parts = { ...plan, calls: [call(1, "a", { parts: [call(2, "a")] }), call(3, "b", { phase: 1 })] };
    const renumbered = { ...plan, calls: [call(11, "a", { parts: [call(12, "a")] }), call(13, "b", { phase: 1 })] };
    expect(agreed(parts, renumbered).plan.calls).toEqual(parts.calls);
  });

  test("sends calls with the paths of this machine, and compares them with the paths in the plan", () => {
    const file = (folder: string) => ({
      ...plan,
      calls: [call(1, "a", { args: { file: `${folder}/x`, sha256: "0" } }), call(2, "b", { phase: 1 })],
    });
    expect(agreed(file("."), file("/srv/site")).plan.calls[0]?.args).toEqual({ file: "/srv/site/x", sha256: "0" });
    expect(wrong(file("."), file("/elsewhere"))).toHaveLength(2);
  });

  test("starts its triggers after its calls", () => {
    const of = { ...plan, triggers: [trigger] };
    const { plan: done, withheld } = agreed(of, of);
    expect([done.calls, done.triggers, withheld.size]).toEqual([plan.calls, [{ ...trigger, id: 3 }], 0]);
  });
});

describe("a resource that has moved", () => {
  test("is withheld with its calls and those in the file, which are numbered like all others", () => {
    const again = { ...plan, changes: [changed("a")], calls: [call(1, "a")] };
    const { plan: done, withheld } = agreed(plan, again, ["b"]);
    expect(done).toEqual(plan);
    expect([...withheld]).toEqual([[2, moved]]);
    const parts = {
      ...plan,
      calls: [call(1, "a", { parts: [call(2, "a"), call(3, "a")] }), call(4, "b", { phase: 1 })],
    };
    const rest = { ...plan, changes: [changed("b")], calls: [call(1, "b", { phase: 1 })] };
    const other = agreed(parts, rest, ["a"]);
    expect(other.plan.calls).toEqual(parts.calls);
    expect([...other.withheld.keys()]).toEqual([1]);
  });

  test("holds back every call that carries it together with something else", () => {
    const both = { ...plan, calls: [call(1, "a", { carries: [address("a"), address("b")] })] };
    expect([...agreed(both, { ...both, changes: [changed("a")], calls: [] }, ["b"]).withheld.keys()]).toEqual([1]);
    const done = { done: new Set([address("a")]) };
    expect([...agreed(both, { ...both, changes: [], calls: [] }, ["b"], done).withheld.keys()]).toEqual([1]);
  });

  test.each<[string, Plan, readonly string[]]>([
    ["held", plan, ["b"]],
    ["unknown", { ...plan, unknown: [{ address: address("u"), service: "store", problem: moved }] }, []],
    ["for a person", { ...plan, changes: [changed("a"), changed("b"), changed("c", { action: "check" })] }, []],
  ])("keeps triggers from starting, as does anything else that is not done: something %s", (_what, of, held) => {
    const saved = { ...of, triggers: [trigger] };
    const again = held.length === 0 ? of : { ...of, changes: [changed("a")], calls: [call(1, "a")] };
    const { plan: done, withheld } = agreed(saved, again, held);
    expect(done.triggers).toEqual([{ ...trigger, id: 3 }]);
    expect(withheld.get(3)).toEqual({ code: "SP4002", message: "The apply is incomplete, so this call was not sent." });
    expect(withheld.size).toBe(1 + held.length);
  });
});

describe("a plan differs from what its manifests produce", () => {
  test("if a change differs, is missing or is new", () => {
    const problem = (key: string, message: string) => ({ code: "SP2005", address: address(key), message, hint });
    const again = { ...plan, changes: [changed("a", { risks: ["irreversible"] }), changed("c")] };
    expect(wrong(plan, again)).toEqual([
      problem("a", "The plan's change of store/Box/a does not follow from the manifests."),
      problem("b", "The plan's change of store/Box/b does not follow from the manifests."),
      problem("c", "A change of store/Box/c follows from the manifests, but is not in the plan."),
    ]);
  });

  test.each<[string, Partial<PlannedChange>]>([
    ["what it waits for", { dependsOn: [address("b")] }],
    ["its phase", { phase: 1 }],
    ["its verdict", { verdict: "drift" }],
    ["a field", { fields: [{ path: ["size"], live: 1, desired: 2, verdict: "pending" }] }],
  ])("if a change differs in %s", (_what, part) => {
    const again = { ...plan, changes: [changed("a", part), changed("b")] };
    expect(wrong(plan, again).map(({ address: at }) => at)).toEqual([address("a")]);
  });

  test("if a field becomes something else than the plan shows", () => {
    const showing = (desired: number) => ({
      ...plan,
      changes: [changed("a", { fields: [{ path: ["size"], live: 1, desired, verdict: "pending" }] }), changed("b")],
    });
    expect(wrong(showing(2), showing(3)).map(({ address: at }) => at)).toEqual([address("a")]);
  });

  test("if it records other trusted rules, whatever the name of the ref", () => {
    const trusted = { ref: "origin/main", changes: [{ file: "setpoint.yaml", path: ["guards"] }], onceMerged: [] };
    const saved = { ...plan, trusted };
    expect(wrong(saved, { ...plan, trusted: { ...trusted, ref: "3f0c1a2b" } })).toEqual([]);
    const others = [undefined, { ...trusted, changes: [] }, { ...trusted, onceMerged: [moved] }];
    for (const other of others)
      expect(wrong(saved, { ...plan, ...(other && { trusted: other }) }).map(({ code }) => code)).toEqual(["SP2005"]);
  });

  test("but not by a change that was not read again", () => {
    const saved = { ...plan, changes: [...plan.changes, changed("z")] };
    expect(wrong(saved, plan)).toEqual([]);
  });

  test.each<[string, Partial<PlannedCall>]>([
    ["operation", { operation: "tidy" }],
    ["argument", { args: { box: "x" } }],
    ["service", { service: "shop" }],
    ["place in the order", { phase: 1 }],
    [
      "delivery",
      { deliver: { from: "t", to: { file: "f" }, otherwise: { operation: "o", argument: "a", from: "f" } } },
    ],
    ["part", { parts: [call(3, "a")] }],
  ])("if a call has another %s", (_what, part) => {
    const edited = { ...plan, calls: [call(1, "a", part), call(2, "b", { phase: 1 })] };
    const problems = wrong(edited, plan);
    expect(problems.map(({ code }) => code)).toEqual(["SP2005", "SP2005"]);
    expect(problems[1]).toEqual({
      code: "SP2005",
      service: "store",
      operation: "arrange",
      message: "store.arrange for store/Box/a: this call follows from the manifests, but is not in the plan.",
      hint,
    });
  });

  test("if a part of a call differs", () => {
    const parted = (box: string) => ({
      ...plan,
      calls: [call(1, "a", { parts: [call(3, "a", { args: { box } })] }), call(2, "b", { phase: 1 })],
    });
    expect(wrong(parted("x"), parted("a"))).toHaveLength(2);
  });

  test("if a call occurs more or less often", () => {
    const twice = { ...plan, calls: [call(1, "a"), call(2, "a"), call(3, "b", { phase: 1 })] };
    expect(wrong(twice, plan)).toEqual([
      {
        code: "SP2005",
        service: "store",
        operation: "arrange",
        message: "store.arrange for store/Box/a: this call is in the plan, but does not follow from the manifests.",
        hint,
      },
    ]);
    expect(wrong(plan, twice)).toHaveLength(1);
    expect(wrong(twice, twice)).toEqual([]);
  });

  test("if a trigger was edited, unless none is started", () => {
    const saved = { ...plan, triggers: [{ ...trigger, args: { job: "evil" } }] };
    const again = { ...plan, triggers: [trigger] };
    expect(wrong(saved, again).map(({ message }) => message)).toEqual([
      "store.start: this call is in the plan, but does not follow from the manifests.",
      "store.start: this call follows from the manifests, but is not in the plan.",
    ]);
    expect(wrong(plan, again)).toHaveLength(1);
    const rest = { ...again, changes: [changed("a")], calls: [call(1, "a")] };
    expect(wrong(saved, rest, ["b"])).toEqual([]);
  });
});
