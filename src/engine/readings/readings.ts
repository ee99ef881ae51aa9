import { readdirSync, rmSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Environment } from "../../clients/credentials/credentials.ts";
import type { Reading, ReadingStore, ReadingsOf } from "../../clients/http/memory.ts";
import { canonicalJson } from "../../core/text/json.ts";
import { makeOwnFolder, readOwnFile, replaceOwnFile, userFolder } from "../own-files.ts";
import { nameFor, seal, unseal } from "./sealed.ts";

/** Answers of services with entity tags, kept beyond the process. @see docs/decisions/readings.md */
export interface Readings {
  readonly of: ReadingsOf;
  /** Saves new readings. Never throws: without readings, requests are sent in full. */
  save(): void;
}

/** Called with the number of a service's readings that no longer fit: the next run requests these in full. */
export type OnDropped = (service: string, count: number) => void;

interface Bounds {
  /** The most characters of one account's readings. */
  readonly characters: number;
  /** The most files, one for each account. */
  readonly files: number;
}

const bounds: Bounds = { characters: 2 ** 25, files: 32 };
/** The largest file that is read, in bytes. */
const largest = 2 ** 26;
const ending = ".readings";

/** Readings that are not kept. */
export const noReadings: Readings = { of: () => new Map(), save: () => {} };

/**
 * Returns readings in the user's files, one for each account, in `SETPOINT_CACHE` or the user's cache folder. Nothing is kept if
 * `SETPOINT_CACHE` is `off`, or if the environment names no place.
 */
export function diskReadings(env: Environment, limits: Bounds = bounds, onDropped: OnDropped = () => {}): Readings {
  const folder = cacheFolder(env);
  if (folder === undefined) return noReadings;
  const stores = new Map<string, KeptReadings>();
  return {
    of({ service: { name: service, role, url, wire }, asked }) {
      const secret = canonicalJson({ role, url, wire, asked });
      const name = `${role}-${nameFor(secret)}${ending}`;
      const store =
        stores.get(name) ??
        keptReadings(join(folder, name), secret, limits.characters, (count) => onDropped(service, count));
      stores.set(name, store);
      return store;
    },
    save() {
      const changed = [...stores.values()].filter((store) => store.isChanged());
      if (changed.length === 0) return;
      try {
        makeOwnFolder(folder);
        for (const store of changed) store.save();
        removeOldest(folder, limits.files);
      } catch {
        // The next run reads in full.
      }
    },
  };
}

function cacheFolder(env: Environment): string | undefined {
  const { SETPOINT_CACHE: stated, XDG_CACHE_HOME: cache, HOME: home } = env;
  if (stated) return isAbsolute(stated) ? stated : undefined;
  if (!cache && !home) return undefined;
  return join(userFolder(env, "XDG_CACHE_HOME", ".cache", home ?? ""), "readings");
}

interface KeptReadings extends ReadingStore {
  isChanged(): boolean;
  save(): void;
}

/** Returns readings that are loaded from the file on first use. They are in order of use; the least recently used go first. */
function keptReadings(path: string, secret: string, longest: number, onDropped: (count: number) => void): KeptReadings {
  let known: Map<string, Reading> | undefined;
  let seen: string | undefined;
  let isChanged = false;
  function readings(): Map<string, Reading> {
    if (known !== undefined) return known;
    seen = versionOf(path);
    known = readFile(path, secret);
    return known;
  }
  return {
    get(asked) {
      const found = readings().get(asked);
      if (found === undefined) return undefined;
      readings().delete(asked);
      readings().set(asked, found);
      return found;
    },
    set(asked, reading) {
      isChanged = true;
      readings().delete(asked);
      readings().set(asked, reading);
    },
    delete(asked) {
      isChanged = readings().delete(asked) || isChanged;
    },
    isChanged: () => isChanged,
    save() {
      // Another run may have saved since. Its readings that this run lacks are kept too.
      const others = versionOf(path) === seen ? [] : readFile(path, secret);
      const both = new Map([...others, ...readings()]);
      const all = bounded(both, longest);
      replaceOwnFile(path, seal(JSON.stringify(all), secret));
      seen = versionOf(path);
      isChanged = false;
      if (both.size > all.length) onDropped(both.size - all.length);
    },
  };
}

/** A reading in its file form. */
type Row = readonly [path: string, etag: string, type: string | null, link: string | null, body: string];

/** Returns the most recently used readings that fit. */
function bounded(readings: ReadonlyMap<string, Reading>, longest: number): readonly Row[] {
  let length = 0;
  const kept: Row[] = [];
  for (const [path, { etag, type = null, link = null, body }] of [...readings].reverse()) {
    length += path.length + etag.length + body.length;
    if (length > longest) break;
    kept.push([path, etag, type, link, body]);
  }
  return kept.reverse();
}

/** Reads the readings in a file; none if this account did not write it, in this format. */
function readFile(path: string, secret: string): Map<string, Reading> {
  try {
    const sealed = readOwnFile(path, { largest, others: "read" });
    const rows: readonly Row[] = JSON.parse((sealed && unseal(sealed, secret)) ?? "[]");
    return new Map(
      rows.map(([asked, etag, type, link, body]) => [
        asked,
        { etag, type: type ?? undefined, link: link ?? undefined, body },
      ]),
    );
  } catch {
    return new Map();
  }
}

/** Returns the version of a file, which changes with its inode, time or size; undefined if there is no file. */
function versionOf(path: string): string | undefined {
  try {
    const { ino, mtimeMs, size } = statSync(path);
    return [ino, mtimeMs, size].join(" ");
  } catch {
    return undefined;
  }
}

/** Removes the oldest files, because accounts come and go. This also removes what killed runs left behind. */
function removeOldest(folder: string, files: number): void {
  const own = readdirSync(folder).filter((name) => name.includes(ending));
  const dated = own.flatMap((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return found === undefined ? [] : [{ name, time: found.mtimeMs }];
  });
  for (const { name } of dated.sort((a, b) => b.time - a.time).slice(files))
    rmSync(join(folder, name), { force: true });
}
