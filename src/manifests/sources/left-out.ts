import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathPattern } from "../../core/text/glob.ts";
import { foldedPath } from "../../core/text/private-path.ts";
import { gitOutput, type RepositoryPlace } from "./git-process.ts";
import { foldersOf, neverListed } from "./list-files.ts";
import { prefixIn, repositoriesAround } from "./repository-place.ts";

/**
 * Throws if git has left files out of a folder that one of the globs could find, because on disk they look deleted: files
 * that a sparse checkout excludes, a submodule that is not checked out, or a file replaced by another one because the file
 * system ignores case. `found` are the files on disk. Throws `ProblemError` SP5002 if git cannot list them.
 */
export async function refuseLeftOut(folder: string, globs: readonly string[], found: readonly string[]): Promise<void> {
  // Code that needs a repository reports what is wrong with it.
  const places = await repositoriesAround(folder).catch(() => []);
  const below = async (list: (place: RepositoryPlace) => Promise<readonly string[]>) => {
    const lists = places.map(async (place) => {
      const inFolder = prefixIn(place, folder);
      const paths = (await list(place)).filter((path) => path.startsWith(inFolder) && !neverListed.test(`${path}/`));
      return paths.map((path) => path.slice(inFolder.length));
    });
    return (await Promise.all(lists)).flat();
  };
  const matches = pathPattern(globs);
  const mayHave = foldersOf(globs);
  const matching = (await below(sparseFiles)).filter(
    (path) => matches(path) || (path.endsWith("/") && mayHave(path.slice(0, -1))),
  );
  const [file, ...more] = matching.filter((path) => !existsSync(join(folder, path)));
  if (file !== undefined)
    throw new Error(
      `a sparse checkout leaves out ${more.length === 0 ? file : `${more.length + 1} of them, such as ${file}`}`,
    );
  const inIndex = new Set((await below(filesOfAnyCase)).filter(matches));
  // A file that was renamed to another spelling is not missing, even if git does not know the new name yet.
  const renamed = new Set(found.filter((path) => !inIndex.has(path)).map(foldedPath));
  for (const path of found) inIndex.delete(path);
  const hidden = [...inIndex].find((path) => !renamed.has(foldedPath(path)) && existsSync(join(folder, path)));
  if (hidden !== undefined)
    throw new Error(`this file system has another file in place of ${hidden}, whose name differs in case: rename one`);
  const submodule = (await below(emptySubmodules)).find(mayHave);
  if (submodule !== undefined) throw new Error(`the submodule ${submodule} is not checked out`);
}

/** Returns the files of the index that a sparse checkout leaves out, and its submodules, whose paths end with "/". */
async function sparseFiles(place: RepositoryPlace): Promise<readonly string[]> {
  if (!existsSync(join(place.gitDirectory, "info/sparse-checkout"))) return [];
  const submodules = await tracked(place, "S 160000");
  return [...(await tracked(place, "S 100\\d{3}")), ...submodules.map((path) => `${path}/`)];
}

/** Returns all files if the file system does not distinguish `.GIT` from `.git`; none if git is missing, as in a container. */
async function filesOfAnyCase(place: RepositoryPlace): Promise<readonly string[]> {
  return existsSync(join(place.workTree, ".GIT")) ? tracked(place, "\\w 100\\d{3}").catch(() => []) : [];
}

/** Returns the paths in the index with a tag and a mode, as `git ls-files -t --stage` shows them. */
async function tracked(place: RepositoryPlace, beginning: string): Promise<readonly string[]> {
  const listed = await gitOutput(place, process.env, { args: ["ls-files", "-z", "-t", "--stage"] });
  const entry = new RegExp(`^${beginning} \\w+ 0\\t(.+)$`, "s");
  return listed
    .toString()
    .split("\0")
    .flatMap((line) => entry.exec(line)?.[1] ?? []);
}

/** Returns the submodules that were not fetched: git creates an empty folder for each. */
async function emptySubmodules({ workTree }: RepositoryPlace): Promise<readonly string[]> {
  const stated = await readFile(join(workTree, ".gitmodules"), "utf8").catch(() => "");
  const paths = stated.split("\n").flatMap((line) => {
    const [name = "", ...value] = line.split("=");
    const path = value.join("=").trim();
    return name.trim() === "path" ? [path.replace(/^"(.*)"$/, "$1")] : [];
  });
  const entries = await Promise.all(paths.map((path) => readdir(join(workTree, path)).catch(() => undefined)));
  return paths.filter((_path, index) => entries[index]?.length === 0);
}
