import { realpath } from "node:fs/promises";
import { posix, sep } from "node:path";
import type { Readable } from "node:stream";
import { type GitEnvironment, gitOutput, gitProblem, type RunGit, runGit } from "./git-process.ts";
import { commitOf } from "./git-ref.ts";
import { prefixIn, repositoriesAround } from "./repository-place.ts";

/** The repository of a workspace. No function uses a command or a remote from its configuration. */
export interface Repository {
  /** The real path of the workspace's folder. */
  readonly folder: string;
  /** The workspace's folder in the repository: "" or ending with "/". */
  readonly prefix: string;
  /** Throws `ProblemError` SP5002. */
  readonly run: RunGit;
  /** Like `run`, with the output of git as a stream. */
  stream<T>(args: readonly string[], take: (output: Readable) => Promise<T>): Promise<T>;
  /** Returns the commit that a ref names and that no pull request can replace. Throws `ProblemError` SP5002. */
  commitOf(ref: string): Promise<string>;
}

/**
 * Opens the repository that tracks a workspace file: the innermost one that contains its folder. `signal` ends git wherever no
 * other one is given. Throws `ProblemError` SP5002 if there is none, or git is missing.
 */
export async function openRepository(
  folder: string,
  workspaceFile: string,
  env: GitEnvironment = process.env,
  signal?: AbortSignal,
): Promise<Repository> {
  const real = await realpath(folder).catch(() => {
    throw gitProblem(`${folder} does not exist.`);
  });
  for (const place of await repositoriesAround(real)) {
    const prefix = prefixIn(place, real);
    const path = `${prefix}${workspaceFile.split(sep).join("/")}`;
    const tracked = await gitOutput(place, env, { signal, args: ["ls-files", "-z", "--", path] });
    if (tracked.toString() !== `${path}\0`) continue;
    const commits = new Set<string>();
    const run: RunGit = (args, options) => gitOutput(place, env, { signal, ...options, args });
    return {
      folder: real,
      prefix,
      run,
      stream: (args, take) => runGit(place, env, { signal, args }, take),
      async commitOf(ref) {
        // A full id, which means only itself.
        if (commits.has(ref)) return ref;
        const commit = await commitOf(run, ref);
        commits.add(commit);
        return commit;
      },
    };
  }
  throw gitProblem(
    `No git repository tracks ${posix.join(real.split(sep).join("/"), workspaceFile)}.`,
    env.GIT_DIR === undefined
      ? "Run git add on it; git init makes a repository if there is none."
      : "GIT_DIR is ignored: clone the repository of the manifests, with .git in or above this folder.",
  );
}
