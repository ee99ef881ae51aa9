import { randomBytes } from "node:crypto";
import { constants, existsSync, realpathSync } from "node:fs";
import { realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { foldedPath, upwards } from "../core/text/private-path.ts";

/**
 * Replaces a file atomically, so that nobody reads half of it. Writes directly into a device or a pipe, because root could
 * otherwise replace `/dev/null` with a file. Throws the system's error, and what `refuseLinkedFolder` throws.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  await refuseLinkedFolder(path);
  const found = await stat(path).catch(() => undefined);
  const isPlain = found === undefined || found.isFile() || found.isDirectory();
  if (!isPlain || /^\/dev\/(std|fd\/)/.test(path)) return await writeFile(path, text);
  // The temporary file has another extension, so that a collector of `.prom` files does not read half of one.
  const beside = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    await writeFile(beside, text, { flag: "wx", flush: true, mode });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Opens a file to append to it, unless it is a link. */
export const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/**
 * Throws if a file is elsewhere than where its path says, because a folder is a link that a pull request can have made: one on a
 * path from the current folder, or in a checkout.
 */
export async function refuseLinkedFolder(path: string): Promise<void> {
  if (await isBehindLink(dirname(path))) throw new Error("its folder is reached through a link");
}

async function isBehindLink(folder: string): Promise<boolean> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined) return folder !== "." && isBehindLink(dirname(folder));
  // Only git makes an entry `.git`: no commit has one.
  const tops = isAbsolute(folder) ? upwards(folder).filter((above) => existsSync(join(above, ".git"))) : ["."];
  return tops.some((top) => foldedPath(real) !== foldedPath(join(realpathSync(top), relative(top, folder))));
}
