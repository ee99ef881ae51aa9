import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planExitCode, recordedExitCode, reportExitCode } from "../../src/cli/exit.ts";
import { failureExitCode } from "../../src/cli/failure.ts";
import { change, emptyPlan } from "../reports/fixture.ts";
import { type Desk, openDesk, setpoint, workflows } from "../support/commands.ts";
import { dataOf } from "../support/page.ts";

const address = "hosting/ActionsPermission/meridian-kites/website";
const times = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/g;

async function driftedDesk(): Promise<Desk> {
  const desk = await openDesk(workflows("website", true));
  desk.sandbox.change(({ hosting }) => {
    for (const { name, actions } of hosting.repositories) if (name === "website") actions.enabled = false;
  });
  return desk;
}

test("drift keeps a history, writes metrics, and fails only for the verdicts given by --fail-on", async () => {
  await using desk = await driftedDesk();
  const kept = ["--history", "history", "--metrics", "drift.prom"];
  const calm = await desk.run(["drift", ...kept, "--fail-on", "conflict,unknown"]);
  expect({ code: calm.code, err: calm.err }).toEqual({ code: 0, err: "" });
  expect(await readFile(join(desk.path, "drift.prom"), "utf8")).toContain('setpoint_exit_code{command="drift",');
  // Two nights ago.
  const file = join(desk.path, "history/drift.jsonl");
  const ago = new Date(Date.now() - 2 * 86_400_000).toISOString();
  await desk.write("history/drift.jsonl", (await readFile(file, "utf8")).replaceAll(/\d{4}-[\dT:.-]+Z/g, ago));
  const files = ["--report", "text=drift.txt", "--report", "html=drift.html", "--report", "json=drift.json"];
  await desk.write("setpoint.night.yaml", "{}\n");
  const red = await desk.run(["drift", ...kept, ...files, "--workspace", "setpoint.yaml", "--environment", "night"]);
  expect(red.code).toBe(2);
  // What the commands in a file act on is what the run looked at.
  expect(
    (await readFile(join(desk.path, "drift.txt"), "utf8")).replaceAll(desk.sandbox.url, "http://sandbox.example"),
  ).toBe(red.out);
  const { given, title } = dataOf(await readFile(join(desk.path, "drift.html"), "utf8"));
  expect(given).toBe(" --workspace setpoint.yaml --environment night");
  expect(title).toMatch(/^Drift of .*, night$/);
  const later = await desk.run(["report", "drift.json"]);
  expect(later.out).toMatch(/^Undo: +setpoint apply --only \S+ --environment night$/m);
  expect(red.out).toContain("   1 drift, for 2 nights   ");
  expect(await readFile(join(desk.path, "drift.prom"), "utf8")).toMatch(
    /\nsetpoint_drift_oldest_seconds\{command="drift",workspace="[^"]+",environment="night"\} 17\d{4}(\.\d+)?\n/,
  );
  const history = await desk.run(["history", "--history", "history"]);
  expect(history.out.replaceAll(times, "2027-01-13 12:00 UTC")).toMatchInlineSnapshot(`
    "drift, 2 runs
      Open at 2027-01-13 12:00 UTC:
        drift    hosting/ActionsPermission/meridian-kites/website
          first seen 2027-01-13 12:00 UTC, for 2 nights

      2027-01-13 12:00 UTC  0 in sync  0 pending  1 drift  0 conflicts  0 unknown
      2027-01-13 12:00 UTC  0 in sync  0 pending  1 drift  0 conflicts  0 unknown
    "
  `);
  expect(history.code).toBe(0);
});

test("a disk that fills up leaves no part of a line in the history", async () => {
  await using desk = await driftedDesk();
  const args = ["drift", "--history", "history"];
  await desk.run(args);
  const file = join(desk.path, "history/drift.jsonl");
  // With room for 12 more bytes.
  const before = `${(await readFile(file, "utf8")).trimEnd().padEnd(499)}\n`;
  await desk.write("history/drift.jsonl", before);
  const within = ["sh", "-c", 'ulimit -f 1; exec "$0" "$@"'];
  const { err } = await setpoint(args, { cwd: desk.path, env: desk.env, within });
  expect(err).toMatch(/^SP1017 {2}Not kept in the history\. .*: .*\n$/);
  expect(await readFile(file, "utf8")).toBe(before);
});

