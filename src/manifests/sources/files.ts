import { constants, existsSync } from "node:fs";
import { lstat, open, readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import pLimit from "p-limit";
import { blocksOf } from "../../core/file-blocks.ts";
import type { LocalFile } from "../../core/kind.ts";
import { learn, type ReadContent } from "../../core/known-content.ts";
import { onceEach } from "../../core/once.ts";
import { pathPattern } from "../../core/text/glob.ts";
import { foldedPath } from "../../core/text/private-path.ts";
import { hasCode } from "../../core/text/reason.ts";
import { quote } from "../../core/text/words.ts";
import { gitOutput, type RepositoryPlace } from "./git-process.ts";
import { foldersOf, listFiles, neverListed } from "./list-files.ts";
import { prefixIn, repositoriesAround } from "./repository-place.ts";

/** A source of files. Paths are relative to the workspace folder and written with `/`. */
export interface FileSource {
  /** The commit that the files are of; undefined for files that may change. */
  readonly commit?: string;
  /** Returns the files that match one of the globs, in code unit order. Throws if some cannot be listed. */
  list(globs: readonly string[]): Promise<readonly string[]>;
  /** Throws if there is no such file, if it is reached through a link, or if Git LFS has not replaced its pointer. */
  read(path: string): Promise<Uint8Array>;
  /** Returns the size in bytes; throws as `read` does. */
  size(path: string): Promise<number>;
  /** Returns the checksum of a file of any size, streamed. Undefined if a git ref lacks it; on disk throws as `read` does. */
  digest(path: string): Promise<LocalFile | undefined>;
  /** Throws as `digest` does, without reading a large file. */
  check(path: string): Promise<void>;
}

/** The number of files open concurrently; thousands would exceed the process's limit. */
const openFiles = 32;

/** A file that was reached without links. */
interface RegularFile {
  readonly file: string;
  readonly size: number;
}

/**
 * Opens the files of a folder on disk. Links are not followed, so that the files are the same as at a git ref. `named` is the
 * folder as the user named it, for the error if it does not exist; places in its files do not include it.
 */
export function diskFiles(folder: string, named?: string): FileSource {
  const limit = pLimit(openFiles);
  /** Paths as folders list them. Any other path can be a different spelling of one, or lead anywhere. */
  const listed = new Set<string>();
  /** Real paths of folders, resolved once for all files in progress at the same time. */
  const folders = new Map<string, Promise<string>>();
  let underWay = 0;

  function realFolder(path: string): Promise<string> {
    const known = folders.get(path) ?? realpath(path);
    folders.set(path, known);
    return known;
  }

  async function underLimit<T>(work: () => Promise<T>): Promise<T> {
    underWay++;
    return limit(work).finally(() => {
      if (--underWay === 0) folders.clear();
    });
  }

  async function regularFile(path: string): Promise<RegularFile> {
    const root = await realFolder(folder).catch((error: unknown) => {
      if (named === undefined || !hasCode(error, "ENOENT", "ENOTDIR")) throw error;
      throw new Error(`there is no file or folder ${quote(named)}`);
    });
    const file = join(root, path);
    if (!file.startsWith(join(root, sep))) throw new Error("it is outside the workspace folder");
    const [shown, real] = listed.has(path)
      ? [dirname(file), await realFolder(dirname(file))]
      : [file, await realpath(file)];
    const found = await lstat(file);
    if (shown !== real || found.isSymbolicLink()) throw new Error("it is reached through a link");
    // Reading a pipe or a device would never end.
    if (!found.isFile()) throw new Error("it is not a file");
    return { file, size: found.size };
  }

  /** Throws as well if the file may not be read, or if its content is missing. */
  async function plainFile(path: string): Promise<RegularFile> {
    const found = await regularFile(path);
    if (found.size <= longestPointer) await readPlain(found.file);
    else await (await open(found.file)).close();
    return found;
  }

  return {
    async list(globs) {
      const root = await realpath(folder);
      const found = await listFiles(root, globs, limit);
      for (const path of found) listed.add(path);
      await refuseLeftOut(root, globs, found);
      return found;
    },
    size: (path) => underLimit(async () => (await regularFile(path)).size),
    read: (path) => underLimit(async () => readPlain((await regularFile(path)).file)),
    async digest(path) {
      const { file } = await underLimit(() => plainFile(path));
      const read: ReadContent = (take) => underLimit(async () => take(bytesOf(await regularFile(path))));
      return { path: file, sha256: await learn(read) };
    },
    async check(path) {
      await underLimit(() => plainFile(path));
    },
  };
}

/** Computes the checksum of a file once, however many documents name it. For one run: the file may change after it. */
export function digestedOnce(source: FileSource): FileSource {
  return { ...source, digest: onceEach((path) => source.digest(path)) };
}

/** Reads a file. Throws if it is a link, or a pointer whose content is missing. */
async function readPlain(file: string): Promise<Uint8Array> {
  const bytes = await readFile(file, { flag: constants.O_RDONLY | constants.O_NOFOLLOW });
  refusePointer(bytes);
  return bytes;
}

/** Yields the bytes of a file. Each part is valid only until the next one. */
async function* bytesOf({ file: path, size }: RegularFile): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    const next = blocksOf(file, { size, inUse: 1 });
    for (let block = await next(); block !== undefined; block = await next()) yield block;
  } finally {
    await file.close();
  }
}

/**
 * Throws if git has left files out of a folder that one of the globs could find, because on disk they look deleted: files
 * that a sparse checkout excludes, a submodule that is not checked out, or a file replaced by another one because the file
 * system ignores case. `found` are the files on disk. Throws `ProblemError` SP5002 if git cannot list them.
 */
async function refuseLeftOut(folder: string, globs: readonly string[], found: readonly string[]): Promise<void> {
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

/** The maximum size of a pointer in bytes. */
export const longestPointer = 1023;

/**
 * Returns the SHA-256 of the content that a Git LFS pointer replaces; undefined if the bytes are not a pointer.
 * @see Git LFS Specification, The Pointer
 */
export function pointedAt(bytes: Uint8Array): string | undefined {
  if (bytes.length > longestPointer) return undefined;
  const [version, ...lines] = Buffer.from(bytes).toString("latin1").split("\n");
  if (version !== "version https://git-lfs.github.com/spec/v1") return undefined;
  return lines.flatMap((line) => /^oid sha256:([0-9a-f]{64})$/.exec(line)?.[1] ?? []).at(0);
}

/** Throws if bytes of a work tree are a pointer: the content that it replaces is missing. */
function refusePointer(bytes: Uint8Array): void {
  if (pointedAt(bytes) !== undefined)
    throw new Error("it is a Git LFS pointer whose content is missing: run git lfs pull");
}
