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
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { hasCode } from "../core/reason.ts";

/** Variables by name, as in `process.env`. */
type Environment = Readonly<Record<string, string | undefined>>;

/** The user's folder of setpoint that `variable` locates, or else the home directory. Relative paths count as none. */
export function userFolder(env: Environment, variable: string, inHome: string, home: string): string {
  const stated = env[variable];
  return join(stated !== undefined && isAbsolute(stated) ? stated : join(home, inHome), "setpoint");
}

/**
 * Makes a folder with those above it, and leaves what is there. Node's own recursion never ends below a folder in which
 * nothing can be made, such as `/proc`.
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (hasCode(error, "EEXIST")) return;
    throw hasCode(error, "ENOENT") ? new Error(`no folder can be made in ${above}`) : error;
  }
}

/** Returns when a folder's names are on disk. Some file systems, such as shared folders of virtual machines, cannot do that to a folder. */
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

/** Makes a folder of the user's own. Throws an error that says why it is none: it is somebody else's, or others may write to it. */
export function makeOwnFolder(folder: string): void {
  makeFolder(folder, 0o700);
  const status = lstatSync(folder);
  if (!status.isDirectory() || !isOwned(status)) throw new Error("it is not a folder of yours");
  if (process.getuid !== undefined && (status.mode & 0o022) !== 0) throw new Error("others may write to it");
}

/** What a file of the user's own may be. */
interface OwnFile {
  /** In bytes. */
  readonly largest: number;
  /** Whether others may not be able to write to it. */
  readonly alone?: true;
}

/**
 * The content of a file; undefined for one that nobody may rely on: a link, another user's, a large one. Throws the system's
 * error if it cannot be opened.
 */
export function readOwnFile(path: string, { largest, alone }: OwnFile): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const status = fstatSync(file);
    const isShared = alone === true && process.getuid !== undefined && (status.mode & 0o022) !== 0;
    if (!status.isFile() || !isOwned(status) || isShared || status.size > largest) return undefined;
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function isOwned({ uid }: { readonly uid: number }): boolean {
  return process.getuid === undefined || uid === process.getuid();
}
