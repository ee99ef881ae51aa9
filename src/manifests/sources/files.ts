import { constants } from "node:fs";
import { lstat, open, readFile, realpath } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import pLimit from "p-limit";
import { blocksOf } from "../../core/file-blocks.ts";
import type { LocalFile } from "../../core/kind.ts";
import { learn, type ReadContent } from "../../core/known-content.ts";
import { onceEach } from "../../core/once.ts";
import { hasCode } from "../../core/text/reason.ts";
import { quote } from "../../core/text/words.ts";
import { refuseLeftOut } from "./left-out.ts";
import { longestPointer, refusePointer } from "./lfs-pointer.ts";
import { listFiles } from "./list-files.ts";

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
