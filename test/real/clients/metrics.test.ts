import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderMetrics } from "../../../src/reports/formats/metrics.ts";
import { emptyPlan, fullPlan } from "../../reports/fixture.ts";
import { temporaryFolder } from "../../support/commands.ts";
import { findPythonClients, runScript } from "../support/published-clients.ts";

const python = await findPythonClients();
const run = { command: "drift", at: new Date("2027-01-13T12:00:00Z"), exitCode: 2 } as const;

test.skipIf(!python.available)("a Prometheus client reads the metrics, whatever a workspace is called", async () => {
  if (!python.available) return;
  await using folder = await temporaryFolder();
  const workspace = 'a"b\\c\nd\ud800, e="f"} 1';
  const hostile = { ...fullPlan, about: { ...emptyPlan.about, workspace } };
  const entry = {
    version: 1,
    at: "2027-01-13T12:00:00.000Z",
    command: "drift",
    findings: [{ address: "a/B/c", verdict: "drift", firstSeen: "2027-01-11T12:00:00.000Z" }],
    counts: { inSync: 0, pending: 0, drift: 1, conflict: 0, unknown: 0, check: 0, acknowledged: 0 },
  } as const;
  const file = join(folder.path, "drift.prom");
  writeFileSync(file, renderMetrics({ plan: hostile, history: [entry] }, run));
  const { code, stdout, stderr } = await runScript(python, "read_metrics.py", file, folder.path);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const read: Record<"openmetrics" | "prometheus", readonly (readonly [string, Record<string, string>, number])[]> =
    JSON.parse(stdout);
  const labels = { command: "drift", workspace: workspace.toWellFormed() };
  expect(read.openmetrics).toContainEqual(["setpoint_exit_code", labels, 2]);
  expect(read.openmetrics).toContainEqual(["setpoint_drift_oldest_seconds", labels, 172_800]);
  expect(read.openmetrics).toContainEqual([
    "setpoint_requests_total",
    { ...labels, service: "review", effect: "read" },
    2,
  ]);
  const resources = read.openmetrics.filter(([name]) => name === "setpoint_resources");
  expect(resources.reduce((sum, [, , value]) => sum + value, 0)).toBe(
    fullPlan.changes.length + fullPlan.unknown.length + fullPlan.inSync.length,
  );
  expect(read.prometheus).toHaveLength(read.openmetrics.length);
});
