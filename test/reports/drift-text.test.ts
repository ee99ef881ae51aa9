import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { ObjectEvent } from "../../src/core/change.ts";
import type { HistoryEntry } from "../../src/core/run/history.ts";
import type { PlannedChange } from "../../src/core/run/plan.ts";
import { shellWord } from "../../src/core/text/words.ts";
import { recentEvents, sinceWords } from "../../src/reports/text/drift-text.ts";
import { renderPlan } from "../../src/reports/text/plan-text.ts";
import { change, emptyPlan } from "./fixture.ts";

const services = [{ name: "review", role: "review", url: "https://review.example.com", reads: 1 }];
const place = { file: "manifests/locks.yaml", line: 3, column: 7 };
const happened = { action: "update", risks: [] } as const;
const permissions = { path: ["permissions"], live: ["push"], desired: ["push", "submit"], verdict: "drift" } as const;

function lock(key: string, part: Partial<PlannedChange> = {}): PlannedChange {
  return change({
    service: "review",
    kind: "BranchLock",
    key,
    action: "update",
    verdict: "drift",
    place,
    happened,
    fields: [{ ...permissions, place }],
    ...part,
  });
}

function driftOf(changes: readonly PlannedChange[], options: object = {}): string {
  const plan = { ...emptyPlan, about: { ...emptyPlan.about, command: "drift" as const }, services, changes };
  return renderPlan(plan, { width: 80, color: false, all: false, ...options });
}

/** The commands at the end of the output. */
function answersTo(changes: readonly PlannedChange[], options: object = {}): readonly string[] {
  return driftOf(changes, options)
    .split("\n")
    .filter((line) => /^(Undo:|Accept:|Mute:|By hand:| {9}\S)/.test(line));
}

describe("drift ends with commands to paste", () => {
  test("that undo it, accept it and silence it for a week", () => {
    expect(driftOf([lock("core:release")])).toMatchInlineSnapshot(`
      "review  https://review.example.com                                        1 read
        ~ BranchLock core:release                                                drift
            permissions  push, submit → push
            manifests/locks.yaml:3

      0 in sync   0 pending   1 drift   0 conflicts   0 unknown
      An apply would make no call.

      Undo:    setpoint apply --only review/BranchLock/core:release
      Accept:  setpoint adopt review/BranchLock/core:release
      Mute:    setpoint ack review/BranchLock/core:release --until 2027-01-20 --reason …"
    `);
  });

  test("for all of a few resources, or for the first of many with a remark on a line of its own", () => {
    const two = [lock("a:x"), lock("b:x")];
    expect(answersTo(two)[0]).toBe("Undo:    setpoint apply --only review/BranchLock/a:x --only review/BranchLock/b:x");
    const four = [...two, lock("c:x"), lock("d:x")];
    expect(answersTo(four)).toEqual([
      "Undo:    setpoint apply --only review/BranchLock/a:x",
      "         and 3 more; for all, name none",
      "Accept:  setpoint adopt review/BranchLock/a:x",
      "         and 3 more; for all, name none",
      "Mute:    setpoint ack review/BranchLock/a:x --until 2027-01-20 --reason …",
      "         and 3 more",
    ]);
  });

  test("for one of many that works by itself, not for one that needs another", () => {
    const others = ["b:x", "c:x", "d:x"].map((key) => lock(key));
    expect(answersTo([lock("a:x", { phase: 1 }), ...others])[0]).toBe(
      "Undo:    setpoint apply --only review/BranchLock/b:x",
    );
  });

  const { place: _none, ...nowhere } = lock("a:x");
  const { happened: _nothing, ...ours } = lock("a:x", { verdict: "pending" });
  test.each([
    ["a person has to act", lock("a:x", { action: "check", fields: [permissions] }), ["Mute"]],
    ["a person has to act on what is stated", lock("a:x", { action: "check" }), ["Accept", "Mute"]],
    ["it was deleted", lock("a:x", { action: "create", happened: { action: "delete", risks: [] } }), ["Undo", "Mute"]],
    ["no manifest names it", nowhere, ["Undo"]],
    ["only the manifests changed", ours, []],
  ])("limited to those that work if %s", (_name, one, expected) => {
    expect(answersTo([one]).map((line) => line.split(":")[0])).toEqual(expected);
  });

  test("and with a place to edit for what forEach makes, whose document no command can write for a single resource", () => {
    const one = lock("a:x", { repeated: true });
    const elsewhere = lock("c:x", { repeated: true, place: { ...place, file: "manifests/more.yaml" } });
    expect(answersTo([one])).toEqual([
      "Undo:    setpoint apply --only review/BranchLock/a:x",
      "By hand: manifests/locks.yaml:3",
      "         forEach: adopt writes it only if all its resources changed alike",
    ]);
    const all = [one, lock("b:x", { repeated: true }), elsewhere, lock("d:x")];
    expect(answersTo(all).slice(-4)).toEqual([
      "Accept:  setpoint adopt review/BranchLock/d:x",
      "Mute:    setpoint ack review/BranchLock/d:x --until 2027-01-20 --reason …",
      "By hand: manifests/locks.yaml:3",
      "         and 1 more document, forEach: adopt writes it only if all its resources changed alike",
    ]);
  });

  test("with the options that select the workspace, and without anything that a shell would interpret", () => {
    const [undo = ""] = answersTo([lock("it's $(touch x):refs/*")], { given: ["--var", "a=b c"] });
    const words = undo.slice(9).replace("setpoint", "");
    const printed = execFileSync("sh", ["-c", `printf '%s\n' ${words}`], { encoding: "utf8" });
    expect(printed).toBe("apply\n--only\nreview/BranchLock/it's $(touch x):refs/*\n--var\na=b c\n");
    expect(shellWord("review/BranchLock/a:x@1,2=3")).toBe("review/BranchLock/a:x@1,2=3");
  });
});

