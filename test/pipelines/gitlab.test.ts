import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitlabPipeline } from "./gitlab-jobs.ts";
import { firstChange, openPipelineDesk, operationsIn, secondChange } from "./jenkins-gitlab-desk.ts";

const { jobs, variables, jobsOf, scriptOf } = gitlabPipeline();

const project = { CI_DEFAULT_BRANCH: "main" };
const merged = { ...project, CI_PIPELINE_SOURCE: "push", CI_COMMIT_BRANCH: "main" };
const night = { ...project, CI_PIPELINE_SOURCE: "schedule", CI_COMMIT_BRANCH: "main" };
const ofProject = { CI_MERGE_REQUEST_PROJECT_ID: "1", CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "1" };
const proposed = { ...project, CI_PIPELINE_SOURCE: "merge_request_event", ...ofProject };
const ofFork = { ...proposed, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "2" };

test("each event starts the jobs that it should, and a fork's merge request starts none with a secret", () => {
  expect(jobsOf(proposed)).toEqual(["validate", "plan-merge-request"]);
  expect(jobsOf(ofFork)).toEqual(["validate"]);
  expect(jobsOf(merged)).toEqual(["plan", "apply (manual)"]);
  expect(jobsOf(night)).toEqual(["drift"]);
  expect(jobsOf({ ...merged, CI_COMMIT_BRANCH: "feature" })).toEqual([]);
  expect(jobsOf({ ...night, CI_COMMIT_BRANCH: "feature" })).toEqual([]);
});

test("only apply has the variables that may write, one apply and one drift run at a time, and a plan is kept until it expires", () => {
  const deploying = Object.entries(jobs).filter(([, job]) => job.environment !== undefined);
  expect(deploying.map(([name]) => name)).toEqual(["apply"]);
  expect(jobs.apply).toMatchObject({ environment: "production", resource_group: "production", needs: ["plan"] });
  expect(jobs.drift).toMatchObject({ resource_group: "history" });
  expect(variables.GIT_DEPTH).toBe("0");
  expect(jobs.plan?.artifacts?.expire_in).toBe("1 day");
  expect(scriptOf("plan")).toContain("--expires 1d");
});

test("the jobs take a merge request to the services and through a night", async () => {
  await using desk = await openPipelineDesk();
  const { origin, reader, writer, sandbox } = desk;
  const ran = new Set<string>();
  const run = (name: string, machine: string, env: Readonly<Record<string, string>>) => {
    ran.add(name);
    return desk.run(scriptOf(name), machine, { ...variables, ...env });
  };
  const plan = async () => {
    const machine = desk.checkout("main");
    const { code, said } = await run("plan", machine, { ...merged, ...reader });
    expect(code, said).toBe(0);
    return join(machine, "plan.json");
  };
  const apply = async (saved: string) => {
    const machine = desk.checkout("main");
    copyFileSync(saved, join(machine, "plan.json"));
    return run("apply", machine, { ...merged, ...writer, PUSH_URL: origin });
  };
  const applied = () => desk.git("ls-remote", "origin", "refs/setpoint/applied").split("\t")[0];
  const head = () => desk.git("rev-parse", "main");

  await desk.propose("freeze", firstChange);
  const validated = await run("validate", desk.checkout("freeze"), { ...ofFork, CI: "true" });
  expect(validated.code, validated.said).toBe(0);
  expect(sandbox.requests()).toEqual([]);
  const machine = desk.checkout("freeze");
  const reviewed = await run("plan-merge-request", machine, { ...proposed, ...reader });
  expect(reviewed.code, reviewed.said).toBe(0);
  expect(reviewed.said).toContain("Judged by the rules at origin/main");
  expect(readFileSync(join(machine, "plan.html"), "utf8")).toContain("release-2.4");
  expect(desk.writes()).toEqual([]);

  desk.merge("freeze");
  const saved = await plan();
  expect(desk.writes()).toEqual([]);
  const first = await apply(saved);
  expect(first.code, first.said).toBe(0);
  expect(desk.writes().toSorted()).toEqual(operationsIn(saved));
  expect(desk.writes()).toHaveLength(2);
  expect(applied()).toBe(head());

  desk.enableWorkflows("all");
  const red = await run("drift", desk.checkout("main"), { ...night, ...reader, PUSH_URL: origin });
  expect(red.code, red.said).toBe(2);
  expect(desk.git("ls-remote", "origin", "refs/setpoint/history")).not.toBe("");
  expect(desk.writes().slice(2)).toEqual(["updatePage"]);

  // The reviewed object changes on its service before the apply.
  await desk.propose("more", secondChange);
  desk.merge("more");
  const stale = await plan();
  expect(operationsIn(stale)).toContain("setActionsPermissions");
  desk.enableWorkflows("selected");
  const before = applied();
  const refused = await apply(stale);
  expect(refused.code, refused.said).toBe(4);
  expect(desk.writes().slice(3)).not.toContain("setActionsPermissions");
  expect(applied()).toBe(before);

  expect([...ran].toSorted()).toEqual(Object.keys(jobs).toSorted());
  const { version }: { readonly version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(await desk.installed()).toEqual([`setpoint@${version}`]);
});
