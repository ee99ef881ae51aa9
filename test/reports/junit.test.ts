import { parse } from "junit2json";
import { expect, test } from "vitest";
import { renderJunit } from "../../src/reports/formats/junit.ts";
import type { RunResult } from "../../src/reports/text/summary.ts";
import { hostilePlan, hostileReport } from "../support/hostile-plan.ts";
import { asDrift, emptyPlan, fullPlan, refusals } from "./fixture.ts";
import { fullReport, mistakes } from "./report-fixture.ts";

/** The suites as a published parser of CI servers' reports reads them. */
async function read(result: RunResult) {
  const parsed = await parse(renderJunit(result));
  if (parsed === undefined || parsed === null || !("testsuite" in parsed)) throw new Error("There are no suites.");
  const suites = parsed.testsuite ?? [];
  return { parsed, suites, cases: suites.flatMap(({ testcase = [] }) => testcase) };
}

test.each<readonly [string, RunResult]>([
  ["a plan", { plan: { ...fullPlan, refusals } }],
  ["a drift", { plan: asDrift(fullPlan) }],
  ["an apply", { plan: fullPlan, report: fullReport }],
  ["a hostile plan", { plan: hostilePlan() }],
  ["a hostile apply", { plan: hostilePlan(), report: hostileReport() }],
  ["problems", { command: "plan", problems: mistakes }],
])("the counts of %s match its cases", async (_name, result) => {
  const { parsed, suites, cases } = await read(result);
  expect(parsed.tests).toBe(cases.length);
  for (const { tests, failures, errors, skipped, testcase = [] } of suites) {
    const count = (outcome: "failure" | "error" | "skipped") =>
      testcase.filter((one) => (one[outcome] ?? []).length > 0).length;
    expect([tests, failures, errors, skipped]).toEqual([
      testcase.length,
      count("failure"),
      count("error"),
      count("skipped"),
    ]);
  }
});

test("every resource is a case of its service and kind; in drift, differences fail and unknown resources are errors", async () => {
  const { cases } = await read({ plan: asDrift(fullPlan) });
  expect(cases).toHaveLength(fullPlan.changes.length + fullPlan.unknown.length + fullPlan.inSync.length);
  const page = cases.find(({ name }) => name === "wiki/WikiPage/48213");
  expect(page).toMatchObject({ classname: "wiki.WikiPage", failure: [{ type: "drift", message: "update, drift" }] });
  expect(page?.failure?.[0]?.inner).toContain("manifests/wiki.yaml:2");
  const unknown = cases.filter(({ error }) => (error ?? []).length > 0);
  expect(unknown).toHaveLength(fullPlan.unknown.length);
});

test("an acknowledged resource is skipped, with until when, by whom and why", async () => {
  const ignored = [
    { address: "wiki/WikiPage/1", field: "title", until: "2027-01-20", reason: "Moves on Friday", by: "jdoe" },
    { address: "wiki/WikiPage/2", field: "*", until: "2027-01-21" },
  ];
  const { cases } = await read({ plan: { ...emptyPlan, ignored } });
  expect(cases.map(({ name, skipped }) => [name, skipped?.[0]?.message])).toEqual([
    ["wiki/WikiPage/1", 'acknowledged title until 2027-01-20 by jdoe: "Moves on Friday"'],
    ["wiki/WikiPage/2", "acknowledged until 2027-01-21"],
  ]);
});

test("a run without a plan has one case per problem, and valid manifests have one that passes", async () => {
  const { cases } = await read({ command: "plan", problems: mistakes });
  expect(cases.map(({ name }) => name)).toContain("SP1002 manifests/locks.yaml:10:14");
  expect(cases.every(({ error }) => (error ?? []).length === 1)).toBe(true);
  const sound = await read({ command: "validate", problems: [] });
  expect(sound.cases).toEqual([{ classname: "validate", name: "manifests" }]);
});

test("a plan fails for what only a person can close, and the problems of an apply itself are errors, also in the total", async () => {
  const failed = (await read({ plan: fullPlan })).cases.filter(({ failure }) => (failure ?? []).length > 0);
  const checks = fullPlan.changes.filter(({ action }) => action === "check");
  expect(failed.map(({ name }) => name)).toEqual(checks.map(({ address }) => address));
  const problems = [{ code: "SP5004", message: "The disk is full." }] as const;
  const { parsed, cases } = await read({ plan: emptyPlan, report: { ...fullReport, outcomes: [], problems } });
  expect(cases.at(-1)).toMatchObject({ classname: "run", error: [{ type: "SP5004", message: "The disk is full." }] });
  expect(parsed.errors).toBe(1);
});
