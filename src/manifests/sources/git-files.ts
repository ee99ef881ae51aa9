import { join, posix } from "node:path";
import DataLoader from "dataloader";
import { learn } from "../../core/known-content.ts";
import { pathPattern } from "../../core/text/glob.ts";
import type { FileSource } from "./files.ts";
import { gitProblem } from "./git-process.ts";
import { printed } from "./git-ref.ts";
import { longestPointer, pointedAt } from "./lfs-pointer.ts";
import { neverListed } from "./list-files.ts";
import type { Repository } from "./repository.ts";

interface Blob {
  readonly object: string;
  readonly size: number;
}

/**
 * Opens the files of the workspace's folder at a git ref; the work tree is not touched. Links are not followed. Concurrent
 * reads are answered by one process.
 *
 * Throws `ProblemError` with SP5002 if the ref is unknown or the clone lacks its files.
 */
export async function gitFiles(repository: Repository, ref: string): Promise<FileSource> {
  const { folder, prefix } = repository;
  const commit = await repository.commitOf(ref);
  const below = prefix === "" ? [] : ["--", prefix];
  // In a partial clone, git lists the files that it has and fails at the first size that it does not know. In a damaged one
  // it prints BAD for the size.
  const tree = await printed(repository.run, ["ls-tree", "-r", "-l", "-z", "--full-tree", commit, ...below]).catch(
    () => undefined,
  );
  if (tree === undefined || /(?:^|\0)\d+ blob \w+ +BAD\t/.test(tree)) {
    throw gitProblem(
      `The clone has ${ref} without its files.`,
      "Clone without --filter, or fetch them: git fetch --refetch --no-filter origin.",
    );
  }
  const blobs = new Map(tree.split("\0").flatMap((entry) => parseEntry(entry, prefix)));
  const contents = new DataLoader((objects: readonly string[]) => readObjects(repository, objects), { cache: false });

  function blobAt(path: string): Blob {
    const blob = blobs.get(posix.normalize(path));
    if (blob === undefined) throw new Error(`it is not a file at ${ref}`);
    return blob;
  }

  return {
    commit,
    async list(globs) {
      const matches = pathPattern(globs);
      return [...blobs.keys()].filter((path) => matches(path) && !neverListed.test(path)).sort();
    },
    read: async (path) => contents.load(blobAt(path).object),
    size: async (path) => blobAt(path).size,
    digest: async (path) => {
      const blob = blobs.get(posix.normalize(path));
      if (blob === undefined) return undefined;
      // As on disk, so that a file that has not changed is equal at both.
      const file = join(folder, path);
      const pointed = blob.size <= longestPointer ? pointedAt(await contents.load(blob.object)) : undefined;
      if (pointed !== undefined) return { path: file, sha256: pointed };
      return { path: file, sha256: await learn((take) => repository.stream(["cat-file", "blob", blob.object], take)) };
    },
    // What is deployed need not be in a commit.
    check: async () => {},
  };
}

/** Parses `mode type object size<TAB>path`; only regular files are of interest. */
function parseEntry(entry: string, prefix: string): readonly (readonly [string, Blob])[] {
  const match = /^100\d{3} blob (\w+) +(\d+)\t(.+)$/s.exec(entry);
  if (match === null) return [];
  const [, object = "", size, path = ""] = match;
  return [[path.slice(prefix.length), { object, size: Number(size) }]];
}

/** Returns the contents of objects, in order. git answers `<object> blob <size>`, a newline, the bytes and a newline. */
async function readObjects(repository: Repository, objects: readonly string[]): Promise<readonly Uint8Array[]> {
  const input = objects.map((object) => `${object}\n`).join("");
  const answer = await repository.run(["cat-file", "--batch"], { input });
  let at = 0;
  return objects.map(() => {
    const start = answer.indexOf("\n", at) + 1;
    const size = Number(answer.toString("latin1", at, start).split(" ")[2]);
    if (!Number.isInteger(size)) throw gitProblem("git did not return an object.");
    at = start + size + 1;
    return answer.subarray(start, start + size);
  });
}
