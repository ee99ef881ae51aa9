import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { firstChange, openPipelineDesk, operationsIn, type Ran, secondChange } from "./jenkins-gitlab-desk.ts";
import { holds, jenkinsfile } from "./jenkins-stages.ts";

const { text, variables, stages } = jenkinsfile();

const merged = { BRANCH_NAME: "main" };
const night = { ...merged, CAUSE: "TimerTrigger" };
const proposed = { BRANCH_NAME: "PR-8", CHANGE_ID: "8", CHANGE_TARGET: "main" };
const ofFork = { ...proposed, CHANGE_FORK: "mallory" };

const stagesOf = (env: Readonly<Record<string, string>>) =>
  stages.filter(({ when }) => when.every((condition) => holds(condition, env))).map(({ name }) => name);
const stepsOf = (name: string) => stages.find((stage) => stage.name === name)?.steps ?? [];

test("each build runs the stages that it should, and a fork's build has no credentials", () => {
  expect(stagesOf(proposed)).toEqual(["Validate", "Plan a pull request"]);
  expect(stagesOf(ofFork)).toEqual(["Validate"]);
  expect(stagesOf({ ...proposed, CHANGE_TARGET: "feature" })).toEqual(["Validate"]);
  expect(stagesOf({ ...merged, APPROVAL: "needed" })).toEqual(["Plan", "Approve", "Apply"]);
  expect(stagesOf({ ...merged, APPROVAL: "not needed" })).toEqual(["Plan", "Apply"]);
  expect(stagesOf(night)).toEqual(["Drift"]);
  expect(stagesOf({ BRANCH_NAME: "feature" })).toEqual([]);
  expect(stepsOf("Validate").flatMap(({ credentials }) => credentials)).toEqual([]);
});

test("every script is found, and credentials are set only around the steps that need them, never in a script's text", () => {
  const steps = stages.flatMap((stage) => stage.steps);
  expect(steps).toHaveLength(text.match(/\bsh[ (]/g)?.length ?? 0);
  expect(stages.filter(({ asks }) => asks).map(({ name }) => name)).toEqual(["Approve"]);
  const writing = stages.filter((stage) => stage.steps.some(({ credentials }) => credentials.includes("writer")));
  expect(writing.map(({ name }) => name)).toEqual(["Apply"]);
  for (const { script, credentials } of steps) {
    const isAsking = / (plan|drift|apply) /.test(script);
    expect(credentials.some((account) => account === "reader" || account === "writer")).toBe(isAsking);
    if (script.includes("npm install")) expect(credentials).toEqual([]);
    if (/git (fetch|push)/.test(script)) expect(credentials).toContain("repository");
  }
  expect(text).not.toMatch(/\bsh[ (][^'\n]*"/);
});

test("the stages take a pull request to the services and through a night", async () => {
  await using desk = await openPipelineDesk();
  const { sandbox } = desk;
  const ran = new Set<string>();
  const accounts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    reader: desk.reader,
    writer: desk.writer,
    repository: {},
  };
  /** Runs the scripts of a stage. A script whose exit code the file does not check has to succeed. */
  const run = async (name: string, machine: string, env: Readonly<Record<string, string>>): Promise<Ran> => {
    ran.add(name);
    let last: Ran = { code: 0, said: "" };
    for (const { script, credentials, isJudged } of stepsOf(name)) {
      const secrets = Object.fromEntries(credentials.flatMap((account) => Object.entries(accounts[account] ?? {})));
      const ended = await desk.run(script, machine, { ...variables, ...env, ...secrets }, ["sh", "-xe"]);
      if (isJudged) last = ended;
      else expect(ended.code, ended.said).toBe(0);
    }
    return last;
  };
  const plan = async () => {
    const machine = desk.checkout("main", 1);
    const { code, said } = await run("Plan", machine, merged);
    expect(code, said).toBe(2);
    return join(machine, "plan.json");
  };
  const apply = (saved: string) => {
    const machine = desk.checkout("main", 1);
    copyFileSync(saved, join(machine, "plan.json"));
    return run("Apply", machine, merged);
  };
  const applied = () => desk.git("ls-remote", "origin", "refs/setpoint/applied").split("\t")[0];

  await desk.propose("freeze", firstChange);
  await run("Validate", desk.checkout("freeze", 1), ofFork);
  expect(sandbox.requests()).toEqual([]);
  const reviewed = await run("Plan a pull request", desk.checkout("freeze", 1), proposed);
  expect(reviewed.code, reviewed.said).toBe(0);
  expect(reviewed.said).toContain("Judged by the rules at origin/main");
  expect(desk.writes()).toEqual(["createStatus", "createStatus"]);

  desk.merge("freeze");
  const saved = await plan();
  expect(desk.writes()).toHaveLength(2);
  const first = await apply(saved);
  expect(first.code, first.said).toBe(0);
  expect(desk.writes().slice(2).toSorted()).toEqual(operationsIn(saved));
  expect(desk.writes()).toHaveLength(4);
  expect(applied()).toBe(desk.git("rev-parse", "main"));
  expect(desk.git("ls-remote", "origin", "refs/setpoint/lease")).toBe("");

  desk.enableWorkflows("all");
  const red = await run("Drift", desk.checkout("main", 1), night);
  expect(red.code, red.said).toBe(2);
  expect(desk.git("ls-remote", "origin", "refs/setpoint/history")).not.toBe("");
  expect(desk.writes().slice(4)).toEqual(["updatePage"]);

  // The approved object changes on its service before the apply.
  await desk.propose("more", secondChange);
  desk.merge("more");
  const stale = await plan();
  expect(operationsIn(stale)).toContain("setActionsPermissions");
  desk.enableWorkflows("selected");
  const before = applied();
  const refused = await apply(stale);
  expect(refused.code, refused.said).toBe(4);
  expect(desk.writes().slice(5)).not.toContain("setActionsPermissions");
  expect(applied()).toBe(before);

  expect([...ran]).toEqual(stages.filter(({ asks }) => !asks).map(({ name }) => name));
  const { version }: { readonly version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(await desk.installed()).toEqual([`setpoint@${version}`]);
});
