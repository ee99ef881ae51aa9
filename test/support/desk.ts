import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { temporaryFolder } from "./commands.ts";
import { addOrigin, commitAll } from "./git.ts";
import { warmScript } from "./warm/warm.ts";

const root = join(import.meta.dirname, "../..");
const tour = join(root, "examples/tour");

/** A place in which to follow a page: a clone of the tour's manifests with its own sandbox. */
export interface Desk extends AsyncDisposable {
  /** Runs a script in the clone until something fails. */
  run(script: string): Promise<{ readonly exits: number; readonly printed: string }>;
  write(file: string, text: string): Promise<void>;
}

/** Opens a desk. Its clone has a remote `origin`, whose `main` no one has applied yet. */
export async function openDesk(): Promise<Desk> {
  const folder = await temporaryFolder();
  const sandbox = await startSandbox();
  const clone = join(folder.path, "clone");
  cpSync(join(tour, "manifests"), join(clone, "manifests"), { recursive: true });
  const workspace = readFileSync(join(tour, "setpoint.yaml"), "utf8");
  await folder.write("clone/setpoint.yaml", workspace.replace("port: 4780", `port: ${new URL(sandbox.url).port}`));
  await folder.write("clone/.gitignore", ".setpoint/\nsecrets/\n");
  commitAll(clone, "The tour");
  addOrigin(clone, join(folder.path, "origin.git"));
  cpSync(join(clone, ".git/refs/heads"), join(clone, ".git/refs/remotes/origin"), { recursive: true });
  await folder.write("bin/setpoint", `#!/bin/sh\n${await warmScript()}\n`);
  await chmod(join(folder.path, "bin/setpoint"), 0o755);
  const author = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.com" };
  const env = {
    ...environmentFor(sandbox.url),
    ...author,
    GIT_COMMITTER_NAME: author.GIT_AUTHOR_NAME,
    GIT_COMMITTER_EMAIL: author.GIT_AUTHOR_EMAIL,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GITHUB_STEP_SUMMARY: join(folder.path, "summary.md"),
    HOME: folder.path,
    NODE_COMPILE_CACHE: join(root, ".cache/compiled"),
    PATH: `${join(folder.path, "bin")}:${process.env.PATH}`,
    SANDBOX: sandbox.url,
  };
  return {
    run: (script) =>
      new Promise((resolve) => {
        const words = ["-euo", "pipefail", "-c", `exec 2>&1\n${script}`];
        const running = execFile("bash", words, { cwd: clone, env }, (_error, printed) =>
          resolve({ exits: running.exitCode ?? -1, printed }),
        );
      }),
    write: (file, text) => folder.write(join("clone", file), text),
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
