import { execFileSync } from "node:child_process";

/** Runs git in a folder, without any user's or system's configuration. */
export function gitIn(folder: string, ...args: readonly string[]): string {
  return run(folder, "git", args);
}

/** Commits a folder as it is, to the branch `main` of a repository in it. */
export function commitAll(folder: string, message: string): void {
  // One process of the test's own: starting one takes longer than git takes.
  const script = `git init --quiet --initial-branch main
    git add --all .
    git commit --quiet --allow-empty --message "$0"`;
  run(folder, "sh", ["-euc", script, message]);
}

function run(folder: string, program: string, args: readonly string[]): string {
  const isolated = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  // Upkeep would cost two more processes per commit, for repositories that are gone within a second.
  const upkeep = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "maintenance.auto", GIT_CONFIG_VALUE_0: "false" };
  const names = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
  const named = Object.fromEntries(names.map((name) => [name, "test@example.com"]));
  const env = { PATH: process.env.PATH, ...isolated, ...upkeep, ...named };
  return execFileSync(program, args, { cwd: folder, env, encoding: "utf8", stdio: "pipe" });
}
