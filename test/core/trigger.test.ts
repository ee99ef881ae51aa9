import { expect, test } from "vitest";
import { triggerFacts, withFacts, withRun } from "../../src/core/trigger.ts";

test("placeholders are replaced by facts of the run, in names and values at any depth", () => {
  const args = {
    job: "applied-${run.id}",
    parameters: { "${run.base}": ["${run.changes} changes", { of: "${run.services}, ${run.services}" }] },
    count: 3,
    flag: true,
    none: null,
    left: undefined,
  };
  expect(withFacts(args, { id: "r1", base: "main", changes: "2", services: "ci" })).toEqual({
    job: "applied-r1",
    parameters: { main: ["2 changes", { of: "ci, ci" }] },
    count: 3,
    flag: true,
    none: null,
    left: undefined,
  });
});

test("placeholders of unknown facts, and other text, stay as they are", () => {
  const args = { a: "${run.id} ${run.nonesuch} ${run.changes}", b: "${var.id} run.id ${run.id" };
  expect(withFacts(args, { changes: "2" })).toEqual({ a: "${run.id} ${run.nonesuch} 2", b: args.b });
  expect(withFacts({ a: "x${run.base}y" }, { base: "" })).toEqual({ a: "xy" });
});

test("every fact has its own explanation", () => {
  const words = Object.values(triggerFacts);
  expect(new Set(words).size).toBe(words.length);
  expect(words.filter((text) => !/^\w+ .*\w$/.test(text))).toEqual([]);
});

test("an escaped placeholder, and one inside a fact, stays escaped until the run is known and is then text", () => {
  const planned = withFacts({ a: "$${run.id} ${run.id}", b: ["${run.base}"] }, { base: "${run.id}" });
  expect(planned).toEqual({ a: "$${run.id} ${run.id}", b: ["$${run.id}"] });
  expect(withRun(planned, "r1")).toEqual({ a: "${run.id} r1", b: ["${run.id}"] });
});
