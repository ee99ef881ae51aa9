import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/commands.ts";
import { commitAll, gitIn } from "../../support/git.ts";
import { findPythonValidators } from "../support/validators.ts";

const root = join(import.meta.dirname, "../../..");
const python = await findPythonValidators();

test.skipIf(python === undefined)("pre-commit installs the hooks from a checkout, and runs them", async () => {
  if (python === undefined) return;
  await using folder = await temporaryFolder();
  const [checkout, desk, programs] = [
    join(folder.path, "checkout"),
    join(folder.path, "desk"),
    join(folder.path, "bin"),
  ];
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  const files = listed.toString().split("\0").filter(Boolean);
  for (const file of files) cpSync(join(root, file), join(checkout, file));
  commitAll(checkout, "As users have it");
  // If a system has another Node, pre-commit first takes the one called `nodejs`.
  mkdirSync(programs);
  for (const name of ["node", "nodejs"]) symlinkSync(process.execPath, join(programs, name));

  const example = readFileSync(join(root, "examples/pipelines/pre-commit/.pre-commit-config.yaml"), "utf8");
  const rev = gitIn(checkout, "rev-parse", "HEAD").trim();
  const config = example.replace(/repo: .*/, `repo: ${checkout}`).replace(/rev: .*/, `rev: ${rev}`);
  await folder.write("desk/.pre-commit-config.yaml", config);
  const service = "services: { hosting: { type: github, url: https://api.github.com } }";
  await folder.write("desk/setpoint.yaml", `version: 1\n${service}\nmanifests: [manifests/*.yaml]\n`);
  const manifest = "spec: { org: acme, repo: website, enabled: false }\nkind: ActionsPermission\n";
  await folder.write("desk/manifests/website.yaml", manifest);
  commitAll(desk, "A manifest that is not formatted");

  const env = { PATH: `${programs}:${process.env.PATH}`, PRE_COMMIT_HOME: join(folder.path, "home") };
  const ran = async () => (await python.preCommit(["run", "--all-files", "--color", "never"], desk, env)).stdout;
  const first = await ran();
  expect(first).toMatch(/setpoint fmt\.+Failed\n.*files were modified by this hook/s);
  expect(first).toMatch(/setpoint validate\.+Passed/);
  expect(readFileSync(join(desk, "manifests/website.yaml"), "utf8")).toMatch(/^kind: ActionsPermission\n/);
  commitAll(desk, "Formatted");
  expect(await ran()).toMatch(/setpoint fmt\.+Passed\n.*setpoint validate\.+Passed/s);
});
