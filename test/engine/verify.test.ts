import { describe, expect, test } from "vitest";
import type { CallOutcome } from "../../src/core/outcome.ts";
import type { Plan } from "../../src/core/plan.ts";
import type { ProblemCode } from "../../src/core/problem.ts";
import { outcomesOf, toVerify } from "../../src/engine/verify.ts";
import type { Decision } from "../../src/planner/decide.ts";

const address = "store/Box/a";

const plan: Plan = {
  version: 1,
  services: [],
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
  inSync: [],
  unknown: [],
  ignored: [],
  refusals: [],
  calls: [{ id: 1, service: "store", operation: "put", args: {}, carries: [address], phase: 0, lane: "store a" }],
  forecast: { writes: {}, verifyScopes: 1 },
  fingerprints: {},
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

describe("what became of a change", () => {
  test.each([
    ["accepted and there", call("done"), inSync, "applied", undefined],
    ["accepted, but not there", call("done"), differs, "failed", "SP4001"],
    ["accepted, but not readable", call("done"), unreadable, "unknown", "SP3101"],
    ["answer lost, and there", call("lost", "SP3105"), inSync, "applied", undefined],
    ["answer lost, and not there", call("lost", "SP3105"), differs, "failed", "SP3105"],
    ["refused for its version, but as desired", call("failed", "SP3006"), inSync, "applied", undefined],
    ["refused for its version, and not as desired", call("failed", "SP3006"), differs, "failed", "SP3006"],
    ["refused", call("failed", "SP3007"), undefined, "failed", "SP3007"],
    ["skipped", call("skipped", "SP4002"), undefined, "skipped", "SP4002"],
  ] as const)("%s: %4$s", (_name, outcome, decision, result, code) => {
    const decisions = new Map(decision === undefined ? [] : [[address, decision]]);
    const [found] = outcomesOf(plan, [outcome], decisions);
    expect(found?.result).toBe(result);
    expect(found?.problem?.code).toBe(code);
  });

  test("names the fields that did not take", () => {
    const [found] = outcomesOf(plan, [call("done")], new Map([[address, differs]]));
    expect(found?.problem?.message).toContain("size did not take");
  });

  test("what the service refused is not read again; what it may have done is", () => {
    expect(toVerify(plan, [call("done")])).toEqual([address]);
    expect(toVerify(plan, [call("lost", "SP3105")])).toEqual([address]);
    expect(toVerify(plan, [call("failed", "SP3006")])).toEqual([address]);
    expect(toVerify(plan, [call("failed", "SP3007")])).toEqual([]);
    expect(toVerify(plan, [call("skipped", "SP4002")])).toEqual([]);
  });
});