test("a partial run says that it is not kept in the history, and one that cannot be kept or measured fails", async () => {
  await using desk = await driftedDesk();
  const narrowed = await desk.run(["drift", "--history", "history", "--only", address, "--fail-on", "unknown"]);
  expect(narrowed).toMatchObject({ code: 0, err: expect.stringContaining("Not kept in the history") });
  const lost = await desk.run(["drift", "--history", "setpoint.yaml", "--fail-on", "unknown"]);
  expect(lost).toMatchObject({ code: 1, err: expect.stringMatching(/^SP1017 {2}Not kept in the history\. /) });
  expect(lost.out).toContain("1 drift");
  const unmeasured = await desk.run(["drift", "--metrics", "setpoint.yaml/a.prom", "--fail-on", "unknown"]);
  expect(unmeasured).toMatchObject({ code: 1, err: expect.stringMatching(/^SP1017 {2}The metrics cannot be written/) });
});

test("a history without runs is named, because its name can be misspelt, and damage to one is an error", async () => {
  await using desk = await openDesk("");
  expect(await desk.run(["history", "--history", "hstory"])).toMatchObject({
    code: 0,
    out: "No runs are kept in hstory.\n",
  });
  await desk.write("damaged/drift.jsonl", "{\n");
  expect(await desk.run(["history", "--history", "damaged"])).toMatchObject({
    code: 1,
    out: expect.stringContaining("The readable lines are shown."),
  });
});

test("an apply keeps the state that it left", async () => {
  await using desk = await driftedDesk();
  const { code } = await desk.run(["apply", "--yes", "--history", "history", "--metrics", "apply.prom"]);
  expect(code).toBe(0);
  expect(await desk.open().history(join(desk.path, "history")).read("apply")).toMatchObject({
    entries: [{ command: "apply", counts: { inSync: 1 }, findings: [] }],
  });
  const metrics = await readFile(join(desk.path, "apply.prom"), "utf8");
  expect(metrics).toMatch(/setpoint_requests_total\{command="apply",.*service="hosting",effect="write"\} 1\n/);
  expect(metrics).toMatch(/setpoint_complete\{.*\} 1\n/);
});

const problem = { code: "SP3101", message: "No answer." } as const;
const unknown = [{ address: "a/B/c", service: "a", problem }];
const [pending, drift, conflict] = (["pending", "drift", "conflict"] as const).map((verdict) =>
  change({ service: "wiki", kind: "WikiPage", key: verdict, action: "check", verdict }),
);
const planOf = (changes: readonly (typeof pending)[]) => ({
  ...emptyPlan,
  changes: changes.flatMap((one) => one ?? []),
});

test.each([
  [planOf([drift]), ["drift"], 2],
  [planOf([drift]), ["pending", "conflict", "unknown"], 0],
  [planOf([pending, conflict]), ["conflict"], 2],
  [{ ...planOf([drift]), unknown }, ["drift", "unknown"], 3],
  [{ ...planOf([drift]), unknown }, ["drift"], 2],
  [{ ...planOf([]), unknown }, ["drift"], 0],
  [{ ...planOf([]), refusals: [{ code: "SP2002", message: "No." } as const] }, ["drift"], 4],
] as const)("--fail-on decides the exit code of a plan and of an apply: %#", (plan, failOn, code) => {
  expect(planExitCode(plan, true, failOn)).toBe(code);
  if (plan.refusals.length > 0) return;
  const report = { version: 1, run: "r", journal: "j", plan, calls: [], outcomes: [], requests: {} } as const;
  expect(reportExitCode(report, failOn)).toBe(code);
  for (const [result, own] of [
    ["failed", 1],
    ["stale", 4],
    ["skipped", 3],
    ["unknown", 3],
  ] as const)
    expect(reportExitCode({ ...report, outcomes: [{ address: "a/B/d", result }] }, failOn)).toBe(own);
  expect(reportExitCode({ ...report, problems: [problem] }, failOn)).toBe(1);
});

test("an apply that was not recorded fails, and only a run that another one keeps from starting is refused", () => {
  const recorded = { ref: "refs/setpoint/applied", commit: "c0ffee", moved: false };
  expect(recordedExitCode(0, undefined)).toBe(0);
  expect(recordedExitCode(0, recorded)).toBe(0);
  expect(([0, 3, 4] as const).map((code) => recordedExitCode(code, { ...recorded, problem }))).toEqual([1, 3, 4]);
  const busy = (["SP5005", "SP5006"] as const).map((code) => ({ code, message: "Busy." }));
  expect([busy, [...busy, problem], undefined].map(failureExitCode)).toEqual([4, 1, 1]);
});

test("--fail-on takes verdicts, and excludes --detailed-exitcode", async () => {
  await using desk = await openDesk(workflows("website", true));
  expect(await desk.run(["drift", "--fail-on", "drifted"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("Expected pending, drift"),
  });
  expect(await desk.run(["plan", "--fail-on", "drift", "--detailed-exitcode"])).toMatchObject({ code: 1 });
});
