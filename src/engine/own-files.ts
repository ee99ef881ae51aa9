import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { Environment } from "../clients/credentials/credentials.ts";
import { hasCode } from "../core/text/reason.ts";

/** Returns setpoint's folder below the path in `variable`, or else below `inHome` in the home directory. Relative paths are ignored. */
export function userFolder(env: Environment, variable: string, inHome: string, home: string): string {
  const stated = env[variable];
  return join(stated !== undefined && isAbsolute(stated) ? stated : join(home, inHome), "setpoint");
}

/** Creates a folder and its parents if missing. Node's own recursion never ends where none can be, such as below `/proc`. */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (hasCode(error, "EEXIST")) return;
    throw hasCode(error, "ENOENT") ? new Error(`no folder can be created in ${above}`) : error;
  }
}

/** Flushes a folder's entries to disk. Some file systems, such as shared folders of virtual machines, do not support this. */
export function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } catch (error) {
    if (!hasCode(error, "EINVAL")) throw error;
  } finally {
    closeSync(folder);
  }
}

/** Creates a folder of the user's own. Throws an error with the reason if it belongs to someone else or others can write to it. */
export function makeOwnFolder(folder: string): void {
  makeFolder(folder, 0o700);
  const status = lstatSync(folder);
  if (!status.isDirectory() || !isOwned(status)) throw new Error("it is not a folder that you own");
  if (process.getuid !== undefined && (status.mode & 0o022) !== 0) throw new Error("others can write to it");
}

interface OwnFile {
  /** The largest size, in bytes. */
  readonly largest: number;
  /** Whether others may read or even write the file. They may unless given. */
  readonly others?: "read" | "excluded";
}

/**
 * Returns the content of a file; undefined if the file cannot be relied on: a link, another user's file, or one that is too
 * large. Throws the system's error if the file cannot be opened.
 */
export function readOwnFile(path: string, { largest, others }: OwnFile): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const status = fstatSync(file);
    const isShared =
      others === "excluded"
        ? (status.mode & 0o077) !== 0
        : others === "read" && process.getuid !== undefined && (status.mode & 0o022) !== 0;
    if (!status.isFile() || !isOwned(status) || isShared || status.size > largest) return undefined;
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function isOwned({ uid }: { readonly uid: number }): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/** Replaces a file of the user's own in one step. Throws the system's error, and then leaves nothing behind. */
export function replaceOwnFile(path: string, content: string | Buffer): void {
  // Nothing random: the first file of the program uses this, and should load no more for it.
  const complete = `${path}.${process.pid}-${process.hrtime.bigint()}.new`;
  try {
    writeFileSync(complete, content, { mode: 0o600, flag: "wx" });
    renameSync(complete, path);
  } catch (error) {
    removeIfPossible(complete);
    throw error;
  }
}

/** Removes an unwanted file. A failure, for example on a disk that has become read-only, is ignored. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Code that finds the file later can handle it.
  }
}
