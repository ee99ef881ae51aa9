import { describe, expect, test } from "vitest";
import type { Problem } from "../../src/core/problem.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { change, emptyPlan, fullPlan, planWithAsides, refusals } from "../reports/fixture.ts";
import { fullReport } from "../reports/report-fixture.ts";
import { rowOf, shown } from "./rows.ts";

test("a long value is cut between two whole characters", async () => {
  const long = { path: ["reason"], live: undefined, desired: `${"x".repeat(1_999)}🪁🪁`, verdict: "pending" } as const;
  const lock = change({ service: "review", kind: "BranchLock", key: "a:b", action: "update", fields: [long] });
  const row = await rowOf({ plan: { ...emptyPlan, changes: [lock] } }, lock.address);
  expect(row?.fields[0]?.after).toMatch(/x… 3 more characters$/);
});

test("risks, refusals and consents come before the rows", async () => {
  const { notes } = await shown({ plan: { ...fullPlan, refusals, consented: { accept: ["irreversible"] } } });
  expect(notes.map(({ tone, title }) => [tone, title])).toEqual([
    ["bad", "An apply refuses this plan"],
    ["bad", "Could not be read"],
    ["care", "Cannot be undone"],
    ["care", "Widens access"],
    ["care", "Rotates a secret"],
    ["plain", "Allowed for this run only: --accept irreversible."],
  ]);
});

test("what is newly left alone and commands that get a secret come before the rows, and triggers have their arguments", async () => {
  const { notes, calls } = await shown({ plan: planWithAsides });
  expect(notes.map(({ title, items }) => [title, ...items.map(({ text }) => text)])).toEqual([
    [
      "These manifests newly leave alone",
      'store/Box/a: acknowledged size until 2027-01-20: "quiet"',
      "store/Box/b: ignores size and label",
    ],
    [
      "These manifests deliver the next secret elsewhere",
      "store/Token/c: to the command curl -T -",
      "store/Token/d: to TOKEN in secrets/.env",
    ],
    ["1 new secret would go to the command vault: an apply needs --allow-exec."],
  ]);
  expect(calls.triggers).toEqual([
    'hosting.dispatchWorkflow with owner "meridian-kites", repo "website", workflowId "publish.yml", inputs {"target":"${run.id}"}',
    'ci.buildJob with job "applied"',
  ]);
});

test("the causes of unknown resources come before the rows, without those that only need another unknown one", async () => {
  const needing = {
    address: "review/BranchLock/platform/core:main",
    service: "review",
    problem: { code: "SP2003", message: "It needs analysis/AnalysisUser/user-1, whose state is unknown." },
  } as const;
  const { notes } = await shown({ plan: { ...fullPlan, unknown: [needing, ...fullPlan.unknown] } });
  expect(notes.find(({ title }) => title === "Could not be read")?.items).toEqual([
    {
      text: "12 resources of analysis: SP3101 The service did not answer within 10 s.",
      hint: "See whether it is up, or raise limits.timeout.",
    },
    {
      text: "1 resource of analysis: SP3104 The list ended at its limit of 100000 without leads.",
      address: "analysis/AnalysisGroup/leads",
    },
  ]);
});

test("an acknowledged drift has its own row, with its day, its reason and its author", async () => {
  const ignored = [
    { address: "a/B/c", field: "groups", until: "2027-01-20", reason: "migration", by: "akim" },
    { address: "a/B/d", field: "force" },
  ];
  const page = await shown({ plan: { ...emptyPlan, inSync: ["a/B/d"], ignored } });
  expect(page.rows.map(({ address, verdict, words }) => [address, verdict, words])).toEqual([
    ["a/B/c", "acknowledged", ['acknowledged groups until 2027-01-20 by akim: "migration"']],
  ]);
  expect(page.ignored).toEqual([{ address: "a/B/d", field: "force" }]);
  expect(page.inSync).toEqual([{ service: "a", kind: "B", keys: ["d"] }]);
  expect(page.sentence).toBe("Everything is as desired: 2 resources, 1 of them acknowledged.");
});

test("a call of a saved plan that is not sent is not shown among the calls", async () => {
  const withheld = new Map([[1, { code: "SP4003", message: "It has changed." }]] as const);
  const { calls, notes } = await shown({ plan: fullPlan, withheld });
  expect(calls.counts).toContainEqual(["review.modifyProjectAccess", 1]);
  expect(notes.at(-1)?.title).toBe("1 call of the saved plan is not made: something has changed since.");
  const unread = new Map<number, Problem>([...withheld, [2, { code: "SP3003", message: "Wrong password." }]]);
  const { notes: both } = await shown({ plan: fullPlan, withheld: unread });
  expect(both.at(-1)?.title).toBe(
    "2 calls of the saved plan are not made: something has changed since, and not everything could be read again.",
  );
});

describe("what an apply leaves of a quota", () => {
  const resets = "2027-01-14T10:00:00.000Z";
  const withQuota = (after: number): Plan => ({
    ...fullPlan,
    forecast: {
      ...fullPlan.forecast,
      services: { hosting: { requests: 40, seconds: 130, quota: { limit: 5000, remaining: 30, resets, after } } },
    },
  });
  const enough =
    "After about 40 requests to hosting, in about 2 minutes: 10 of 5,000 requests left until 2027-01-14 10:00 UTC.";
  const short =
    "The quota is not enough for about 40 requests to hosting, in about 2 minutes: 30 of 5,000 requests left until 2027-01-14 10:00 UTC.";

  test("is shown among the calls", async () => {
    const { calls, notes } = await shown({ plan: withQuota(10) });
    expect(calls.quotas).toEqual([{ text: enough, suffices: true }]);
    expect(JSON.stringify(notes)).not.toContain("quota");
  });

  test("becomes a note if the quota does not suffice", async () => {
    const { calls, notes } = await shown({ plan: withQuota(-10) });
    expect(calls.quotas).toEqual([{ text: short, suffices: false }]);
    expect(notes).toContainEqual({
      tone: "care",
      title: "An apply sends more requests than the quota has left",
      items: [{ text: short }],
      more: 0,
    });
  });

  test("is not shown after the apply", async () => {
    const { calls, notes } = await shown({ plan: withQuota(-10), report: fullReport });
    expect(calls.quotas).toEqual([]);
    expect(JSON.stringify(notes)).not.toContain("quota");
  });
});

test("a saved plan shows when it expires and from which commit it was made", async () => {
  const saved = {
    expires: "2027-01-14T12:00:00.000Z",
    manifests: { digest: "d", commit: "4f2c1e9aaaaa", rules: {}, resources: {} },
    selection: { service: [], kind: [], only: [], label: [] },
    seal: "s",
  };
  const { facts } = await shown({ plan: { ...fullPlan, saved } });
  expect(facts).toEqual([
    "base origin/main",
    "made from commit 4f2c1e9aaa",
    "can be applied until 14 Jan 2027, 12:00 UTC",
  ]);
});
