import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { lock, temporaryFolder, workflows, workspaceText } from "../support/commands.ts";
import { commitAll, gitIn } from "../support/git.ts";
import { warmScript } from "../support/warm/warm.ts";

const root = join(import.meta.dirname, "../..");

/** Stands for npm: notes what is asked for, and installs the program of this checkout where npm would. */
const npm = `#!/bin/sh
echo "$*" >> "$NPM_LOG"
case "$*" in *--prefix*) mkdir -p "$4/bin" && cp "$(dirname "$0")/setpoint" "$4/bin/";; esac
`;

export type Environment = Readonly<Record<string, string>>;

/** What a job or a step came to. */
export interface Ran {
  readonly code: number;
  readonly said: string;
}

/** A repository of manifests on a server of git, a sandbox, and machines that run the steps of a pipeline. */
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
  gitIn(folder.path, "clone", "--quiet", "--bare", "developer", "origin.git");
  gitIn(developer, "remote", "add", "origin", origin);
  gitIn(developer, "push", "--quiet", "origin", "main:refs/setpoint/applied");
  let checkouts = 0;
  const git = (...args: readonly string[]) => gitIn(developer, ...args).trim();
  return {
    sandbox,
    origin,
    git,
    /** May read; the status and the report's page are writes, of services that the manifests' changes are not on. */
    reader: { ...review("auditor"), ...hosting("admin"), ...wiki("admin") },
    writer: { ...review("admin"), ...hosting("admin"), ...wiki("admin") },
    /** Commits manifests to a new branch, from main. */
    async propose(branch: string, manifests: string): Promise<void> {
      git("checkout", "--quiet", "-B", branch, "main");
      await folder.write("developer/manifests/all.yaml", manifests);
      git("commit", "--quiet", "--all", "--message", branch);
      git("push", "--quiet", "--force", "origin", branch);
    },
    /** Merges it, as the server does: what was merged is another commit. */
    merge(branch: string): void {
      git("checkout", "--quiet", "main");
      git("merge", "--quiet", "--no-ff", "--no-edit", branch);
      git("push", "--quiet", "origin", "main");
    },
    /** A checkout of a new machine: the commit of a branch and, unless it is shallow, its history, but no other ref. */
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
    /** Runs a script as a CI server does. It sees nothing of the environment of the tests. */
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
    /** What was installed, each once. */
    async installed(): Promise<readonly string[]> {
      const words = (await readFile(npmLog, "utf8")).split(/\s/);
      return [...new Set(words.filter((word) => word.startsWith("setpoint@")))];
    },
    /** Switches the workflows on again, as an administrator would on the service. */
    enableWorkflows(allowed: "all" | "selected"): void {
      sandbox.change(({ hosting }) => {
        for (const { name, actions } of hosting.repositories)
          if (name === "website") Object.assign(actions, { enabled: true, allowed_actions: allowed });
      });
    },
    /** The writes that the services have got. */
    writes: () => sandbox.requests().flatMap(({ effect, operation }) => (effect === "write" ? [operation] : [])),
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** What the first change asks for, on two services, and the second one. */
export const firstChange = `${workflows("website", false)}${lock("platform/core", "release-2.4")}`;
export const secondChange = `${firstChange}${lock("platform/core", "release-2.3")}`;

/** The operations of a saved plan's calls, in the order of the alphabet. */
export function operationsIn(saved: string): readonly string[] {
  const plan: { readonly calls: readonly { readonly operation: string }[] } = JSON.parse(readFileSync(saved, "utf8"));
  return plan.calls.map(({ operation }) => operation).toSorted();
}

/** The variables of each service, of an account. */
function accounts(url: string) {
  const of = (role: string) => (username: string) => {
    const secret = username === "admin" ? "secret" : `${username}-secret`;
    const all = Object.entries(environmentFor(url, { username, secret }));
    return Object.fromEntries(all.filter(([name]) => name.startsWith(`SETPOINT_${role}_`)));
  };
  return { review: of("REVIEW"), hosting: of("HOSTING"), wiki: of("WIKI") };
}
