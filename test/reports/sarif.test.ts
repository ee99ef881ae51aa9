import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Draft04 from "ajv-draft-04";
import formats from "ajv-formats";
import { expect, test } from "vitest";
import type { Plan } from "../../src/core/run/plan.ts";
import { renderSarif } from "../../src/reports/formats/sarif.ts";
import type { RunResult } from "../../src/reports/text/summary.ts";
import { hostilePlan, hostileReport } from "../support/hostile-plan.ts";
import { asDrift, change, emptyPlan, fullPlan, refusals } from "./fixture.ts";
import { fullReport, mistakes } from "./report-fixture.ts";

/** The schema as published in a package by the authors of the format. */
const published = createRequire(import.meta.url).resolve("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
// One of its patterns is invalid with the flag u.
const ajv = new Draft04.default({ strict: false, allErrors: true, unicodeRegExp: false });
formats.default(ajv);
const validate = ajv.compile(JSON.parse(readFileSync(published, "utf8")));

/** The parts of a log that the tests examine. */
interface Log {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly automationDetails: { readonly id: string };
    readonly results: readonly SarifResult[];
  }[];
}

interface SarifResult {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly [
    {
      readonly physicalLocation: {
        readonly artifactLocation: { readonly uri: string; readonly uriBaseId: string };
        readonly region: { readonly startLine: number; readonly startColumn: number; readonly endColumn?: number };
      };
    },
  ];
  readonly relatedLocations?: readonly unknown[];
  readonly partialFingerprints: Readonly<Record<string, string>>;
  readonly suppressions?: readonly { readonly kind: string; readonly justification: string }[];
}

function runOf(result: RunResult): Log["runs"][number] {
  const log: Log = JSON.parse(renderSarif(result));
  const [run] = log.runs;
  if (run === undefined) throw new Error("The log has no run.");
  return run;
}

const results: readonly (readonly [string, RunResult])[] = [
  ["a plan", { plan: { ...fullPlan, refusals }, folder: "tools" }],
  ["a drift", { plan: asDrift(fullPlan) }],
  ["an apply", { plan: fullPlan, report: fullReport }],
  ["a hostile plan", { plan: hostilePlan() }],
  ["a hostile apply", { plan: hostilePlan(), report: hostileReport() }],
  ["problems", { command: "plan", problems: mistakes }],
  ["sound manifests", { command: "validate", problems: [] }],
];

test.each(results)("%s conforms to the published schema of SARIF 2.1.0", (_name, result) => {
  validate(JSON.parse(renderSarif(result)));
  expect(validate.errors ?? []).toEqual([]);
});

test("every result has its rule, a file and a line, without which hosts reject it", () => {
  for (const [, result] of results) {
    const { results: found, tool } = runOf(result);
    for (const { ruleId, ruleIndex, locations } of found) {
      expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
      expect(locations[0].physicalLocation).toMatchObject({
        artifactLocation: { uri: expect.stringMatching(/^[\w.~%/-]+$/), uriBaseId: "%SRCROOT%" },
        region: { startLine: expect.any(Number) },
      });
    }
  }
});

test("an error is at its file, line and columns, relative to the repository's root, with the other place", () => {
  const { results: found } = runOf({ command: "plan", problems: mistakes, folder: "tools/übrig" });
  const twice = found.find(({ ruleId }) => ruleId === "SP1006");
  expect(twice?.locations[0].physicalLocation).toEqual({
    artifactLocation: { uri: "tools/%C3%BCbrig/manifests/b.yaml", uriBaseId: "%SRCROOT%" },
    region: { startLine: 1, startColumn: 7, endColumn: 17 },
  });
  expect(twice?.relatedLocations).toHaveLength(1);
  expect(found.every(({ level }) => level === "error")).toBe(true);
});

test("a change that no manifest declares is at the workspace file", () => {
  const own = { service: "wiki", kind: "WikiPage", key: "1", action: "delete" } as const;
  const [found] = runOf({ plan: { ...emptyPlan, changes: [change(own)] }, folder: "tools" }).results;
  expect(found?.locations[0].physicalLocation).toMatchObject({
    artifactLocation: { uri: "tools/setpoint.yaml" },
    region: { startLine: 1 },
  });
});

const field = { path: ["enabled"], live: true, desired: false, verdict: "drift" } as const;
const place = { file: "manifests/a.yaml", line: 4, column: 3 };

function drifted(line: number, live: string): Plan {
  const fields = [
    { ...field, place: { ...place, line } },
    { path: ["title"], live, desired: "Dates", verdict: "drift", place: { ...place, line: line + 1 } } as const,
  ];
  const own = {
    service: "wiki",
    kind: "WikiPage",
    key: "1",
    action: "update",
    verdict: "drift",
    place,
    fields,
  } as const;
  return { ...emptyPlan, changes: [change(own)] };
}

test("drift is at the line of its field, and stays the same alert while lines move and values change", () => {
  const [first, second] = [drifted(4, "a"), drifted(90, "b")].map((plan) => runOf({ plan }).results);
  const lines = first?.map(({ locations }) => locations[0].physicalLocation.region.startLine);
  expect(lines).toEqual([4, 5]);
  const prints = (found: typeof first) => found?.map(({ partialFingerprints }) => partialFingerprints);
  expect(prints(second)).toEqual(prints(first));
  expect(new Set(prints(first)?.map((each) => JSON.stringify(each))).size).toBe(2);
});

test("a conflict is an error, drift and risks are warnings, and the rest are notes", () => {
  const { results: found } = runOf({ plan: fullPlan });
  const levels = found.map(({ ruleId, level }) => `${ruleId} ${level}`);
  expect(new Set(levels)).toEqual(
    new Set(["conflict error", "drift warning", "check warning", "unknown warning", "pending warning", "pending note"]),
  );
  expect(levels[0]).toBe("conflict error");
});

test("acknowledged drift is a suppressed result with its reason", () => {
  const ignored = [
    { address: "wiki/WikiPage/1", field: "title", until: "2027-01-20", reason: "Moves on Friday", by: "jdoe" },
    { address: "wiki/WikiPage/2", field: "title" },
  ];
  const { results: found } = runOf({ plan: { ...emptyPlan, ignored } });
  expect(found).toHaveLength(1);
  expect(found[0]?.suppressions).toEqual([{ kind: "external", justification: "Moves on Friday" }]);
});

test("two errors of one file are two alerts, wherever they stand", () => {
  const problem = { code: "SP1004", message: "No a.", place } as const;
  const problems = [problem, { ...problem, message: "No b." }, { ...problem, place: { ...place, line: 9 } }];
  const prints = runOf({ command: "plan", problems }).results.map((each) => each.partialFingerprints["setpoint/v1"]);
  expect([new Set(prints).size, prints[2]]).toEqual([2, prints[0]]);
});

test("each command, folder and environment has its own alerts, also if it made no plan", () => {
  const inStaging = { ...fullPlan, about: { ...fullPlan.about, environment: "staging" } };
  const results: readonly RunResult[] = [
    { plan: fullPlan },
    { plan: asDrift(fullPlan) },
    { plan: fullPlan, folder: "tools" },
    { plan: inStaging, folder: "tools" },
    { command: "plan", problems: [], folder: "tools", environment: "staging" },
  ];
  expect(results.map((result) => runOf(result).automationDetails.id)).toEqual([
    "setpoint/plan/",
    "setpoint/drift/",
    "setpoint/plan/tools/",
    "setpoint/plan/tools/(staging)/",
    "setpoint/plan/tools/(staging)/",
  ]);
});
