import { expect, test } from "vitest";
import { renderMetrics } from "../../src/reports/formats/metrics.ts";
import { emptyPlan, fullPlan } from "./fixture.ts";

const run = { command: "drift", at: new Date("2027-01-13T12:00:00Z"), exitCode: 2 } as const;

test("a run gives these metrics; test/real/clients/metrics.test.ts has a published parser read them", () => {
  const until = "2027-02-01";
  const ignored = [{ address: "review/BranchLock/quiet", field: "reason", until, reason: "r" }];
  expect(renderMetrics({ plan: { ...fullPlan, inSync: ["wiki/WikiPage/2"], ignored } }, run)).toMatchInlineSnapshot(`
    "# HELP setpoint_resources Resources by verdict.
    # TYPE setpoint_resources gauge
    setpoint_resources{command="drift",workspace="platform",service="review",kind="BranchLock",verdict="pending"} 2
    setpoint_resources{command="drift",workspace="platform",service="review",kind="AccessRule",verdict="conflict"} 1
    setpoint_resources{command="drift",workspace="platform",service="wiki",kind="WikiPage",verdict="drift"} 1
    setpoint_resources{command="drift",workspace="platform",service="hosting",kind="HostKeys",verdict="drift"} 1
    setpoint_resources{command="drift",workspace="platform",service="analysis",kind="AnalysisUser",verdict="pending"} 1
    setpoint_resources{command="drift",workspace="platform",service="analysis",kind="AnalysisRole",verdict="pending"} 1
    setpoint_resources{command="drift",workspace="platform",service="analysis",kind="AnalysisUser",verdict="unknown"} 12
    setpoint_resources{command="drift",workspace="platform",service="analysis",kind="AnalysisGroup",verdict="unknown"} 1
    setpoint_resources{command="drift",workspace="platform",service="review",kind="BranchLock",verdict="acknowledged"} 1
    setpoint_resources{command="drift",workspace="platform",service="wiki",kind="WikiPage",verdict="in sync"} 1
    # HELP setpoint_changes Changes of the plan by what an apply would do.
    # TYPE setpoint_changes gauge
    setpoint_changes{command="drift",workspace="platform",service="review",kind="BranchLock",action="update"} 1
    setpoint_changes{command="drift",workspace="platform",service="review",kind="BranchLock",action="create"} 1
    setpoint_changes{command="drift",workspace="platform",service="review",kind="AccessRule",action="update"} 1
    setpoint_changes{command="drift",workspace="platform",service="wiki",kind="WikiPage",action="update"} 1
    setpoint_changes{command="drift",workspace="platform",service="hosting",kind="HostKeys",action="check"} 1
    setpoint_changes{command="drift",workspace="platform",service="analysis",kind="AnalysisUser",action="create"} 1
    setpoint_changes{command="drift",workspace="platform",service="analysis",kind="AnalysisRole",action="delete"} 1
    # HELP setpoint_risks Changes of the plan by what an apply would widen, narrow or lose.
    # TYPE setpoint_risks gauge
    setpoint_risks{command="drift",workspace="platform",service="review",kind="BranchLock",risk="narrows-access"} 2
    setpoint_risks{command="drift",workspace="platform",service="review",kind="AccessRule",risk="widens-access"} 1
    setpoint_risks{command="drift",workspace="platform",service="review",kind="AccessRule",risk="narrows-access"} 1
    setpoint_risks{command="drift",workspace="platform",service="analysis",kind="AnalysisUser",risk="widens-access"} 1
    setpoint_risks{command="drift",workspace="platform",service="analysis",kind="AnalysisUser",risk="secret-rotates"} 1
    setpoint_risks{command="drift",workspace="platform",service="analysis",kind="AnalysisRole",risk="irreversible"} 1
    setpoint_risks{command="drift",workspace="platform",service="analysis",kind="AnalysisRole",risk="narrows-access"} 1
    # HELP setpoint_requests Requests that the run sent.
    # TYPE setpoint_requests counter
    setpoint_requests_total{command="drift",workspace="platform",service="review",effect="read"} 2
    setpoint_requests_total{command="drift",workspace="platform",service="review",effect="write"} 0
    setpoint_requests_total{command="drift",workspace="platform",service="wiki",effect="read"} 1
    setpoint_requests_total{command="drift",workspace="platform",service="wiki",effect="write"} 0
    setpoint_requests_total{command="drift",workspace="platform",service="hosting",effect="read"} 1
    setpoint_requests_total{command="drift",workspace="platform",service="hosting",effect="write"} 0
    setpoint_requests_total{command="drift",workspace="platform",service="analysis",effect="read"} 4
    setpoint_requests_total{command="drift",workspace="platform",service="analysis",effect="write"} 0
    # HELP setpoint_run_timestamp_seconds When the run ended; if it is old, later runs did not finish.
    # TYPE setpoint_run_timestamp_seconds gauge
    setpoint_run_timestamp_seconds{command="drift",workspace="platform"} 1799841600
    # HELP setpoint_exit_code The exit code of the run.
    # TYPE setpoint_exit_code gauge
    setpoint_exit_code{command="drift",workspace="platform"} 2
    # HELP setpoint_complete 1 if every declared resource could be read and no change is left.
    # TYPE setpoint_complete gauge
    setpoint_complete{command="drift",workspace="platform"} 0
    # EOF
    "
  `);
});

test("a label can end neither its text nor its line", () => {
  const about = { ...emptyPlan.about, workspace: 'a"} 1\n# EOF\\' };
  const text = renderMetrics({ plan: { ...emptyPlan, about } }, run);
  expect(text).toContain('{command="drift",workspace="a\\"} 1\\n# EOF\\\\"} 2\n');
  expect(text.split("\n").filter((line) => line === "# EOF")).toHaveLength(1);
});

test("a run in which everything is in sync or acknowledged is complete", () => {
  const completeness = (plan: Partial<typeof emptyPlan>) =>
    /setpoint_complete\{.*\} (\d)/.exec(renderMetrics({ plan: { ...emptyPlan, ...plan } }, run))?.[1];
  const ignored = [{ address: "a/B/c", field: "x", until: "2027-02-01", reason: "r" }];
  expect(completeness({ inSync: ["a/B/d"], ignored })).toBe("1");
  expect(completeness({ unknown: fullPlan.unknown })).toBe("0");
  expect(completeness({ changes: fullPlan.changes })).toBe("0");
});

test("two environments of a workspace are different series", () => {
  const inStaging = { ...emptyPlan, about: { ...emptyPlan.about, environment: "staging" } };
  expect(renderMetrics({ plan: inStaging }, run)).toContain(
    'setpoint_exit_code{command="drift",workspace="platform",environment="staging"} 2',
  );
});
