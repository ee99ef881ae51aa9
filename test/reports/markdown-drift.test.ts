import { expect, test } from "vitest";
import type { Plan, PlannedChange } from "../../src/core/run/plan.ts";
import { renderMarkdown } from "../../src/reports/formats/markdown.ts";
import { asDrift, change, emptyPlan, fullPlan } from "./fixture.ts";

function bodyChange(part: Partial<PlannedChange>): PlannedChange {
  const fields = [{ path: ["body"], live: "a\n", desired: "b\n", verdict: "pending" } as const];
  return change({ service: "wiki", kind: "WikiPage", key: "48213", action: "update", fields, ...part });
}

test("drift is told as what happened, also without a base, and says how long it has lasted if a history is kept", () => {
  const { base: _none, ...plan } = asDrift(fullPlan);
  const [change] = plan.changes;
  if (change === undefined) throw new Error("no change");
  const { address } = change;
  const { at } = plan.about;
  const firstSeen = new Date(Date.parse(at) - 3 * 86_400_000).toISOString();
  const counts = { inSync: 0, pending: 0, drift: 1, conflict: 0, unknown: 0, check: 0, acknowledged: 0 };
  const findings = [{ address, verdict: "drift", firstSeen }] as const;
  const history = [{ version: 1, at, command: "drift", counts, findings }] as const;
  const page = renderMarkdown({ plan: { ...plan, changes: [{ ...change, verdict: "drift" }] }, history });
  expect(page).toContain("**What happened to the services** (1)");
  expect(page).toMatch(/<code>[^<]+<\/code>: [^<]*for 3 nights[^<]*<\/summary>/);
});

test("drift is shown from the manifests' value to the live one, with its author and the manifest's line", () => {
  const [, page = ""] = renderMarkdown({ plan: asDrift(fullPlan) }).split("wiki/WikiPage/48213");
  expect(page).toContain("-  <td>2.4 GA</td><td>1 March</td>\n+  <td>2.4 GA</td><td>15 March</td>");
  expect(page).toContain('- ` title `: ` "Release calendar" ` → ` "Release calender" `');
  expect(page).toContain("- ` manifests/wiki.yaml:2 `\n- ` edited by jdoe, 2027-01-13 18:04 UTC, v18 `");
});

test("a drift says how to answer it, with commands that can be pasted, whatever is in an address", () => {
  const happened = { action: "update", risks: [] } as const;
  const place = { file: "manifests/locks.yaml", line: 3, column: 1 };
  const address = "review/BranchLock/core:^(a|b)$";
  const given = ["--workspace", "tools"];
  const command = "drift" as const;
  const changes = [bodyChange({ address, verdict: "drift", action: "update", happened, place })];
  const page = renderMarkdown({ plan: { ...emptyPlan, about: { ...emptyPlan.about, command }, changes }, given });
  expect(page.split("**How to answer**")[1]).toMatchInlineSnapshot(`
    "

    - Undo: \` setpoint apply --only 'review/BranchLock/core:^(a|b)$' --workspace tools \`
    - Accept: \` setpoint adopt 'review/BranchLock/core:^(a|b)$' --workspace tools \`
    - Mute: \` setpoint ack 'review/BranchLock/core:^(a|b)$' --until 2027-01-20 --reason … --workspace tools \`
    "
  `);
  expect(renderMarkdown({ plan: { ...emptyPlan, changes } })).not.toContain("How to answer");
});

test("a drift names what can have caused it: the newest event of each sort, and none from before the base", () => {
  const basis = { ref: "applied", commit: "a".repeat(40), at: "2027-01-10T00:00:00Z", age: "4 days" };
  const events = ["13", "12", "01"].map((day) => ({
    what: "edited" as const,
    by: `day-${day}`,
    at: `2027-01-${day}T00:00:00Z`,
  }));
  const changes = [bodyChange({ verdict: "drift", happened: { action: "update", risks: [] }, events })];
  const people = (plan: Plan) => renderMarkdown({ plan }).match(/day-\d+/g);
  const plan: Plan = { ...emptyPlan, basis: { ...basis, relation: "before", commits: 0, subjects: [] }, changes };
  expect([people(asDrift(plan)), people(plan)]).toEqual([["day-13"], ["day-13", "day-12", "day-01"]]);
});
