import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { PlannedCall } from "../../src/core/call.ts";
import type { StatedTrigger } from "../../src/core/trigger.ts";
import type { Offered } from "../../src/planner/compile.ts";
import { planTriggers } from "../../src/planner/triggers.ts";
import { fakeOperations } from "../support/fake-kinds.ts";

const place = { file: "setpoint.yaml", line: 4, column: 5 };
const stated = (args: StatedTrigger["args"], service = "ci"): StatedTrigger => ({
  service,
  operation: "arrange",
  args,
  place,
});
const call = (id: number, service: string, phase: number): PlannedCall => ({
  id,
  service,
  operation: "arrange",
  args: {},
  carries: [],
  phase,
  lane: `${service} x`,
});
const calls = [
  { ...call(1, "store", 0), parts: [call(2, "store", 0), call(3, "store", 0)] },
  call(4, "shop", 1),
  call(5, "store", 2),
];
const offered = (part: Partial<Offered> = {}) => ({
  offeredBy: (): Offered => ({ table: fakeOperations, wire: "product", ...part }),
  baseRef: "origin/main",
});
const facts = { shelf: "${run.base} ${run.changes} ${run.services} ${run.id}", boxes: [] };

describe("the calls after a complete apply", () => {
  test("come last, know every fact of the run except its id, and carry no change", () => {
    expect(planTriggers([stated(facts), stated({ shelf: "s", boxes: [] }, "hub")], calls, 2, offered())).toEqual({
      problems: [],
      triggers: [
        {
          id: 6,
          service: "ci",
          operation: "arrange",
          args: { shelf: "origin/main 2 shop,store ${run.id}", boxes: [] },
          carries: [],
          phase: 3,
          lane: "ci arrange after the apply",
        },
        {
          id: 7,
          service: "hub",
          operation: "arrange",
          args: { shelf: "s", boxes: [] },
          carries: [],
          phase: 3,
          lane: "hub arrange after the apply",
        },
      ],
    });
  });

  test("have ids after those of the last call's parts", () => {
    expect(planTriggers([stated(facts)], calls.slice(0, 1), 0, offered()).triggers).toMatchObject([
      { id: 4, phase: 1 },
    ]);
  });

  test("have an empty base fact without a base", () => {
    const { triggers } = planTriggers([stated(facts)], calls, 0, { ...offered(), baseRef: undefined });
    expect(triggers[0]?.args.shelf).toBe(" 0 shop,store ${run.id}");
  });

  test("do not exist if nothing changes", () => {
    expect(planTriggers([stated({})], [], 0, offered())).toEqual({ triggers: [], problems: [] });
  });

  test("are a problem at their place in the workspace if their arguments are wrong", () => {
    const { problems } = planTriggers([stated(facts), stated({ shelf: "s" }, "hub")], calls, 0, offered());
    expect(problems).toEqual([
      {
        code: "SP1002",
        service: "hub",
        operation: "arrange",
        place,
        message: 'The arguments of arrange are wrong: the call needs "boxes".',
        hint: "Correct the value in the manifest; `setpoint call hub arrange --help` lists the arguments.",
      },
    ]);
  });

  test("are a problem if they go beyond the documents of a service under wire: documented", () => {
    const beyond = { arrange: { ...fakeOperations.arrange, ext: "docs/facts.md, Boxes" } };
    expect(planTriggers([stated(facts)], calls, 0, offered({ table: beyond })).problems).toEqual([]);
    expect(planTriggers([stated(facts)], calls, 0, offered({ wire: "documented" })).problems).toEqual([]);
    const { problems } = planTriggers([stated(facts)], calls, 0, offered({ table: beyond, wire: "documented" }));
    expect(problems).toEqual([expect.objectContaining({ code: "SP3007", service: "ci", operation: "arrange", place })]);
    const args = z.strictObject({
      shelf: z.string(),
      boxes: z.array(z.string()).meta({ ext: "docs/facts.md, Boxes" }),
    });
    const marked = { arrange: { ...fakeOperations.arrange, args } };
    expect(
      planTriggers([stated(facts)], calls, 0, offered({ table: marked, wire: "documented" })).problems,
    ).toHaveLength(1);
  });
});
