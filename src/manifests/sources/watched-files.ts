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
  const contents = new Map<string, string>();
  const digests = new Map<string, string | undefined>();
  /** Whether files had a size, and whether those that are only checked were as they should be. */
  const [sized, sound] = [new Map<string, boolean>(), new Map<string, boolean>()];

  return {
    async list(globs) {
      const found = await files.list(globs);
      lists.push({ globs, found });
      return found;
    },
    async read(path) {
      const bytes = await files.read(path);
      contents.set(posix.normalize(path), hash("sha256", bytes));
      return bytes;
    },
    async size(path) {
      const size = files.size(path);
      sized.set(posix.normalize(path), await succeeds(size));
      return size;
    },
    async digest(path) {
      const file = await files.digest(path);
      digests.set(posix.normalize(path), file?.sha256);
      return file;
    },
    async check(path) {
      const checked = files.check(path);
      sound.set(posix.normalize(path), await succeeds(checked));
      return checked;
    },
    async differing(there) {
      const listed = lists.map(async ({ globs, found }) => {
        const [here, others] = [new Set(found), new Set(await there.list(globs).catch(() => []))];
        return [...here, ...others].filter((path) => !(here.has(path) && others.has(path)));
      });
      const read = [...contents].map(async ([path, here]) => {
        const bytes = await there.read(path).catch(() => undefined);
        return bytes !== undefined && hash("sha256", bytes) === here ? [] : [path];
      });
      const found = [...sized].map(async ([path, here]) => ((await succeeds(there.size(path))) === here ? [] : [path]));
      const digested = [...digests].map(async ([path, here]) => {
        const file = await there.digest(path).catch(() => undefined);
        return file?.sha256 === here ? [] : [path];
      });
      const checked = [...sound].map(async ([path, here]) =>
        (await succeeds(there.check(path))) === here ? [] : [path],
      );
      const all = await Promise.all([...listed, ...read, ...found, ...digested, ...checked]);
      return [...new Set(all.flat())].sort();
    },
  };
}
