import { describe, expect, test, vi } from "vitest";
import { type ProblemCode, ProblemError } from "../../src/core/problem.ts";
import type { CallOutcome } from "../../src/core/run/outcome.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { outcomesOf, reread, toVerify } from "../../src/engine/apply/verify.ts";
import type { Decision } from "../../src/planner/decide.ts";
import { emptyPlan } from "../reports/fixture.ts";
import { declare, fakeKinds } from "../support/fake-kinds.ts";
import { openDirectLab } from "../support/lab.ts";
import { document } from "../support/manifest.ts";

const address = "store/Box/a";

const plan: Plan = {
  ...emptyPlan,
  changes: [
    {
      address,
      service: "store",
      kind: "Box",
      key: "a",
      action: "update",
      verdict: "pending",
      fields: [],
      risks: [],
      dependsOn: [],
      phase: 0,
    },
  ],
  calls: [{ id: 1, service: "store", operation: "put", args: {}, carries: [address], phase: 0, lane: "store a" }],
};

const inSync: Decision = { is: "in sync", ignored: [] };
const differs: Decision = {
  is: "change",
  ignored: [],
  change: {
    action: "update",
    kept: [],
    address,
    key: "a",
    verdict: "pending",
    marker: undefined,
    desired: {},
    live: {},
    fields: [{ path: ["size"], live: 1, desired: 2, verdict: "pending" }],
  },
};
const unreadable: Decision = { is: "unknown", problem: { code: "SP3101", message: "No answer." } };

function call(result: CallOutcome["result"], code?: ProblemCode): CallOutcome {
  return { id: 1, result, duration: 0, ...(code === undefined ? {} : { problem: { code, message: "…" } }) };
}

