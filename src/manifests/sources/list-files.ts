import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathPattern } from "../../core/glob.ts";
import { hasCode, reasonOf } from "../../core/reason.ts";

/** The paths that a glob never finds, however wide it is. */
export const unlisted = /(?:^|\/)(?:node_modules|\.git|\.setpoint)\//;

/** Runs some work when its turn comes. */
type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * The files below a folder that match one of the globs, in code point order. Only folders in which a glob may find something
 * are read. Throws if one of them cannot be read: what is in it would look deleted.
 */
export async function listFiles(root: string, globs: readonly string[], limit: Limit): Promise<readonly string[]> {
  const matches = pathPattern(globs);
  const ways = globs.map(wayOf);
  const found: string[] = [];
  for (let folders = [""]; folders.length > 0; ) {
    const read = await Promise.all(folders.map((folder) => limit(() => entriesOf(root, folder))));
    folders = [];
    for (const { path, entry } of read.flat()) {
      // A link is found and not followed: whoever reads it is told so, and does not miss it.
      if ((entry.isFile() || entry.isSymbolicLink()) && matches(path)) found.push(path);
      if (entry.isDirectory() && !unlisted.test(`${path}/`) && ways.some((leads) => leads(path)))
        folders.push(`${path}/`);
    }
  }
  return found.sort();
}

/** What is in a folder, whose path is "" or ends with "/". */
async function entriesOf(root: string, folder: string) {
  try {
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    return entries.map((entry) => ({ path: `${folder}${entry.name}`, entry }));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw new Error(`${folder} cannot be read: ${reasonOf(error)}`);
  }
}

/** Whether a glob may find something in a folder: in no other one than its names say, until it could be anywhere. */
function wayOf(glob: string): (folder: string) => boolean {
  const names = glob.replace(/^(?:\.\/)+/, "").split("/");
  const deep = names.findIndex((name) => /\*\*|[{}]/.test(name));
  const last = deep === -1 ? names.length - 1 : Number.POSITIVE_INFINITY;
  const stated = names.slice(0, deep === -1 ? last : deep).map((name) => (/[*?[\]\\]/.test(name) ? undefined : name));
  // A name that begins with a dot is matched by a pattern that has the dot.
  const hidden = /(?:^|[/{,])\.(?!\/)/.test(glob);
  return (folder) => {
    const way = folder.split("/");
    return (
      way.length <= last &&
      way.every((name, at) => stated[at] === name || (stated[at] === undefined && (hidden || !name.startsWith("."))))
    );
  };
}
