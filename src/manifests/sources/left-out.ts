import { existsSync } from "node:fs";
import { join } from "node:path";
import { gitOutput } from "./git-process.ts";
import { prefixIn, repositoriesAround } from "./repository-place.ts";

/**
 * Files below a folder, relative to it, that a sparse checkout leaves out: to the disk alone they look deleted. None if
 * there is no sparse checkout. Throws `ProblemError` SP5002 if git cannot tell.
 */
export async function leftOut(folder: string): Promise<readonly string[]> {
  // What is wrong with a repository is told by whoever needs one.
  const places = await repositoriesAround(folder).catch(() => []);
  const sparse = places.filter(({ gitDirectory }) => existsSync(join(gitDirectory, "info/sparse-checkout")));
  const lists = sparse.map(async (place) => {
    const tracked = await gitOutput(place, process.env, { args: ["ls-files", "-z", "-t", "--stage"] });
    const inFolder = prefixIn(place, folder);
    return tracked
      .toString()
      .split("\0")
      .flatMap((entry) => /^S 100\d{3} \w+ 0\t(.+)$/s.exec(entry)?.[1] ?? [])
      .flatMap((path) => (path.startsWith(inFolder) ? [path.slice(inFolder.length)] : []));
  });
  return (await Promise.all(lists)).flat();
}
