import { hash } from "node:crypto";
import { posix } from "node:path";
import type { FileSource } from "./files.ts";
import { succeeds } from "./git-process.ts";

/** A source of files that remembers what was listed and read. */
export interface WatchedFiles extends FileSource {
  /** Returns the paths that were listed or read here and differ from those of `there`, in code unit order. */
  differing(there: FileSource): Promise<readonly string[]>;
}

/** Watches a source, so that what was read can be compared with a commit byte for byte, without the filters of git. */
export function watchedFiles(files: FileSource): WatchedFiles {
  const lists: { readonly globs: readonly string[]; readonly found: readonly string[] }[] = [];
  const comparisons: ((there: FileSource) => readonly Promise<readonly string[]>[])[] = [];

  /** Returns a function that asks about a path, and remembers what `tell` says of the answer. */
  function watched<T>(
    ask: (source: FileSource, path: string) => Promise<T>,
    tell: (answer: Promise<T>) => Promise<unknown>,
  ): (path: string) => Promise<T> {
    const told = new Map<string, unknown>();
    comparisons.push((there) =>
      [...told].map(async ([path, here]) => {
        const other = await tell(ask(there, path)).catch(() => undefined);
        return other === here ? [] : [path];
      }),
    );
    return async (path) => {
      const answer = ask(files, path);
      told.set(posix.normalize(path), await tell(answer));
      return answer;
    };
  }

  return {
    async list(globs) {
      const found = await files.list(globs);
      lists.push({ globs, found });
      return found;
    },
    read: watched(
      (source, path) => source.read(path),
      async (bytes) => hash("sha256", await bytes),
    ),
    size: watched((source, path) => source.size(path), succeeds),
    digest: watched(
      (source, path) => source.digest(path),
      async (file) => (await file)?.sha256,
    ),
    check: watched((source, path) => source.check(path), succeeds),
    async differing(there) {
      const listed = lists.map(async ({ globs, found }) => {
        const [here, others] = [new Set(found), new Set(await there.list(globs).catch(() => []))];
        return [...here, ...others].filter((path) => !(here.has(path) && others.has(path)));
      });
      const all = await Promise.all([...listed, ...comparisons.flatMap((compare) => compare(there))]);
      return [...new Set(all.flat())].sort();
    },
  };
}