describe("the outcome of a change", () => {
  test.each([
    ["accepted and there", call("done"), inSync, "applied", undefined],
    ["accepted, but not there", call("done"), differs, "failed", "SP4001"],
    ["accepted, but not readable", call("done"), unreadable, "unknown", "SP3101"],
    ["answer lost, and there", call("lost", "SP3105"), inSync, "applied", undefined],
    ["answer lost, and not there", call("lost", "SP3105"), differs, "failed", "SP3105"],
    ["refused for its version, but as desired", call("failed", "SP3006"), inSync, "applied", undefined],
    ["refused for its version, and not as desired", call("failed", "SP3006"), differs, "failed", "SP3006"],
    ["failed at by the server, but as desired", call("failed", "SP3009"), inSync, "applied", undefined],
    ["failed at by the server, and not as desired", call("failed", "SP3009"), differs, "failed", "SP3009"],
    ["answered with nonsense, but as desired", call("failed", "SP3103"), inSync, "applied", undefined],
    ["answered with what is not documented, but as desired", call("failed", "SP3104"), inSync, "applied", undefined],
    ["refused", call("failed", "SP3007"), undefined, "failed", "SP3007"],
    ["skipped", call("skipped", "SP4002"), undefined, "skipped", "SP4002"],
  ] as const)("%s: %4$s", (_name, outcome, decision, result, code) => {
    const decisions = new Map(decision === undefined ? [] : [[address, decision]]);
    const [found] = outcomesOf(plan, [outcome], decisions);
    expect(found?.result).toBe(result);
    expect(found?.problem?.code).toBe(code);
  });

  test.each([
    [call("done"), unreadable, "The service accepted the call, but it could not be verified. No answer."],
    [call("lost", "SP3105"), differs, "… Reading it again shows that it still differs."],
    [call("lost", "SP3105"), unreadable, "… Reading it again failed too."],
    [call("failed", "SP3009"), unreadable, "… Reading it again failed too."],
  ] as const)("says what reading again has shown", (outcome, decision, message) => {
    const [found] = outcomesOf(plan, [outcome], new Map([[address, decision]]));
    expect(found?.problem?.message).toBe(message);
  });

  const acting = (action: "create" | "update" | "delete"): Plan => ({
    ...plan,
    changes: plan.changes.map((one) => ({ ...one, action })),
  });
  const missing = call("failed", "SP3005");

  test.each([
    ["delete", "as desired", inSync, "applied", undefined],
    ["delete", "still there", differs, "failed", "SP3005"],
    ["delete", "not readable", unreadable, "unknown", "SP3005"],
    ["update", "as desired", inSync, "applied", undefined],
    ["update", "not as desired", differs, "failed", "SP3005"],
  ] as const)(
    "a call of a %s that does not find what the plan saw, and which is %s",
    (action, _is, decision, result, code) => {
      expect(toVerify(acting(action), [missing])).toEqual([address]);
      const [found] = outcomesOf(acting(action), [missing], new Map([[address, decision]]));
      expect([found?.result, found?.problem?.code]).toEqual([result, code]);
    },
  );

  test('"not found" for an object that the plan did not see is a refusal, like any other', () => {
    expect(toVerify(acting("create"), [missing])).toEqual([]);
    expect(outcomesOf(acting("create"), [missing], new Map())).toMatchObject([{ result: "failed" }]);
    expect(toVerify(acting("delete"), [call("failed", "SP3004")])).toEqual([]);
  });

  test.each([
    ["ignored", { is: "in sync", ignored: ["size"] }],
    [
      "acknowledged",
      { is: "in sync", ignored: [], acknowledged: [{ field: "size", until: "2027-02-01", reason: "…" }] },
    ],
  ] as const)(
    "a new object that lacks a value because a call failed is not applied: no later apply sets an %s field",
    (_how, left) => {
      const decisions = new Map([[address, left]]);
      const result = (action: "create" | "update", outcome: CallOutcome) =>
        outcomesOf(acting(action), [outcome], decisions).map((one) => [
          one.result,
          one.problem?.message,
          one.problem?.hint,
        ]);
      const without = "… It now exists without the declared size.";
      const hint = "Set size manually: later applies leave that alone, as `metadata.ignore` says.";
      expect(result("create", call("failed", "SP3009"))).toEqual([["failed", without, hint]]);
      expect(result("create", call("lost", "SP3105"))).toEqual([["failed", without, hint]]);
      expect(result("create", call("done"))).toEqual([["applied", undefined, undefined]]);
      expect(result("update", call("failed", "SP3009"))).toEqual([["applied", undefined, undefined]]);
    },
  );

  test("a failed call names the calls done before it, and a later skipped one does not hide them", () => {
    const three: Plan = {
      ...plan,
      calls: plan.calls.flatMap((one) => [one, { ...one, id: 2, operation: "move" }, { ...one, id: 3 }]),
    };
    const became = (code: ProblemCode) => [
      call("done"),
      { ...call("failed", code), id: 2 },
      { ...call("skipped", "SP4002"), id: 3 },
    ];
    expect(toVerify(three, became("SP3006"))).toEqual([address]);
    expect(toVerify(three, became("SP3004"))).toEqual([]);
    for (const [code, seen] of [
      ["SP3006", " Reading it again shows that it still differs."],
      ["SP3004", ""],
    ] as const)
      expect(outcomesOf(three, became(code), new Map([[address, differs]]))).toEqual([
        { address, result: "failed", problem: { code, message: `… Done before, and still in effect: put.${seen}` } },
      ]);
  });

  test("for a divided call, the part decides", () => {
    const [joint] = plan.calls;
    const parts = joint === undefined ? [] : [{ ...joint, id: 2 }];
    const divided: Plan = { ...plan, calls: plan.calls.map((one) => ({ ...one, parts })) };
    const became = (part: CallOutcome) => [call("divided", "SP3007"), { ...part, id: 2 }];
    expect(toVerify(divided, became(call("done")))).toEqual([address]);
    expect(outcomesOf(divided, became(call("done")), new Map([[address, inSync]]))).toEqual([
      { address, result: "applied" },
    ]);
    expect(outcomesOf(divided, became(call("failed", "SP3004")), new Map())).toMatchObject([
      { result: "failed", problem: { code: "SP3004" } },
    ]);
  });

  test("names the fields that did not take", () => {
    const [found] = outcomesOf(plan, [call("done")], new Map([[address, differs]]));
    expect(found?.problem?.message).toContain("size did not take");
  });

  test("a refused change is not read again, while one that might have had an effect is", () => {
    expect(toVerify(plan, [call("done")])).toEqual([address]);
    expect(toVerify(plan, [call("lost", "SP3105")])).toEqual([address]);
    expect(toVerify(plan, [call("failed", "SP3006")])).toEqual([address]);
    expect(toVerify(plan, [call("failed", "SP3009"), call("skipped", "SP4002")])).toEqual([address]);
    expect(toVerify(plan, [call("failed", "SP3007")])).toEqual([]);
    expect(toVerify(plan, [call("skipped", "SP4002")])).toEqual([]);
  });
});

test("reading one resource again prepares that one, however many are declared", async () => {
  const desired = Array.from({ length: 100 }, (_, index) => declare({ shelf: "a", name: `n${index}` }));
  const kinds = new Map(fakeKinds);
  const asked = vi.spyOn(kinds, "get");
  const declarations = { kinds, desired, base: desired, selected: () => true, now: new Date(0) };
  const addresses = desired.slice(7, 8).map((one) => one.address);
  const decisions = await reread(declarations, addresses, () => async () => ({}));
  expect([...decisions.keys()]).toEqual(addresses);
  expect(asked.mock.calls.length).toBeLessThan(5);
});

test.each([true, false])(
  "what depends on a lost call is sent only if reading shows that the call took effect: %s",
  async (isThere) => {
    let calls = 0;
    await using lab = await openDirectLab({
      async turn() {
        if (calls++ > 0) return;
        if (isThere) lab.sandbox.change(({ analysis }) => void analysis.users.push({ name: "kite", readonly: false }));
        throw new ProblemError({ code: "SP3103", message: "The answer was lost." });
      },
    });
    const report = await lab.apply(
      document("AnalysisUser", { name: "kite" }) + document("AnalysisGroup", { name: "kites", users: ["kite"] }),
    );
    const results = Object.fromEntries(report.outcomes.map(({ address, result }) => [address, result]));
    expect(results).toEqual({
      "analysis/AnalysisUser/kite": isThere ? "applied" : "failed",
      "analysis/AnalysisGroup/kites": isThere ? "applied" : "skipped",
    });
  },
);
