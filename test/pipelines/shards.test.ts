import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { mistakeIn } from "../support/pages.ts";
import { gitlabPipeline } from "./gitlab-jobs.ts";
import { openPipelineDesk } from "./jenkins-gitlab-desk.ts";

const read = (name: string) => readFileSync(join(import.meta.dirname, "../../examples/pipelines", name), "utf8");
const github = read("github/drift-shards.yml");
const gitlab = read("gitlab/drift-shards.yml");
const jenkins = read("jenkins/drift-shards.groovy");

const Gitlab = z.object({
  shard: z.object({
    variables: z.object({ SETPOINT_CACHE: z.string() }),
    cache: z.object({ key: z.string(), paths: z.tuple([z.string()]) }),
    parallel: z.object({ matrix: z.tuple([z.object({ SHARD: z.array(z.string()) })]) }),
    script: z.array(z.string()),
    artifacts: z.object({ paths: z.array(z.string()) }),
  }),
  drift: z.object({ resource_group: z.literal("history"), script: z.array(z.string()) }),
});

const Step = z.object({
  uses: z.string().optional(),
  env: z.looseObject({}).optional(),
  with: z.looseObject({}).optional(),
});

const numbers = ["1", "2", "3", "4"];

test("every matrix has as many shards as its commands say, and merges the file of each shard", () => {
  const { shard } = Gitlab.parse(parse(gitlab));
  expect(shard.parallel.matrix[0].SHARD).toEqual(numbers);
  const Matrix = z.object({
    jobs: z.object({ shard: z.object({ strategy: z.object({ matrix: z.object({ shard: z.array(z.int()) }) }) }) }),
  });
  expect(Matrix.parse(parse(github)).jobs.shard.strategy.matrix.shard.map(String)).toEqual(numbers);
  expect(jenkins).toContain(`values ${numbers.map((number) => `'${number}'`).join(", ")}`);
  for (const text of [github, gitlab, jenkins]) {
    expect(text.match(/--shard[= ].*?\/(\d+)/)?.[1]).toBe("4");
    const [, merged = ""] = text.split(/\bmerge\b(?=\s)/);
    expect([...merged.matchAll(/shard-(\d)\.json/g)].map(([, number]) => number)).toEqual(numbers);
  }
});

test("setpoint accepts the arguments of the workflow's steps", () => {
  const Steps = z.object({
    jobs: z.record(z.string(), z.object({ steps: z.array(Step) })),
  });
  const calls = Object.values(Steps.parse(parse(github)).jobs).flatMap(({ steps }) =>
    steps.flatMap(({ with: given }) =>
      typeof given?.command === "string" && typeof given.arguments === "string"
        ? [
            [given.command, ...given.arguments.trim().split("\n")].map((word) =>
              word.replaceAll(/\$\{\{ matrix\.shard \}\}/g, "2"),
            ),
          ]
        : [],
    ),
  );
  expect(calls.map(([command]) => command)).toEqual(["drift", "report"]);
  expect(calls.map(mistakeIn)).toEqual([undefined, undefined]);
});

test("each shard keeps its own readings for the next night, and no workflow of a pull request has a cache", () => {
  const { steps } = z.object({ jobs: z.object({ shard: z.object({ steps: z.array(Step) }) }) }).parse(parse(github))
    .jobs.shard;
  const at = steps.findIndex(({ uses }) => uses?.startsWith("actions/cache@"));
  const { path, key, "restore-keys": restored } = steps[at]?.with ?? {};
  expect(steps[at + 1]?.env).toMatchObject({ SETPOINT_CACHE: path });
  expect([key, restored]).toEqual([
    "setpoint-readings-${{ matrix.shard }}-${{ github.run_id }}",
    "setpoint-readings-${{ matrix.shard }}-",
  ]);
  expect(Gitlab.parse(parse(gitlab)).shard.cache.key).toBe("setpoint-readings-$SHARD");
  for (const file of ["github/plan.yml", "github/action.yml", "gitlab/.gitlab-ci.yml", "jenkins/Jenkinsfile"])
    expect(read(file), file).not.toMatch(/cache/i);
});

test("an agent of Jenkins, which keeps its workspace, merges no file of another night", () => {
  expect(jenkins.match(/\bstash .*/g)).toEqual(['stash name: "shard-${SHARD}", includes: "shard-${SHARD}.json"']);
  const [before = "", after] = jenkins.split(/\{ unstash /);
  expect(after).toBeDefined();
  expect(before.slice(before.indexOf("stage('Drift')"))).toContain("sh 'rm -f shard-*.json drift.*'");
});

test("if shards are missing, there is still one report, in which they are unknown, and the history is still pushed", async () => {
  await using desk = await openPipelineDesk();
  const { reader, origin } = desk;
  const { variables } = gitlabPipeline();
  const { shard, drift } = Gitlab.parse(parse(gitlab));
  const [cached] = shard.cache.paths;
  const fetch = 'git fetch --quiet origin "+refs/setpoint/*:refs/setpoint/*"';
  /** Runs a job on a new machine, which gets the cache that another machine has left. */
  async function looked(SHARD: string, left?: string): Promise<string> {
    const own = desk.checkout("main");
    if (left !== undefined) cpSync(join(left, cached), join(own, cached), { recursive: true });
    const SETPOINT_CACHE = shard.variables.SETPOINT_CACHE.replace("$CI_PROJECT_DIR", own);
    const ran = await desk.run([fetch, ...shard.script].join("\n"), own, {
      ...variables,
      ...reader,
      SETPOINT_CACHE,
      SHARD,
    });
    expect(ran.code, ran.said).toBe(0);
    return own;
  }
  const machine = await looked("3");
  // This shard has the only resource, but its file comes too late.
  await looked("2", await looked("2"));
  expect(desk.sandbox.requests().map(({ status }) => status)).toEqual([200, 304]);
  const merged = await desk.run(drift.script.join("\n"), machine, { ...variables, ...reader, PUSH_URL: origin });
  expect(merged.said).toContain("Shard 2 of 4 is missing");
  expect(merged.code).toBe(3);
  expect(desk.git("ls-remote", "origin", "refs/setpoint/history")).not.toBe("");
  expect(desk.writes()).toEqual(["updatePage"]);
});
