import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { temporaryFolder } from "../../support/commands.ts";
import { commitAll } from "../../support/git.ts";
import { findActionlint, findPythonValidators } from "../support/validators.ts";

const root = join(import.meta.dirname, "../../..");
const shipped = join(root, "examples/pipelines/github");
const workflows = ["plan.yml", "apply.yml", "drift.yml", "drift-shards.yml"];
const action = join(shipped, "action.yml");
const python = await findPythonValidators();
const actionlint = await findActionlint();

const passes = { code: 0, stderr: "" };

test.skipIf(actionlint === undefined)(
  "actionlint accepts the workflows in the place where users put them",
  async () => {
    await using folder = await temporaryFolder();
    for (const name of workflows) cpSync(join(shipped, name), join(folder.path, ".github/workflows", name));
    cpSync(action, join(folder.path, ".github/setpoint/action.yml"));
    commitAll(folder.path, "As users have it");
    expect(await actionlint?.([], folder.path)).toEqual({ ...passes, stdout: "" });
    // It finds the errors for which it is used: an input that the action does not have, and a variable that the shell would split.
    const file = join(folder.path, ".github/workflows/drift.yml");
    const spoilt = readFileSync(file, "utf8")
      .replace("command: drift", "comand: drift")
      .replace("run: git", "run: echo $HOME; git");
    writeFileSync(file, spoilt);
    expect((await actionlint?.([], folder.path))?.stdout).toMatch(/SC2086.*input "comand" is not defined/s);
  },
);

test.skipIf(python === undefined)(
  "the schemas of GitHub and pre-commit accept the shipped files, and shellcheck accepts their scripts",
  async () => {
    if (python === undefined) return;
    const check = python.checkJsonschema;
    const files = workflows.map((name) => join(shipped, name));
    expect(await check(["--builtin-schema", "vendor.github-workflows", ...files])).toMatchObject(passes);
    expect(await check(["--builtin-schema", "vendor.github-actions", action])).toMatchObject(passes);
    expect((await check(["--builtin-schema", "vendor.github-actions", ...files])).code).toBe(1);
    const hooks = python.preCommit;
    const config = join(root, "examples/pipelines/pre-commit/.pre-commit-config.yaml");
    const manifest = join(root, ".pre-commit-hooks.yaml");
    expect(await hooks(["validate-manifest", manifest])).toMatchObject(passes);
    expect(await hooks(["validate-config", config])).toMatchObject(passes);
    expect((await hooks(["validate-config", manifest])).code).toBe(1);

    await using folder = await temporaryFolder();
    const { runs } = z
      .object({ runs: z.object({ steps: z.array(z.object({ run: z.string().optional() })) }) })
      .parse(parse(readFileSync(action, "utf8")));
    const scripts = runs.steps.flatMap(({ run }) => run ?? []);
    for (const [index, script] of scripts.entries()) await folder.write(`${index}.sh`, script);
    const written = scripts.map((_script, index) => join(folder.path, `${index}.sh`));
    const severity = ["--shell", "bash", "--severity", "style"];
    expect(await python.shellcheck([...severity, ...written, join(shipped, "reviewed-plan.sh")])).toEqual({
      ...passes,
      stdout: "",
    });
  },
);
