import type { Stats } from "node:fs";
import { lstat, readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { upwards } from "../../core/text/private-path.ts";
import { gitProblem, isInside, type RepositoryPlace } from "./git-process.ts";

/**
 * Returns the repositories whose work tree contains a folder, the innermost first. Only an entry `.git`, which git never
 * tracks, makes a repository: a folder that merely looks like a bare repository can be part of a commit. Throws
 * `ProblemError` SP5002 if such an entry is not what git itself would have written, or belongs to someone else.
 */
export async function repositoriesAround(folder: string): Promise<readonly RepositoryPlace[]> {
  const found: RepositoryPlace[] = [];
  for (const workTree of upwards(folder)) {
    const entry = join(workTree, ".git");
    const stats = await lstat(entry).catch(() => undefined);
    if (stats === undefined) continue;
    const gitDirectory = await gitDirectoryOf(entry, stats, workTree);
    await checkOwner(gitDirectory, folder);
    found.push({ gitDirectory, workTree });
  }
  return found;
}

/** Returns the path of a folder in the work tree: "" or ending with "/". Both paths are real. */
export function prefixIn({ workTree }: RepositoryPlace, folder: string): string {
  const way = relative(workTree, folder).split(sep).join("/");
  return way === "" ? "" : `${way}/`;
}

/** Returns the git directory that a `.git` entry is or names. */
async function gitDirectoryOf(entry: string, stats: Stats, workTree: string): Promise<string> {
  if (stats.isDirectory()) return entry;
  if (!stats.isFile()) throw gitProblem(`${entry} is neither a folder nor a file.`, "Clone the repository again.");
  const [, named] = /^gitdir: (.+?)\r?\n?$/s.exec(await readFile(entry, "utf8")) ?? [];
  if (named === undefined) throw gitProblem(`${entry} does not name a git directory.`, "Clone the repository again.");
  const directory = await realpath(resolve(workTree, named)).catch(() => {
    throw gitProblem(`${entry} names ${named}, which does not exist.`, "Run git worktree repair.");
  });
  if (isInside(workTree, directory)) {
    throw gitProblem(
      `${entry} names ${named}, a folder of the work tree: it could be part of a commit.`,
      "Clone the repository again.",
    );
  }
  if (directory.split(sep).join("/").includes("/.git/modules/")) {
    throw gitProblem(
      `${workTree} is a submodule, whose address and commit come from the outer repository: a pull request could change them.`,
      "Clone the repository of the workspace on its own.",
    );
  }
  await checkLinkBack(directory, entry);
  return directory;
}

/** Checks that the git directory of a linked work tree names the `.git` file in turn. */
async function checkLinkBack(directory: string, entry: string): Promise<void> {
  const named = await readFile(join(directory, "gitdir"), "utf8").catch(() => undefined);
  // A repository whose git directory is merely in another place has no such file.
  if (named === undefined) return;
  const back = await realpath(resolve(directory, named.trim())).catch(() => undefined);
  if (back === entry) return;
  throw gitProblem(`${directory} belongs to a work tree other than ${dirname(entry)}.`, "Run git worktree repair.");
}

/** Checks the owner: a repository that someone else put above the folder, such as in a shared temporary folder, is not used. */
async function checkOwner(gitDirectory: string, folder: string): Promise<void> {
  const [{ uid }, { uid: ownerOfFolder }] = await Promise.all([stat(gitDirectory), stat(folder)]);
  if (uid === ownerOfFolder || uid === process.getuid?.()) return;
  throw gitProblem(
    `${gitDirectory} belongs neither to this account nor to the owner of ${folder}.`,
    "Clone the repository with the account that runs setpoint.",
  );
}
