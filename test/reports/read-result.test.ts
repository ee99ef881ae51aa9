import { expect, test } from "vitest";
import { savedPlan } from "../../src/planner/saved/plan-file.ts";
import { resultJson } from "../../src/reports/formats/json.ts";
import { readResult } from "../../src/reports/read-result.ts";
import { fullPlan, refusals } from "./fixture.ts";
import { fullReport, mistakes } from "./report-fixture.ts";

const read = (value: unknown) => readResult(typeof value === "string" ? value : JSON.stringify(value));

/** The problems of a file. */
function said(value: unknown): string {
  const answer = read(value);
  if (answer.is === "read") throw new Error("The file was read.");
  const { code, message, hint } = answer.problem;
  return `${code} ${message} ${hint}`;
}

test("reads what --json prints: a plan, the report of an apply, or problems", () => {
  expect(read(resultJson({ plan: fullPlan }))).toEqual({ is: "read", result: { plan: fullPlan } });
  expect(read(resultJson({ plan: fullPlan, report: fullReport }))).toEqual({
    is: "read",
    result: { plan: fullPlan, report: fullReport },
  });
  const result = { command: "validate", problems: mistakes };
  expect(read(resultJson({ problems: mistakes }))).toEqual({ is: "read", result });
});

test("reads an expired saved plan and a refused one, since they are only shown", () => {
  const saved = savedPlan(
    { ...fullPlan, refusals },
    {
      expires: new Date("2001-01-01"),
      manifests: { digest: "", rules: {}, resources: {} },
      selection: { service: [], kind: [], only: [], label: [] },
      baseCommit: undefined,
      folder: "/",
    },
  );
  expect(read(saved)).toEqual({ is: "read", result: { plan: saved } });
});

test("any other file is a problem that says what was expected", () => {
  const hint = "Name a file that --json, --report json=<file> or plan --out has written.";
  expect(said("{")).toMatch(/^SP1021 The file is not JSON/);
  for (const value of ["[]", "1", { version: 1 }, `${"[".repeat(200)}${"]".repeat(200)}`])
    expect(said(value)).toBe(`SP1021 The file is neither a plan nor a report. ${hint}`);
  expect(said({ version: 2, changes: [] })).toBe(
    "SP1021 The file has version 2; expected version 1. Make the report with the version of setpoint that wrote the file.",
  );
  expect(said({ ...fullPlan, approved: true })).toMatch(/^SP1021 No report can be made from it: .*approved/);
  expect(said({ ...fullReport, outcomes: [{ address: 1 }] })).toMatch(
    /^SP1021 No report can be made from it: .*address/,
  );
  expect(said(" ".repeat(64 * 1024 * 1024 + 1))).toBe(`SP1021 The file is larger than any plan. ${hint}`);
});
