import { describe, expect, test } from "vitest";
import type { Kind } from "../../../src/core/kind.ts";
import type { PlannedChange } from "../../../src/core/run/plan.ts";
import { refusals } from "../../../src/planner/guards.ts";
import { declare, gauge } from "../../support/fake-kinds.ts";
import { boxes, input, planned } from "./input.ts";

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
