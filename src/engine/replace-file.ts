import { randomBytes } from "node:crypto";
import { rename, rm, stat, writeFile } from "node:fs/promises";

/**
 * Replaces a file atomically, so that nobody reads half of it. Writes directly into a device or a pipe, because root could
 * otherwise replace `/dev/null` with a file. Throws the system's error.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
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
