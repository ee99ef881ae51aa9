import { randomUUID } from "node:crypto";
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Reading, ReadingStore, ReadingsOf } from "../../clients/http/memory.ts";
import { canonicalJson } from "../../core/json.ts";
import { makeOwnFolder, readOwnFile, userFolder } from "../own-files.ts";
import { nameFor, seal, unseal } from "./sealed.ts";

/** Answers that services gave, kept beyond the process by their entity tags. @see docs/decisions/readings.md */
export interface Readings {
  readonly of: ReadingsOf;
  /** Keeps what is new. Never throws: who has no readings sends the requests in full. */
  save(): void;
}

/** How much is kept. */
interface Bounds {
  /** Characters of one account's readings. */
  readonly characters: number;
  /** Accounts. */
  readonly files: number;
}

const bounds: Bounds = { characters: 2 ** 25, files: 32 };
/** Bytes of a file. */
const largest = 2 ** 26;
const ending = ".readings";

/** Readings that nobody keeps. */
export const noReadings: Readings = { of: () => new Map(), save: () => {} };

/**
 * Readings in files of the user, one for each account: in `SETPOINT_CACHE`, or the user's cache folder. None if that is
 * `off`, or if the environment names no place.
 */
export function diskReadings(env: Readonly<Record<string, string | undefined>>, limits: Bounds = bounds): Readings {
  const folder = cacheFolder(env);
  if (folder === undefined) return noReadings;
  const stores = new Map<string, KeptReadings>();
  return {
    of({ service: { role, url, wire }, asked }) {
      const secret = canonicalJson({ role, url, wire, asked });
      const name = `${role}-${nameFor(secret)}${ending}`;
      const store = stores.get(name) ?? keptReadings(join(folder, name), secret, limits.characters);
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
        // The next run reads in full, as this one did.
      }
    },
  };
}

function cacheFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { SETPOINT_CACHE: stated, XDG_CACHE_HOME: cache, HOME: home } = env;
  if (stated) return isAbsolute(stated) ? stated : undefined;
  if (!cache && !home) return undefined;
  return join(userFolder(env, "XDG_CACHE_HOME", ".cache", home ?? ""), "readings");
}

interface KeptReadings extends ReadingStore {
  isChanged(): boolean;
  save(): void;
}

/** Reads the file when the first answer is wanted. The longest unused readings come first, and go first. */
function keptReadings(path: string, secret: string, longest: number): KeptReadings {
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
      // Another run may have saved since: what it has and this one lacks is kept too.
      const others = versionOf(path) === seen ? [] : readFile(path, secret);
      const all = bounded(new Map([...others, ...readings()]), longest);
      const complete = `${path}.${randomUUID()}.new`;
      writeFileSync(complete, seal(JSON.stringify(all), secret), { mode: 0o600, flag: "wx" });
      renameSync(complete, path);
      seen = versionOf(path);
      isChanged = false;
    },
  };
}

/** A reading as it is written. */
type Row = readonly [path: string, etag: string, type: string | null, link: string | null, body: string];

/** The last used ones, as many as there is room for. */
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

/** What a file holds; nothing if it is not one that this account wrote. */
function readFile(path: string, secret: string): Map<string, Reading> {
  const readings = new Map<string, Reading>();
  for (const row of rowsIn(path, secret)) {
    if (!Array.isArray(row)) continue;
    const [asked, etag, type, link, body]: readonly unknown[] = row;
    if (typeof asked !== "string" || typeof etag !== "string" || typeof body !== "string") continue;
    readings.set(asked, { etag, type: textOf(type), link: textOf(link), body });
  }
  return readings;
}

function rowsIn(path: string, secret: string): readonly unknown[] {
  try {
    const sealed = readOwnFile(path, { largest, alone: true });
    const rows: unknown = JSON.parse((sealed && unseal(sealed, secret)) ?? "[]");
    return Array.isArray(rows) ? rows : [];
  } catch {
    return [];
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Which version of a file is there: another one has another number, or time. */
function versionOf(path: string): string | undefined {
  try {
    const { ino, mtimeMs, size } = statSync(path);
    return [ino, mtimeMs, size].join(" ");
  } catch {
    return undefined;
  }
}

/** Accounts come and go, such as those of a job; what a run that was killed has left goes too. */
function removeOldest(folder: string, files: number): void {
  const own = readdirSync(folder).filter((name) => name.includes(ending));
  const dated = own.flatMap((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return found === undefined ? [] : [{ name, time: found.mtimeMs }];
  });
  for (const { name } of dated.sort((a, b) => b.time - a.time).slice(files))
    rmSync(join(folder, name), { force: true });
}
