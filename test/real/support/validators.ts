import { dirname, join, resolve } from "node:path";
import { cached, fillOnce, type Run, run } from "./gerrit-install.ts";
import { findPythonClients } from "./published-clients.ts";

const requirements = resolve(import.meta.dirname, "../clients/validators.txt");
const actionlint = "v1.7.12";

/** Runs a validator to its end. */
type Validate = (args: readonly string[], cwd?: string, more?: NodeJS.ProcessEnv) => Promise<Run>;

/** Finds the validators of `validators.txt` by name, and shellcheck; undefined if they cannot run here. */
export async function findPythonValidators(): Promise<
  Readonly<Record<"checkJsonschema" | "preCommit" | "shellcheck", Validate>> | undefined
> {
  const found = await findPythonClients(requirements);
  if (!found.available) return undefined;
  const { program, env } = found;
  const module =
    (name: string): Validate =>
    (args, cwd, more) =>
      run(program, ["-m", name, ...args], cwd, { ...env, ...more });
  return {
    checkJsonschema: module("check_jsonschema"),
    preCommit: module("pre_commit"),
    shellcheck: (args, cwd) => run(join(dirname(program), "shellcheck"), args, cwd),
  };
}

/** Finds actionlint, which runs shellcheck on scripts; undefined without Go. */
export async function findActionlint(): Promise<Validate | undefined> {
  const python = await findPythonClients(requirements);
  const directory = cached(`actionlint-${actionlint}`);
  const failure = await fillOnce(directory, (target) =>
    run("go", ["install", `github.com/rhysd/actionlint/cmd/actionlint@${actionlint}`], target, { GOBIN: target }),
  );
  if (failure !== undefined || !python.available) return undefined;
  const shellcheck = ["-shellcheck", join(dirname(python.program), "shellcheck")];
  return (args, cwd) => run(join(directory, "actionlint"), [...shellcheck, ...args], cwd);
}