describe("drift says how long", () => {
  const at = emptyPlan.about.at;
  const entry = (seen: Readonly<Record<string, string>>): HistoryEntry => ({
    version: 1,
    at,
    command: "drift",
    counts: { inSync: 0, pending: 0, drift: 2, conflict: 0, unknown: 0, check: 0, acknowledged: 0 },
    findings: Object.entries(seen).map(([key, firstSeen]) => ({
      address: `review/BranchLock/${key}`,
      verdict: "drift",
      firstSeen,
    })),
  });

  test("each resource and the older of two have differed, if a history is kept", () => {
    const history = [entry({ "a:x": "2027-01-11T12:02:00.000Z", "b:x": at })];
    const text = driftOf([lock("a:x"), lock("b:x")], { history });
    expect(text).toMatch(/BranchLock a:x +drift, for 2 nights\n/);
    expect(text).toMatch(/BranchLock b:x +drift\n/);
    expect(text).toContain("   2 drift, the older for 2 nights   ");
    expect(driftOf([lock("a:x")], { history })).toContain("   1 drift, for 2 nights   ");
    expect(driftOf([lock("b:x")], { history })).toContain("   1 drift   ");
  });

  test.each([
    ["2027-01-13T11:50:00.000Z", undefined],
    ["2027-01-13T09:00:00.000Z", "for 3 hours"],
    ["2027-01-12T12:03:00.000Z", "for 1 night"],
    ["2027-01-03T12:00:00.000Z", "for 10 nights"],
  ])("it has lasted since %s", (firstSeen, words) => {
    expect(sinceWords(firstSeen, at)).toBe(words);
  });
});

test("the newest event of each type is shown for an object, unless it is older than the base", () => {
  const event = (name: string, at: string): ObjectEvent => ({ what: "configured", name, at });
  const events = [event("project", "2027-01-12"), event("project", "2027-01-13"), event("job", "2027-01-01")];
  const basis = {
    ref: "x",
    commit: "c",
    at: "2027-01-10",
    age: "3 days",
    relation: "before",
    commits: 0,
    subjects: [],
  } as const;
  expect(recentEvents(events, undefined)).toEqual([events[1], events[2]]);
  expect(recentEvents(events, basis)).toEqual([events[1]]);
  const shown = driftOf([lock("a:x", { events })], { all: true });
  expect(shown.match(/project configured/g)).toHaveLength(2);
});
