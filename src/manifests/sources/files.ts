import { constants, type Dirent, readdir } from "node:fs";
import { lstat, open, readFile, realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import pLimit from "p-limit";
import { escapePath, glob } from "tinyglobby";
import { blocksOf } from "../../core/file-blocks.ts";
import { pathPattern } from "../../core/glob.ts";
import type { LocalFile } from "../../core/kind.ts";
import { learn, type ReadContent } from "../../core/known-content.ts";
import { ProblemError } from "../../core/problem.ts";
import { reasonOf } from "../../core/reason.ts";

/** Where files come from. Paths are relative to the workspace folder and written with `/`. */
export interface FileSource {
  /** The commit that the files are of; undefined for files that may change. */
  readonly commit?: string;
  /** Files that match one of the globs, in code point order. Throws `ProblemError` SP1017 if a folder cannot be read. */
  list(globs: readonly string[]): Promise<readonly string[]>;
  /** Throws if there is no such file, or if it is reached through a link. */
  read(path: string): Promise<Uint8Array>;
  /** Size in bytes; throws as `read` does. */
  size(path: string): Promise<number>;
  /** The checksum of a file of any size, streamed. Undefined if a git ref lacks it; on disk it throws as `read`. */
  digest(path: string): Promise<LocalFile | undefined>;
}

/** What a glob never finds, however wide it is. */
export const unlisted: readonly string[] = ["**/node_modules/**", "**/.git/**", "**/.setpoint/**"];

/** Files under way at once; thousands of open files would exceed the process's limit. */
const openFiles = 32;

/** Where a file is that was reached without links. */
interface RegularFile {
  readonly file: string;
  readonly size: number;
}

/** The files of a folder on disk. Links are not followed, so that the same files are seen as at a git ref. */
export function diskFiles(folder: string): FileSource {
  const limit = pLimit(openFiles);
  /** Names as folders have them; other ones may be another spelling of a name, or lead anywhere. */
  const listed = new Set<string>();
  /** Where folders really are, asked once for all files that are under way at a time. */
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
    const root = await realFolder(folder);
    const file = join(root, path);
    if (!file.startsWith(join(root, sep))) throw new Error("it is outside of the workspace folder");
    const [shown, real] = listed.has(path)
      ? [dirname(file), await realFolder(dirname(file))]
      : [file, await realpath(file)];
    const found = await lstat(file);
    if (shown !== real || found.isSymbolicLink()) throw new Error("it is reached through a link");
    // A pipe or a device would be read for ever.
    if (!found.isFile()) throw new Error("it is not a file");
    return { file, size: found.size };
  }

  return {
    async list(globs) {
      const unread = new Map<string, NodeJS.ErrnoException>();
      const cwd = await realpath(folder);
      const options = {
        cwd,
        ignore: [...unlisted],
        followSymbolicLinks: false,
        expandDirectories: false,
        fs: { readdir: noting(unread) },
      };
      const found = await glob(globs.map(walked), { ...options, onlyFiles: true, dot: globs.some(namesHidden) });
      for (const [path, error] of unread) throw unreadable(relative(cwd, path), error);
      const matches = pathPattern(globs);
      const fit = found.filter((path) => matches(path) && !path.startsWith("../")).sort();
      for (const path of fit) listed.add(path);
      return fit;
    },
    size: (path) => underLimit(async () => (await regularFile(path)).size),
    read: (path) =>
      underLimit(async () => {
        const { file } = await regularFile(path);
        return readFile(file, { flag: constants.O_RDONLY | constants.O_NOFOLLOW });
      }),
    async digest(path) {
      const { file } = await underLimit(() => regularFile(path));
      const read: ReadContent = (take) => underLimit(async () => take(bytesOf(await regularFile(path))));
      return { path: file, sha256: await learn(read) };
    },
  };
}

type ReaddirArguments = [string, { withFileTypes: true }, (error: Error | null, entries?: Dirent[]) => void];

/** Reads folders as Node does, and notes those that are there and cannot be read: a search passes over them in silence. */
function noting(unread: Map<string, NodeJS.ErrnoException>): typeof readdir {
  return new Proxy(readdir, {
    apply: (read, _, [path, options, done]: ReaddirArguments) =>
      read(path, options, (error, entries) => {
        if (error !== null && error.code !== "ENOENT" && error.code !== "ENOTDIR") unread.set(path, error);
        done(error, entries);
      }),
  });
}

/** The manifests in such a folder would count as removed, and what they declare be deleted. */
function unreadable(folder: string, error: Error): ProblemError {
  const message = `The folder ${folder} cannot be read: ${reasonOf(error)}.`;
  return new ProblemError({ code: "SP1017", message, hint: "Change its permissions, or the globs under manifests." });
}

/** Where the files of a glob may be, in words that a matcher with backtracking is quick about. */
function walked(glob: string): string {
  const names = glob.replace(/^(?:\.\/)+/, "").split("/");
  const deep = names.findIndex((name) => name.includes("**") || /[{}]/.test(name));
  const folders = (deep === -1 ? names : names.slice(0, deep)).map((name) =>
    /[*?[\]]/.test(name) ? "*" : escapePath(name),
  );
  return [...folders, ...(deep === -1 ? [] : ["**"])].join("/");
}

/** Whether a glob names something that begins with a dot. */
function namesHidden(glob: string): boolean {
  return /(?:^|[/{,])\.(?!\/)/.test(glob);
}

/** The bytes of a file, each part only until the next one. */
async function* bytesOf({ file: path, size }: RegularFile): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    const next = blocksOf(file, { size, reuse: true });
    for (let block = await next(); block !== undefined; block = await next()) yield block;
  } finally {
    await file.close();
  }
}
