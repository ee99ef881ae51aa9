import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { lock, temporaryFolder, workflows, workspaceText } from "../support/commands.ts";
import { addOrigin, commitAll, gitIn } from "../support/git.ts";
import { warmScript } from "../support/warm/warm.ts";

const root = join(import.meta.dirname, "../..");

/** Stands in for npm: records its arguments, and installs the program of this checkout where npm would. */
const npm = `#!/bin/sh
echo "$*" >> "$NPM_LOG"
case "$*" in *--prefix*) mkdir -p "$4/bin" && cp "$(dirname "$0")/setpoint" "$4/bin/";; esac
`;

export type Environment = Readonly<Record<string, string>>;

/** The result of a job or a step. */
export interface Ran {
  readonly code: number;
  readonly said: string;
}

/** Opens a repository of manifests on a git server, a sandbox, and machines that run the steps of a pipeline. */
export async function openPipelineDesk() {
  const folder = await temporaryFolder();
  const sandbox = await startSandbox();
  const npmLog = join(folder.path, "npm.log");
  await folder.write("bin/setpoint", `#!/bin/sh\n${await warmScript()}\n`);
  await folder.write("bin/npm", npm);
  for (const program of ["setpoint", "npm"]) await chmod(join(folder.path, "bin", program), 0o755);
  const developer = join(folder.path, "developer");
  const origin = `file://${join(folder.path, "origin.git")}`;
  const { review, hosting, wiki } = accounts(sandbox.url);
  await folder.write("developer/setpoint.yaml", workspaceText(sandbox.url));
  await folder.write("developer/.gitignore", ".setpoint/\n");
  await folder.write("developer/manifests/all.yaml", workflows("website", true));
  commitAll(developer, "The manifests");
  addOrigin(developer, join(folder.path, "origin.git"), origin);
  gitIn(developer, "push", "--quiet", "origin", "main:refs/setpoint/applied");
  let checkouts = 0;
  const git = (...args: readonly string[]) => gitIn(developer, ...args).trim();
  return {
    sandbox,
    origin,
    git,
    /** May read. The status and the report's page are writes, but to services that the manifests' changes do not touch. */
    reader: { ...review("auditor"), ...hosting("admin"), ...wiki("admin") },
    writer: { ...review("admin"), ...hosting("admin"), ...wiki("admin") },
    /** Commits manifests to a new branch, from main. */
    async propose(branch: string, manifests: string): Promise<void> {
      git("checkout", "--quiet", "-B", branch, "main");
      await folder.write("developer/manifests/all.yaml", manifests);
      git("commit", "--quiet", "--all", "--message", branch);
      git("push", "--quiet", "--force", "origin", branch);
    },
    /** Merges a branch as the server does: the result is a new commit. */
    merge(branch: string): void {
      git("checkout", "--quiet", "main");
      git("merge", "--quiet", "--no-ff", "--no-edit", branch);
      git("push", "--quiet", "origin", "main");
    },
    /** Checks out on a new machine: the commit of a branch and, unless it is shallow, its history, but no other ref. */
    checkout(branch: string, depth?: number): string {
      checkouts += 1;
      const machine = join(folder.path, `machine-${checkouts}`);
      gitIn(folder.path, "init", "--quiet", machine);
      gitIn(machine, "remote", "add", "origin", origin);
      const much = depth === undefined ? [] : [`--depth=${depth}`];
      gitIn(machine, "fetch", "--quiet", ...much, "origin", `refs/heads/${branch}`);
      gitIn(machine, "checkout", "--quiet", "--detach", "FETCH_HEAD");
      return machine;
    },
    /** Runs a script as a CI server does. It sees nothing of the tests' environment. */
    async run(script: string, cwd: string, env: Environment, shell = ["bash", "-eo", "pipefail"]): Promise<Ran> {
      const [program = "", ...options] = shell;
      const whole = {
        GIT_AUTHOR_NAME: "ci",
        GIT_AUTHOR_EMAIL: "ci@example.com",
        GIT_COMMITTER_NAME: "ci",
        GIT_COMMITTER_EMAIL: "ci@example.com",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_SYSTEM: "/dev/null",
        HOME: folder.path,
        XDG_STATE_HOME: join(folder.path, "state"),
        NODE_COMPILE_CACHE: join(root, ".cache/compiled"),
        NPM_LOG: npmLog,
        WORKSPACE_TMP: `${cwd}@tmp`,
        PATH: `${join(folder.path, "bin")}:${process.env.PATH}`,
        ...env,
      };
      const running = spawn(program, [...options, "-c", script], { cwd, env: whole, stdio: "pipe" });
      running.stdin.end();
      const [out, err] = await Promise.all([text(running.stdout), text(running.stderr), once(running, "close")]);
      return { code: running.exitCode ?? -1, said: `${script}\n${out}${err}` };
    },
    /** Returns what was installed, without duplicates. */
    async installed(): Promise<readonly string[]> {
      const words = (await readFile(npmLog, "utf8")).split(/\s/);
      return [...new Set(words.filter((word) => word.startsWith("setpoint@")))];
    },
    /** Switches the workflows back on, as an administrator would on the service. */
    enableWorkflows(allowed: "all" | "selected"): void {
      sandbox.change(({ hosting }) => {
        for (const { name, actions } of hosting.repositories)
          if (name === "website") Object.assign(actions, { enabled: true, allowed_actions: allowed });
      });
    },
    /** Returns the writes that the services have received. */
    writes: () => sandbox.requests().flatMap(({ effect, operation }) => (effect === "write" ? [operation] : [])),
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The manifests of the first change, on two services, and of the second one. */
export const firstChange = `${workflows("website", false)}${lock("platform/core", "release-2.4")}`;
export const secondChange = `${firstChange}${lock("platform/core", "release-2.3")}`;

/** Returns the operations of a saved plan's calls, in alphabetical order. */
export function operationsIn(saved: string): readonly string[] {
  const plan: { readonly calls: readonly { readonly operation: string }[] } = JSON.parse(readFileSync(saved, "utf8"));
  return plan.calls.map(({ operation }) => operation).toSorted();
}

/** Returns functions that give the variables of an account on each service. */
function accounts(url: string) {
  const of = (role: string) => (username: string) => {
    const secret = username === "admin" ? "secret" : `${username}-secret`;
    const all = Object.entries(environmentFor(url, { username, secret }));
    return Object.fromEntries(all.filter(([name]) => name.startsWith(`SETPOINT_${role}_`)));
  };
  return { review: of("REVIEW"), hosting: of("HOSTING"), wiki: of("WIKI") };
}
