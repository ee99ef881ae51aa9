import { expect, test } from "vitest";
import type { HistoryEntry } from "../../src/core/run/history.ts";
import { historyEntryOf, readHistory, withEntry } from "../../src/core/run/run-history.ts";
import { change, emptyPlan, fullPlan } from "../reports/fixture.ts";

const moved = change({
  service: "wiki",
  kind: "WikiPage",
  key: "1",
  action: "update",
  verdict: "drift",
  events: [
    { what: "edited", by: "first", at: "2027-01-01T00:00:00.000Z" },
    { what: "edited", by: "last", at: "2027-01-02T00:00:00.000Z" },
    { what: "used", by: "robot", at: "2027-01-03T00:00:00.000Z" },
  ],
});
const asked = {
  address: "wiki/WikiPage/1",
  service: "wiki",
  problem: { code: "SP3101", message: "No answer." },
} as const;
const night = (day: number) => `2027-01-0${day}T02:00:00.000Z`;
const drift = (plan: Partial<typeof emptyPlan>, day: number, before?: HistoryEntry) =>
  historyEntryOf({ command: "drift", plan: { ...emptyPlan, ...plan }, at: night(day) }, before);

test("a run has its counts by verdict, its findings and who changed them last", () => {
  const until = "2027-02-01";
  const ignored = [
    { address: "a/B/c", field: "x", until, reason: "r" },
    { address: "a/B/c", field: "y", until, reason: "r" },
    { address: "a/B/d", field: "x" },
  ];
  const entry = drift({ changes: [moved], inSync: ["a/B/e"], ignored }, 1);
  expect(entry).toEqual({
    version: 1,
    at: night(1),
    command: "drift",
    counts: { inSync: 1, pending: 0, drift: 1, conflict: 0, unknown: 0, check: 0, acknowledged: 1 },
    findings: [{ address: "wiki/WikiPage/1", verdict: "drift", firstSeen: night(1), by: "last" }],
  });
});

test("of events of one moment, and of events without a time, the first is the last change: services tell the newest first", () => {
  const at = "2027-01-02T00:00:00.000Z";
  const events = [{ by: "last" }, { by: "earlier" }, { by: "first" }].map(
    (event) => ({ what: "edited", ...event }) as const,
  );
  const told = [events, events.map((event) => ({ ...event, at }))].map((all) =>
    drift({ changes: [{ ...moved, events: all }] }, 1).findings.map(({ by }) => by),
  );
  expect(told).toEqual([["last"], ["last"]]);
});

test("a finding keeps its first date through nights that could not see it, until a run does not find it", () => {
  const first = drift({ changes: [moved] }, 1);
  const blind = drift({ unknown: [asked] }, 2, first);
  const again = drift({ changes: [moved] }, 3, blind);
  expect(
    [blind, again].flatMap(({ findings }) => findings.map(({ verdict, firstSeen }) => [verdict, firstSeen])),
  ).toEqual([
    ["unknown", night(1)],
    ["drift", night(1)],
  ]);
  const calm = drift({ inSync: ["wiki/WikiPage/1"] }, 4, again);
  expect(drift({ changes: [moved] }, 5, calm).findings).toMatchObject([{ firstSeen: night(5) }]);
});

test("what an apply has applied counts as in sync", () => {
  const [applied] = fullPlan.changes;
  const outcomes = [{ address: applied?.address ?? "", result: "applied" as const }];
  const report = { version: 1, run: "r", journal: "j", plan: fullPlan, calls: [], outcomes, requests: {} } as const;
  const entry = historyEntryOf({ command: "apply", plan: fullPlan, report, at: night(1) }, undefined);
  expect(entry.counts.inSync).toBe(fullPlan.inSync.length + 1);
  expect(entry.findings.map(({ address }) => address)).not.toContain(applied?.address);
  expect(entry.findings).toHaveLength(fullPlan.changes.length - 1 + fullPlan.unknown.length);
});

test("invalid lines are reported and kept, and a torn last line does not spoil the next one", () => {
  const text = `${JSON.stringify(drift({}, 1))}\nnonsense\n{"version":1`;
  expect(readHistory(text)).toEqual({ entries: [drift({}, 1)], damaged: [2, 3] });
  const longer = withEntry(text, drift({}, 2));
  expect(readHistory(longer)).toEqual({ entries: [drift({}, 1), drift({}, 2)], damaged: [2, 3] });
});

test("the newest 400 runs are kept, up to 5 MB", () => {
  const many = Array.from({ length: 400 }, () => `${JSON.stringify(drift({}, 1))}\n`).join("");
  const { entries } = readHistory(withEntry(many, drift({}, 2)));
  expect([entries.length, entries.at(-1)?.at]).toEqual([400, night(2)]);
  const wide = {
    ...drift({}, 1),
    findings: [{ address: "x".repeat(2_000_000), verdict: "drift", firstSeen: night(1) }],
  };
  const large = `${JSON.stringify(wide)}\n`.repeat(3);
  expect(readHistory(withEntry(large, drift({}, 2))).entries).toHaveLength(3);
});
