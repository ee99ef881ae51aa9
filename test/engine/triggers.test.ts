import { expect, test } from "vitest";
import { reportExitCode } from "../../src/cli/exit.ts";
import { lock, openDesk, workflows } from "../support/commands.ts";
import { openDirectLab } from "../support/lab.ts";

const job = `
  - service: ci
    job:
      name: firmware/bootloader
      parameters: { BRANCH: "\${run.id}", TARGETS: "\${run.changes} of \${run.services} since \${run.base}." }
`;
const workflow = `
  - service: hosting
    workflow: { owner: meridian-kites, repo: website, file: publish.yml, ref: main, inputs: { target: "\${run.id}" } }
`;
const manifests = lock("platform/core", "release-2.4") + workflows("website", false);

/** The code hosting service can be read anonymously, but starts nothing for anonymous callers. */
const hostingNobody = { SETPOINT_HOSTING_USERNAME: "", SETPOINT_HOSTING_TOKEN: "" };

const started = ["dispatchWorkflow", "buildJob", "buildJobWithParameters"];

test("a plan shows what a complete apply starts, and the apply sends exactly that after everything is verified", async () => {
  await using lab = await openDirectLab({ workspace: `onApplied:${job}${workflow}` });
  const plan = await lab.plan({ now: manifests, base: "" });
  expect(plan.triggers?.map(({ service, operation, args }) => ({ service, operation, args }))).toEqual([
    {
      service: "ci",
      operation: "buildJobWithParameters",
      args: {
        job: "firmware/bootloader",
        parameters: { BRANCH: "${run.id}", TARGETS: "2 of hosting,review since base." },
      },
    },
    {
      service: "hosting",
      operation: "dispatchWorkflow",
      args: {
        owner: "meridian-kites",
        repo: "website",
        workflowId: "publish.yml",
        ref: "main",
        inputs: { target: "${run.id}" },
      },
    },
  ]);
  lab.asked();

  const report = await lab.apply({ now: lock("platform/core", "release-2.4"), base: "" });
  expect(lab.asked().slice(-2)).toEqual(["buildJobWithParameters", "dispatchWorkflow"]);
  const { builds } = lab.sandbox.state().ci.jobs["firmware/bootloader"] ?? { builds: [] };
  expect(builds.at(-1)?.parameters).toMatchObject({ BRANCH: report.run, TARGETS: "1 of review since base." });
  expect(report.triggers).toMatchObject([{ result: "done" }, { result: "done" }]);
  expect(reportExitCode(report)).toBe(0);
  expect(lab.journal.map(({ event }) => event)).toEqual([
    "start",
    "before",
    ...["intent", "outcome", "intent", "outcome", "intent", "outcome"],
    "end",
  ]);
});

test.each([
  ["ci", { SETPOINT_CI_PASSWORD: "" }, job, "Set SETPOINT_CI_TOKEN; or SETPOINT_CI_PASSWORD."],
  ["hosting", hostingNobody, workflow, "Set SETPOINT_HOSTING_TOKEN; or add the host to a netrc file."],
])("a plan warns that %s could start nothing, and names the variables", async (service, env, onApplied, hint) => {
  await using lab = await openDirectLab({ workspace: `onApplied:${onApplied}`, env });
  const { warnings } = await lab.plan({ now: lock("platform/core", "release-2.4"), base: "" });
  expect(warnings).toMatchObject([
    {
      code: "SP3001",
      service,
      message: expect.stringMatching(/The onApplied operations there would not be started\.$/),
      hint,
    },
  ]);
  const unchanged = await lab.plan(workflows("website", true));
  expect(unchanged.warnings).toBeUndefined();
});

test("an escaped placeholder of a trigger is sent as text, even one inside a variable", async () => {
  const escaped = `
variables: { command: "echo $\${run.id}" }
onApplied:
  - service: ci
    job: { name: firmware/bootloader, parameters: { BRANCH: "$\${run.id} \${run.id}", TARGETS: "\${var.command}" } }
`;
  await using lab = await openDirectLab({ workspace: escaped });
  const report = await lab.apply({ now: lock("platform/core", "release-2.4"), base: "" });
  const { builds } = lab.sandbox.state().ci.jobs["firmware/bootloader"] ?? { builds: [] };
  expect(builds.at(-1)?.parameters).toMatchObject({ BRANCH: `\${run.id} ${report.run}`, TARGETS: "echo ${run.id}" });
});

test("an apply that changes nothing starts nothing", async () => {
  await using lab = await openDirectLab({ workspace: `onApplied:${job}` });
  const report = await lab.apply(workflows("website", true));
  expect([report.plan.calls, report.plan.triggers, report.triggers]).toEqual([[], undefined, undefined]);
  expect(lab.asked().filter((name) => started.includes(name))).toEqual([]);
});

test.each([
  ["is unknown", { SETPOINT_REVIEW_PASSWORD: "wrong" }, "review/BranchLock/platform/core:release-2.4", 3],
  ["fails", { SETPOINT_HOSTING_TOKEN: "auditor-secret" }, "hosting/ActionsPermission/meridian-kites/website", 1],
])("nothing is started after an apply of which something %s", async (_case, env, address, code) => {
  await using lab = await openDirectLab({ workspace: `onApplied:${job}`, env });
  const report = await lab.apply(manifests);
  expect(report.triggers).toMatchObject([
    { result: "skipped", problem: { code: "SP4002", service: "ci", message: expect.stringContaining(address) } },
  ]);
  expect(lab.asked().filter((name) => started.includes(name))).toEqual([]);
  expect(reportExitCode(report)).toBe(code);
});

test("a drift report plans to start nothing", async () => {
  await using desk = await openDesk(manifests, { settings: `onApplied:${workflow}` });
  expect(await desk.open().plan()).toMatchObject({ plan: { triggers: [{ service: "hosting" }] } });
  const drift = await desk.open().drift();
  expect(drift.is === "planned" && [drift.plan.calls.length, drift.plan.triggers]).toEqual([2, undefined]);
});

test("under wire: documented, a trigger that the API documents lack is an error before anything is sent", async () => {
  await using lab = await openDirectLab({ workspace: `onApplied:${workflow}`, wire: "documented" });
  expect(await lab.tryPlan(lock("platform/core", "release-2.4"))).toMatchObject({
    is: "wrong",
    problems: [{ code: "SP3007", operation: "dispatchWorkflow", place: { file: "setpoint.yaml" } }],
  });
});

test("a trigger that cannot be started fails the run and does not block the next one", async () => {
  const missing = workflow.replace("publish.yml", "nothing.yml");
  await using lab = await openDirectLab({ workspace: `onApplied:${missing}${job}` });
  const report = await lab.apply(lock("platform/core", "release-2.4"));
  expect(report.outcomes.map(({ result }) => result)).toEqual(["applied"]);
  expect(report.triggers).toMatchObject([
    { result: "failed", problem: { code: "SP3005", service: "hosting", operation: "dispatchWorkflow" } },
    { result: "done" },
  ]);
  expect(reportExitCode(report)).toBe(1);
  const exitCodeOf = (result: "lost" | "skipped") =>
    reportExitCode({ ...report, triggers: [{ id: 2, result, duration: 0 }] });
  expect([exitCodeOf("lost"), exitCodeOf("skipped")]).toEqual([1, 3]);
});
