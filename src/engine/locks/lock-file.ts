import { linkSync, renameSync, writeFileSync } from "node:fs";
import { jsonIn } from "../../core/text/json-text.ts";
import { hasCode } from "../../core/text/reason.ts";
import { readOwnFile, removeIfPossible } from "../own-files.ts";
import { Holder, isGone } from "./holder.ts";

/** A lock that could not be taken. `holder` is undefined if the file is not one of this user's, or cannot be understood. */
export interface Busy {
  readonly path: string;
  readonly holder: Holder | undefined;
}

/**
 * Takes a lock that is a file. The complete file is linked to its name, so that only one of two runs gets it and nobody sees a
 * partial file. Returns who has the lock instead; undefined if it was taken.
 *
 * A holder that is gone is replaced. Two runs could see the same dead holder, and the slower would replace the faster. So the
 * right to replace a holder is itself a lock, named after that holder. The run that has it checks once more that the lock still
 * names that holder, which no other run can change meanwhile.
 */
export function takeLock(path: string, holder: Holder): Busy | undefined {
  for (;;) {
    if (isPlaced(path, holder)) return undefined;
    const found = lockAt(path);
    if (found === "nothing") continue;
    if (found === "strange") return { path, holder: undefined };
    if (found !== "lost" && !isGone(found)) return { path, holder: found };
    const right = `${path}.${idOf(found)}`;
    const busy = takeLock(right, holder);
    if (busy !== undefined) return busy;
    try {
      if (idOf(lockAt(path)) !== idOf(found)) continue;
      place(path, holder, renameSync);
      return undefined;
    } finally {
      releaseLock(right, holder);
    }
  }
}

/** Releases a lock, if the holder still has it. A lock file that cannot be removed is void once the process ends. */
export function releaseLock(path: string, { id }: Pick<Holder, "id">): void {
  if (idOf(lockAt(path)) === id) removeIfPossible(path);
}

/** Returns who has a lock; undefined if nobody has it, or its holder is gone. */
export function busyAt(path: string): Busy | undefined {
  const found = lockAt(path);
  if (found === "nothing" || found === "lost") return undefined;
  if (found === "strange") return { path, holder: undefined };
  return isGone(found) ? undefined : { path, holder: found };
}

function isPlaced(path: string, holder: Holder): boolean {
  try {
    place(path, holder, linkSync);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** Writes a complete lock file, and has it given its name. */
function place(path: string, holder: Holder, give: (complete: string, path: string) => void): void {
  const complete = `${path}.${holder.id}.new`;
  try {
    writeFileSync(complete, `${JSON.stringify(holder)}\n`, { mode: 0o600, flag: "wx" });
    give(complete, path);
  } finally {
    removeIfPossible(complete);
  }
}

/** The largest lock file, in bytes: more than any has. */
const largest = 16_384;

type Found = Holder | "nothing" | "lost" | "strange";

function idOf(found: Found): string {
  return typeof found === "object" ? found.id : found;
}

/**
 * Reads the holder in a lock file. "strange" is a file that cannot be relied on: a link, another user's file, or one that is not
 * understood. "lost" is an empty file: the power failed after its name was on disk.
 */
function lockAt(path: string): Found {
  try {
    const text = readOwnFile(path, { largest })?.toString("utf8");
    if (text !== undefined && /^\0*$/.test(text)) return "lost";
    return (text === undefined ? undefined : Holder.safeParse(jsonIn(text)).data) ?? "strange";
  } catch (error) {
    return hasCode(error, "ENOENT") ? "nothing" : "strange";
  }
}
