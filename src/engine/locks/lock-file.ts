import { linkSync, renameSync, writeFileSync } from "node:fs";
import { hasCode } from "../../core/reason.ts";
import { readOwnFile } from "../own-files.ts";
import { removeIfPossible } from "../remove-if-possible.ts";
import { Holder, isGone } from "./holder.ts";

/** Who has a lock that could not be taken; undefined if its file is not one of this user's. */
export interface Busy {
  readonly path: string;
  readonly holder: Holder | undefined;
}

/** How many runs may have died while each took over from the one before. */
const longestChain = 4;

/**
 * Takes a lock that is a file: it is linked to its name complete, so that one of two runs gets it and nobody sees half of it.
 * Returns who has it instead.
 *
 * A holder that is gone is replaced. Two runs could see the same one, and the slower would replace the faster; so the
 * right to replace a holder is a lock itself, named after that holder. Whoever has it looks once more whether the
 * holder is still there, and nobody else can change that.
 */
export function takeLock(path: string, holder: Holder, chain = 0): Busy | undefined {
  for (;;) {
    if (placed(path, holder)) return undefined;
    const found = lockAt(path);
    if (found === "nothing") continue;
    if (found === "strange") return { path, holder: undefined };
    if (found !== "lost" && (!isGone(found) || chain === longestChain)) return { path, holder: found };
    const right = `${path}.${idOf(found)}`;
    const busy = takeLock(right, holder, chain + 1);
    if (busy !== undefined) return busy;
    const isSame = idOf(lockAt(path)) === idOf(found);
    if (isSame) renameSync(written(path, holder), path);
    releaseLock(right, holder);
    if (isSame) return undefined;
  }
}

/** Gives a lock back, if the holder still has it. One that cannot be removed ends with the process. */
export function releaseLock(path: string, { id }: Pick<Holder, "id">): void {
  if (idOf(lockAt(path)) === id) removeIfPossible(path);
}

/** Who has a lock, if anybody who is still there does. */
export function busyAt(path: string): Busy | undefined {
  const found = lockAt(path);
  if (found === "nothing" || found === "lost") return undefined;
  if (found === "strange") return { path, holder: undefined };
  return isGone(found) ? undefined : { path, holder: found };
}

function placed(path: string, holder: Holder): boolean {
  const complete = written(path, holder);
  try {
    linkSync(complete, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    removeIfPossible(complete);
  }
}

function written(path: string, holder: Holder): string {
  const complete = `${path}.${holder.id}.new`;
  writeFileSync(complete, `${JSON.stringify(holder)}\n`, { mode: 0o600, flag: "wx" });
  return complete;
}

/** Bytes of a lock file: more than any has. */
const largest = 16_384;

type Found = Holder | "nothing" | "lost" | "strange";

function idOf(found: Found): string {
  return typeof found === "object" ? found.id : found;
}

/**
 * The holder that a file names. The content of a link, or of another user's file, is nothing that anybody may rely on. One of
 * no content is lost: the power failed after its name was on disk.
 */
function lockAt(path: string): Found {
  try {
    const text = readOwnFile(path, { largest })?.toString("utf8");
    if (text !== undefined && /^\0*$/.test(text)) return "lost";
    return (text === undefined ? undefined : Holder.safeParse(JSON.parse(text)).data) ?? "strange";
  } catch (error) {
    return hasCode(error, "ENOENT") ? "nothing" : "strange";
  }
}
