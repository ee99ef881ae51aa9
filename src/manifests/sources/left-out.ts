import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathPattern } from "../../core/glob.ts";
import { gitOutput, type RepositoryPlace } from "./git-process.ts";
import { foldersOf, unlisted } from "./list-files.ts";
import { prefixIn, repositoriesAround } from "./repository-place.ts";

/**
 * Throws if git has left out of a folder what one of the globs may find: to the disk alone it looks deleted. That is a file
 * of a sparse checkout or a submodule. Throws `ProblemError` SP5002 if git cannot tell.
 */
export async function refuseLeftOut(folder: string, globs: readonly string[]): Promise<void> {
  // What is wrong with a repository is told by whoever needs one.
  const places = await repositoriesAround(folder).catch(() => []);
  const below = async (list: (place: RepositoryPlace) => Promise<readonly string[]>) => {
    const lists = places.map(async (place) => {
      const inFolder = prefixIn(place, folder);
      const paths = (await list(place)).filter((path) => path.startsWith(inFolder) && !unlisted.test(`${path}/`));
      return paths.map((path) => path.slice(inFolder.length));
    });
    return (await Promise.all(lists)).flat();
  };
  const matching = (await below(sparseFiles)).filter(pathPattern(globs));
  const [file, ...more] = matching.filter((path) => !existsSync(join(folder, path)));
  if (file !== undefined)
    throw new Error(
      `a sparse checkout leaves out ${more.length === 0 ? file : `${more.length + 1} of them, such as ${file}`}`,
    );
  const submodule = (await below(emptySubmodules)).find(foldersOf(globs));
  if (submodule !== undefined) throw new Error(`the submodule ${submodule} is not checked out`);
}

async function sparseFiles(place: RepositoryPlace): Promise<readonly string[]> {
  if (!existsSync(join(place.gitDirectory, "info/sparse-checkout"))) return [];
  const tracked = await gitOutput(place, process.env, { args: ["ls-files", "-z", "-t", "--stage"] });
  return tracked
    .toString()
    .split("\0")
    .flatMap((entry) => /^S 100\d{3} \w+ 0\t(.+)$/s.exec(entry)?.[1] ?? []);
}

/** Submodules that were not fetched: git makes an empty folder of each. */
async function emptySubmodules({ workTree }: RepositoryPlace): Promise<readonly string[]> {
  const stated = await readFile(join(workTree, ".gitmodules"), "utf8").catch(() => "");
  const paths = stated.split("\n").flatMap((line) => {
    const [name = "", ...value] = line.split("=");
    return name.trim() === "path" ? [value.join("=").trim()] : [];
  });
  const entries = await Promise.all(paths.map((path) => readdir(join(workTree, path)).catch(() => undefined)));
  return paths.filter((_path, index) => entries[index]?.length === 0);
}
