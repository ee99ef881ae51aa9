import { expect, test } from "vitest";
import { remarksOf } from "../../src/publishers/remarks.ts";
import { change, emptyPlan, planWithAsides } from "../reports/fixture.ts";
import { fullReport } from "../reports/report-fixture.ts";

test("a refusal is at the place of its change, and a change that failed asks for attention", () => {
  const place = { file: "a.yaml", line: 3, column: 1 };
  const one = {
    ...change({ service: "store", kind: "Box", key: "a", action: "create" }),
    risks: [],
    fields: [],
    place,
  };
  const { address } = one;
  const refused = { code: "SP2002", message: "Protected.", address } as const;
  const refusal = remarksOf(
    { is: "made", subject: { plan: { ...emptyPlan, refusals: [refused], changes: [one] } } },
    "",
  );
  expect(refusal.unplaced).toEqual([]);
  expect(refusal.placed.map(({ line, unresolved }) => [line, unresolved])).toEqual([
    [3, true],
    [3, false],
  ]);
  const plan = { ...emptyPlan, changes: [one] };
  const outcomes = [{ address, result: "failed", problem: { code: "SP3007", message: "No." } } as const];
  const report = { ...fullReport, plan, calls: [], outcomes };
  const { placed } = remarksOf({ is: "made", subject: { plan, report } }, "");
  expect(placed).toMatchObject([{ line: 3, unresolved: true, message: expect.stringContaining("SP3007") }]);
});

test("a remark says what came of a change, what a person has to do and why something is unknown", () => {
  const one = change({
    service: "store",
    kind: "Box",
    key: "a",
    action: "check",
    instruction: "Turn it.",
    note: "It is heavy.",
  });
  const problem = { code: "SP3101", message: "It timed out." } as const;
  const unknown = [{ address: "store/Box/b", service: "store", problem }];
  const plan = { ...emptyPlan, changes: [one], unknown };
  const report = { ...fullReport, plan, calls: [], outcomes: [{ address: one.address, result: "skipped" } as const] };
  expect(remarksOf({ is: "made", subject: { plan, report } }, "")).toEqual({
    placed: [],
    unplaced: [
      "check ` store/Box/a `: pending; skipped\n\n` It is heavy. `\n\n` Turn it. `",
      "` store/Box/b ` is unknown. SP3101: ` It timed out. `",
    ],
  });
});

test("what a plan says about no change has no place: what is newly left alone, commands that get a secret, triggers", () => {
  expect(remarksOf({ is: "made", subject: { plan: planWithAsides } }, "")).toEqual({
    placed: [],
    unplaced: [
      'These manifests newly leave alone: ` store/Box/a ` ` acknowledged size until 2027-01-20: "quiet" `',
      "These manifests newly leave alone: ` store/Box/b ` ` ignores size and label `",
      "These manifests deliver the next secret elsewhere: ` store/Token/c ` ` to the command curl -T - `",
      "These manifests deliver the next secret elsewhere: ` store/Token/d ` ` to TOKEN in secrets/.env `",
      "` 1 new secret would go to the command vault: an apply needs --allow-exec. `",
      expect.stringContaining("After a complete apply: hosting.dispatchWorkflow"),
      expect.stringContaining("After a complete apply: ci.buildJob"),
    ],
  });
});
