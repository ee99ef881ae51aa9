import { expect, test } from "vitest";
import type { HistoryEntry } from "../../src/core/run/history.ts";
import type { PastRun } from "../../src/core/run/past-run.ts";
import { renderHistory } from "../../src/reports/text/history-text.ts";
import { renderRun, renderRuns } from "../../src/reports/text/runs-text.ts";

const screen = { width: 60, color: false };

/** A run whose changes have these results, in this order. */
function pastRun(...results: readonly PastRun["changes"][number]["result"][]): PastRun {
  const changes = results.map((result, index) => ({ address: `a/B/${index}`, action: "update" as const, result }));
  return { run: "2027-01-14T020011Z-7f3a", state: "ended", torn: false, damaged: [], changes, open: [] };
}

test("runs counts results in the order of a report, and no line break separates a count from its word", () => {
  const results = ["skipped", "failed", "applied"] as const;
  const many = pastRun(...results.flatMap((result) => Array.from({ length: 1200 }, () => result)));
  expect(renderRuns([many], screen).split("\n")).toEqual([
    "2027-01-14T020011Z-7f3a    ended  1,200 applied,",
    "    1,200 failed, 1,200 skipped",
  ]);
});

test("a run lists its most serious changes first", () => {
  expect(renderRun(pastRun("applied", "skipped", "failed", "unknown"), screen).split("\n")).toEqual([
    "Run 2027-01-14T020011Z-7f3a, ended, 1 applied, 1 failed,",
    "1 skipped, 1 unknown",
    "  failed   update a/B/2",
    "  unknown  update a/B/3",
    "  skipped  update a/B/1",
    "  applied  update a/B/0",
  ]);
});

test("the runs of a history count what needs a person, and no line break separates a count from its word", () => {
  const entry: HistoryEntry = {
    version: 1,
    at: "2027-01-14T02:00:11.000Z",
    command: "drift",
    counts: { inSync: 16, pending: 0, drift: 2, conflict: 0, unknown: 0, check: 3, acknowledged: 0 },
    findings: [{ address: "a/B/0", verdict: "drift", firstSeen: "2027-01-14T02:00:11.000Z", by: "R. Kumar" }],
  };
  const text = renderHistory([{ command: "drift", entries: [entry] }], "nights", screen);
  expect(text.split("\n").slice(-2)).toEqual([
    "  2027-01-14 02:00 UTC  16 in sync  0 pending  2 drift",
    "      0 conflicts  0 unknown  3 need a person  by R. Kumar",
  ]);
});
