import { randomBytes } from "node:crypto";
import { realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import { foldedPath } from "../core/text/private-path.ts";

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

/**
 * Throws if a file that is named from the current folder is elsewhere, because a folder of its path is a link: a pull request can
 * have one where a run writes. It does not choose an absolute path, which can lead through links.
 */
export async function refuseLinkedFolder(path: string): Promise<void> {
  if (!isAbsolute(path) && (await isBehindLink(dirname(path)))) throw new Error("its folder is reached through a link");
}

async function isBehindLink(folder: string): Promise<boolean> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined) return folder !== "." && isBehindLink(dirname(folder));
  return foldedPath(real) !== foldedPath(resolve(await realpath("."), folder));
}
