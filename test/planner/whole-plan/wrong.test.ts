import { describe, expect, test } from "vitest";
import { callOf } from "../../../src/core/call.ts";
import type { Writable } from "../../../src/core/change.ts";
import type { Kind } from "../../../src/core/kind.ts";
import type { StatedTrigger } from "../../../src/core/trigger.ts";
import { makePlan, type PlanInput } from "../../../src/planner/make-plan.ts";
import { box, declare, type fakeOperations, present } from "../../support/fake-kinds.ts";
import { input, planOf, point } from "./input.ts";

describe("a plan is wrong", () => {
  const codes = (of: PlanInput) => {
    const made = makePlan(of);
    return made.is === "wrong" ? made.problems.map(({ code }) => code) : [];
  };

  test("if reading shows that two resources manage the same thing", () => {
    const pair = ["x", "y"].map((name) => declare({ shelf: "a", name, label: "same" }));
    expect(codes(input(pair, {}))).toEqual(["SP1016"]);
  });

  test("if a call after the apply has wrong arguments, unless nothing is applied", () => {
    const onApplied: readonly StatedTrigger[] = [
      { service: "ci", operation: "arrange", args: { shelf: "s" }, place: point(9) },
    ];
    const one = declare({ shelf: "a", name: "x" });
    expect(codes(input([one], {}, { onApplied }))).toEqual(["SP1002"]);
    expect(codes(input([one], { x: present({ shelf: "a", name: "x" }) }, { onApplied }))).toEqual([]);
    const fine = onApplied.map((trigger) => ({ ...trigger, args: { shelf: "s", boxes: ["${run.base}"] } }));
    expect(planOf(input([one], {}, { onApplied: fine, baseRef: "main" })).triggers).toMatchObject([
      { id: 2, args: { boxes: ["main"] } },
    ]);
  });

  test("if resources in sync are declared to need each other", () => {
    const [x, y] = [
      { shelf: "a", name: "x", on: ["y"] },
      { shelf: "a", name: "y", on: ["x"] },
    ];
    const z = declare({ shelf: "a", name: "z" });
    const live = { x: present(x), y: present(y), z: present({ shelf: "a", name: "z" }) };
    expect(codes(input([declare(x), declare(y), z], live))).toEqual(["SP2001"]);
    expect(codes(input([declare({ ...x, on: [] }), declare({ ...y, on: ["x"] }), z], live))).toEqual([]);
  });

  test("if resources to be deleted refer to each other on the service", () => {
    const base = [declare({ shelf: "a", name: "x", on: ["y"] }), declare({ shelf: "a", name: "y" })];
    const live = { x: present({ shelf: "a", name: "x", on: ["y"] }), y: present({ shelf: "a", name: "y", on: ["x"] }) };
    expect(codes(input([], live, { base }))).toEqual(["SP2001"]);
    expect(codes(input([], { ...live, y: present({ shelf: "a", name: "y" }) }, { base }))).toEqual([]);
  });
});

describe("guards consider", () => {
  const boxes = (count: number) =>
    Array.from({ length: count }, (_none, index) => declare({ shelf: "a", name: `b${index}` }));
  const live = Object.fromEntries(
    boxes(12).map(({ key }) => [key.slice(2), present({ shelf: "a", name: key.slice(2) })]),
  );
  const refusalsOf = (of: PlanInput) => planOf(of).refusals.map(({ message }) => message);

  test("the live resources of a kind, however many others it has", () => {
    const base = boxes(12);
    expect(refusalsOf(input(base.slice(4), live, { base }))).toEqual([
      expect.stringContaining("4 of 12 live store/Box"),
    ]);
    const { b11: _b11, b10: _b10, b9: _b9, ...nine } = live;
    expect(refusalsOf(input(base.slice(4), nine, { base }))).toEqual([]);
  });

  test("what is protected now or was at the base, and what was allowed", () => {
    const shielded = declare({ shelf: "a", name: "b0" }, { protect: true });
    const absentNow = declare({ shelf: "a", name: "b0" }, { state: "absent" });
    expect(refusalsOf(input([], live, { base: [shielded] }))).toHaveLength(1);
    expect(refusalsOf(input([absentNow], live, { base: [shielded] }))).toHaveLength(1);
    expect(refusalsOf(input([absentNow], live))).toEqual([]);
    expect(refusalsOf(input([], live, { base: [shielded], consent: { accept: [shielded.address] } }))).toEqual([]);
  });

  test("secrets that would go to commands", () => {
    const otherwise = { operation: "arrange", argument: "shelf", from: "id" };
    const to = { command: ["vault"], check: ["vault"] };
    const call = callOf<typeof fakeOperations>();
    const compile = (changes: readonly Writable[]) => [
      { ...call("arrange", { shelf: "a", boxes: [] }, changes), deliver: { from: "t", to, otherwise } },
    ];
    const kind: Kind = { ...box, compile };
    const guards = { maxDeletePercent: 30, noDeletes: false, noExec: true };
    expect(refusalsOf(input(boxes(1), {}, { kinds: new Map([["Box", kind]]), guards }))).toEqual([
      expect.stringContaining("the command vault"),
    ]);
  });
});
