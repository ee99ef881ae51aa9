import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Folder } from "../../support/commands.ts";
import { warmScript } from "../../support/warm/warm.ts";

const root = join(import.meta.dirname, "../../..");

/** A step of a pipeline: a script for bash. */
export interface ShellStep {
  readonly name: string;
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A step that ended, with the environment that it saw. */
export interface Ran {
  readonly name: string;
  readonly code: number;
  /** What it printed, to both outputs. */
  readonly said: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Place {
  readonly cwd: string;
  /** Everything that a step sees, except its own variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs one step as a CI server does: in a shell that stops at the first failure. It can be the bash 3.2 of a Mac. */
export async function runStep({ name, run, env: own = {} }: ShellStep, { cwd, env }: Place): Promise<Ran> {
  const seen = { ...env, ...own };
  const shell = spawn(
    "bash",
    ["--noprofile", "--norc", "-eo", "pipefail", "-c", `enable -n mapfile readarray\n${run}`],
    {
      cwd,
      env: seen,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const [out, err] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, "close")]);
  return { name, code: shell.exitCode ?? -1, said: out + err, env: seen };
}

/** Runs steps in order until one fails. */
export async function runSteps(steps: readonly ShellStep[], place: Place): Promise<readonly Ran[]> {
  const [first, ...more] = steps;
  if (first === undefined) return [];
  const ran = await runStep(first, place);
  return ran.code === 0 ? [ran, ...(await runSteps(more, place))] : [ran];
}

/**
 * Prepares what a CI server's machine has: its own home, git without a user name, and programs. `programs` are scripts for `sh` by
 * name; `setpoint` is that of this checkout.
 */
export async function machine(
  folder: Folder,
  programs: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, string>>> {
  const all = { setpoint: await warmScript(), ...programs };
  for (const [name, script] of Object.entries(all)) {
    await folder.write(join("bin", name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder.path, "bin", name), 0o755);
  }
  await folder.write("home/.keep", "");
  return {
    PATH: `${join(folder.path, "bin")}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: join(folder.path, "home"),
    XDG_STATE_HOME: join(folder.path, "home/state"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    NODE_COMPILE_CACHE: join(root, ".cache/compiled"),
  };
}
