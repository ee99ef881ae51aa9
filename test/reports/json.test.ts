import { expect, test } from "vitest";
import { Plan } from "../../src/core/run/plan.ts";
import { planJson, problemsJson, reportJson } from "../../src/reports/formats/json.ts";
import { fullPlan, fullReport, mistakes } from "./fixture.ts";

test("a plan survives being saved and read", () => {
  const saved = JSON.stringify(planJson(fullPlan));
  expect(Plan.parse(JSON.parse(saved))).toEqual(fullPlan);
});

test("the order of members does not depend on how the plan was made", () => {
  const reversed = Object.fromEntries(Object.entries(fullPlan).toReversed());
  expect(JSON.stringify(Plan.parse(reversed))).toBe(JSON.stringify(planJson(fullPlan)));
});

test("a plan of another version is refused", () => {
  expect(Plan.safeParse({ ...fullPlan, version: 2 }).success).toBe(false);
  expect(Plan.safeParse({ ...fullPlan, approved: true }).success).toBe(false);
});

test("secrets stay references", () => {
  expect(JSON.stringify(planJson(fullPlan))).toContain('"desired":"${env:BOT_PASSWORD}"');
});

test("reports and problems are versioned", () => {
  expect(reportJson(fullReport)).toEqual(fullReport);
  expect(problemsJson(mistakes)).toEqual({ version: 1, problems: mistakes });
});
