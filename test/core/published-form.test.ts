import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { jsonSchema } from "../../scripts/generate/json-schema.ts";
import { CallOutcome, Outcome, Report } from "../../src/core/run/outcome.ts";
import { Plan } from "../../src/core/run/plan.ts";
import { fullPlan } from "../reports/fixture.ts";
import { fullReport } from "../reports/report-fixture.ts";

test.each([
  ["plan", Plan],
  ["report", Report],
])("a %s is read back by exactly the schema that is published for it", (name, schema) => {
  const {
    $schema: _draft,
    title: _title,
    ...published
  } = JSON.parse(readFileSync(`schema/${name}.schema.json`, "utf8"));
  expect(jsonSchema(schema)).toEqual(published);
});

test("a plan and a report survive being written as JSON and read", () => {
  expect(Plan.parse(JSON.parse(JSON.stringify(fullPlan)))).toEqual(fullPlan);
  expect(Report.parse(JSON.parse(JSON.stringify(fullReport)))).toEqual(fullReport);
});

test("a missing side of a difference stays missing, and null is a value", () => {
  const path = ["size"];
  const plan = {
    ...fullPlan,
    changes: [{ ...fullPlan.changes[0], fields: [{ path, live: null, verdict: "drift" }] }],
  };
  expect(Plan.parse(plan).changes[0]?.fields).toStrictEqual([{ path, live: null, verdict: "drift" }]);
});

test("an outcome has one of the published words and no other", () => {
  const call = { id: 1, duration: 0 };
  for (const result of ["done", "failed", "divided", "lost", "skipped"])
    expect(CallOutcome.parse({ ...call, result })).toEqual({ ...call, result });
  for (const result of ["applied", "failed", "skipped", "stale", "unknown"])
    expect(Outcome.parse({ address: "a/B/c", result })).toEqual({ address: "a/B/c", result });
  for (const result of ["", "sent"]) {
    expect(CallOutcome.safeParse({ ...call, result }).success).toBe(false);
    expect(Outcome.safeParse({ address: "a/B/c", result }).success).toBe(false);
  }
});
