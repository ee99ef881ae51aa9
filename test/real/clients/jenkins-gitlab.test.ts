import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/commands.ts";
import { commitAll, gitIn } from "../../support/git.ts";
import { lacks, runGroovy, runValidator } from "../support/pipeline-validators.ts";

const examples = resolve(import.meta.dirname, "../../../examples/pipelines");
const hasNoGroovy = await lacks("npm-groovy-lint");

test.skipIf(await lacks("check-jsonschema"))(
  "GitLab's schema accepts the file for GitLab, and refuses a broken one",
  async () => {
    await using folder = await temporaryFolder();
    const sound = readFileSync(join(examples, "gitlab/.gitlab-ci.yml"), "utf8");
    await folder.write("sound.yml", sound);
    await folder.write("broken.yml", sound.replace("when: manual", "when: asked"));
    const check = (file: string) =>
      runValidator("check-jsonschema", ["--builtin-schema", "vendor.gitlab-ci", file], folder.path);
    expect(await check("sound.yml")).toMatchObject({ code: 0 });
    await folder.write("shards.yml", readFileSync(join(examples, "gitlab/drift-shards.yml"), "utf8"));
    expect(await check("shards.yml")).toMatchObject({ code: 0 });
    expect(await check("broken.yml")).toMatchObject({ code: 1, stdout: expect.stringContaining("asked") });
  },
);

test.skipIf(await lacks("gitlab-ci-local"))(
  "another reader of GitLab's rules finds the same jobs for each event",
  async () => {
    await using folder = await temporaryFolder();
    cpSync(join(examples, "gitlab/.gitlab-ci.yml"), join(folder.path, ".gitlab-ci.yml"));
    commitAll(folder.path, "A pipeline");
    gitIn(folder.path, "remote", "add", "origin", "git@gitlab.example.com:tools/manifests.git");
    const list = async (variables: Readonly<Record<string, string>>) => {
      const given = Object.entries(variables).flatMap(([name, value]) => ["--variable", `${name}=${value}`]);
      const { code, stdout, stderr } = await runValidator("gitlab-ci-local", ["--list-csv", ...given], folder.path);
      expect(code, stderr).toBe(0);
      const [, ...rows] = stdout.trim().slice(stdout.indexOf("name;stage;")).split("\n");
      return rows.map((row) => row.split(";"));
    };
    const proposed = { CI_PIPELINE_SOURCE: "merge_request_event", CI_MERGE_REQUEST_PROJECT_ID: "1" };
    const own = await list({ ...proposed, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "1" });
    expect(own.map(([name]) => name)).toEqual(["validate", "plan-merge-request"]);
    const fork = await list({ ...proposed, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "2" });
    expect(fork.map(([name]) => name)).toEqual(["validate"]);
    const merged = await list({ CI_PIPELINE_SOURCE: "push" });
    expect(merged.map(([name, , when, , environment]) => [name, when, environment])).toEqual([
      ["plan", "on_success", ""],
      ["apply", "manual", "production"],
    ]);
    expect((await list({ CI_PIPELINE_SOURCE: "schedule" })).map(([name]) => name)).toEqual(["drift"]);
  },
);

test.skipIf(hasNoGroovy)("a linter of Groovy finds no error in the Jenkinsfile, and finds a broken one", async () => {
  await using folder = await temporaryFolder();
  const sound = readFileSync(join(examples, "jenkins/Jenkinsfile"), "utf8");
  await folder.write(".groovylintrc.json", '{ "extends": "recommended-jenkinsfile" }');
  const lint = async (text: string) => {
    writeFileSync(join(folder.path, "Jenkinsfile"), text);
    const args = ["--noserver", "--path", folder.path, "--files", "**/Jenkinsfile", "--config", folder.path];
    const options = ["--failon", "error", "--loglevel", "warning", "--output", "txt"];
    return runValidator("npm-groovy-lint", [...args, ...options], folder.path);
  };
  // The matrix form replaces the stage of the night.
  const night = readFileSync(join(examples, "jenkins/drift-shards.groovy"), "utf8");
  const sharded = await lint(sound.replace(/^ {8}stage\('Drift'\)[\s\S]*?^ {8}\}\n/m, night));
  expect(sharded.code, sharded.stdout + sharded.stderr).toBe(0);
  const { code, stdout, stderr } = await lint(sound);
  expect(code, stdout + stderr).toBe(0);
  expect(stripVTControlCharacters(stdout)).toContain("results in 1 linted files");
  expect((await lint(sound.replace("agent none", "agent none }"))).code).toBe(1);
});

test.skipIf(hasNoGroovy)("run by Groovy, a stage and an exit code give the right result of a build", async () => {
  const runs = [
    ["Plan=0", "stash, archiveArtifacts; approval not needed"],
    ["Plan=2", "stash, archiveArtifacts; approval needed"],
    ["Plan=3", "unstable, stash, archiveArtifacts; approval needed"],
    ["Plan=4", "error; approval needed"],
    ["Drift=2", "unstable, archiveArtifacts; approval null"],
    ["Apply=4", "unstash, error; approval null"],
  ];
  const script = join(import.meta.dirname, "run_jenkinsfile.groovy");
  const names = runs.map(([run = ""]) => run);
  const { stdout, stderr } = await runGroovy(script, [join(examples, "jenkins/Jenkinsfile"), ...names]);
  expect(stderr).toBe("");
  expect(stdout.trim().split("\n")).toEqual(runs.map((run) => run.join(": ")));
});
