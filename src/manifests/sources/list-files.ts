import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pathPattern } from "../../core/text/glob.ts";
import { hasCode, reasonOf } from "../../core/text/reason.ts";

/** The paths that a glob never finds, however wide it is. */
export const neverListed = /(?:^|\/)(?:node_modules|\.git|\.setpoint)\//;

/** Runs work when its turn comes. */
type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Returns the files below a folder that match one of the globs, in code unit order. Only folders in which a glob can find
 * something are read. Throws if one of them cannot be read, or is a link, because its content would look deleted.
 */
export async function listFiles(root: string, globs: readonly string[], limit: Limit): Promise<readonly string[]> {
  const matches = pathPattern(globs);
  const mayHave = foldersOf(globs);
  const found: string[] = [];
  for (let folders = [""]; folders.length > 0; ) {
    const read = await Promise.all(folders.map((folder) => limit(() => entriesOf(root, folder))));
    folders = [];
    for (const { path, entry } of read.flat()) {
      // Entries that are not files are listed too, so that reading them fails instead of omitting them.
      if (!entry.isDirectory() && matches(path)) found.push(path);
      else if ((entry.isDirectory() || entry.isSymbolicLink()) && !neverListed.test(`${path}/`) && mayHave(path)) {
        if (entry.isDirectory()) folders.push(`${path}/`);
        else if ((await stat(join(root, path)).catch(() => undefined))?.isDirectory())
          throw new Error(`${path} is a link to a folder, and links are not followed`);
      }
    }
  }
  return found.sort();
}

/** Returns the entries of a folder, whose path is "" or ends with "/". */
async function entriesOf(root: string, folder: string) {
  try {
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    return entries.map((entry) => ({ path: `${folder}${entry.name}`, entry }));
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR")) throw new Error(`${folder} cannot be read: ${reasonOf(error)}`);
    // The folder was removed in the meantime, or is listed under a name that does not open it.
    const listed = await readdir(join(root, dirname(folder))).catch((): readonly string[] => []);
    if (!listed.includes(basename(folder))) return [];
    throw new Error(`${folder} cannot be read: it does not open under this name, which may not be UTF-8`);
  }
}

/** Returns a function that tells whether one of the globs can find something in a folder. */
export function foldersOf(globs: readonly string[]): (folder: string) => boolean {
  const ways = globs.map(wayOf);
  return (folder) => ways.some((leads) => leads(folder));
}

/** Like `foldersOf`, for one glob. A folder must match the glob's names up to the first that can match at any depth. */
function wayOf(glob: string): (folder: string) => boolean {
  const names = glob.replace(/^(?:\.\/)+/, "").split("/");
  const deep = names.findIndex((name) => /\*\*|[{}]/.test(name));
  const last = deep === -1 ? names.length - 1 : Number.POSITIVE_INFINITY;
  const stated = names.slice(0, deep === -1 ? last : deep).map((name) => (/[*?[\]\\]/.test(name) ? undefined : name));
  // A name that begins with a dot is matched only by a pattern that has the dot.
  const hidden = /(?:^|[/{,])\.(?!\/)/.test(glob);
  return (folder) => {
    const way = folder.split("/");
    return (
      way.length <= last &&
      way.every((name, at) => stated[at] === name || (stated[at] === undefined && (hidden || !name.startsWith("."))))
    );
  };
}
