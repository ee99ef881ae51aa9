import { expect, test } from "vitest";
import { Plan } from "../../src/core/run/plan.ts";
import { resultJson } from "../../src/reports/formats/json.ts";
import { fullPlan } from "./fixture.ts";
import { fullReport, mistakes } from "./report-fixture.ts";

test("a plan survives being saved and read", () => {
  const saved = JSON.stringify(resultJson({ plan: fullPlan }));
  expect(Plan.parse(JSON.parse(saved))).toEqual(fullPlan);
});

test("the order of members does not depend on how the plan was made", () => {
  const reversed = Object.fromEntries(Object.entries(fullPlan).toReversed());
  expect(JSON.stringify(Plan.parse(reversed))).toBe(JSON.stringify(resultJson({ plan: fullPlan })));
});

test("a plan of another version is refused", () => {
  expect(Plan.safeParse({ ...fullPlan, version: 2 }).success).toBe(false);
  expect(Plan.safeParse({ ...fullPlan, approved: true }).success).toBe(false);
});

test("secrets stay references", () => {
  expect(JSON.stringify(resultJson({ plan: fullPlan }))).toContain('"desired":"${env:BOT_PASSWORD}"');
});

test("reports and problems are versioned", () => {
  expect(resultJson({ plan: fullPlan, report: fullReport })).toEqual(fullReport);
  expect(resultJson({ problems: mistakes })).toEqual({ version: 1, problems: mistakes });
});
