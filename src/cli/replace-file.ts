import { randomBytes } from "node:crypto";
import { rename, rm, stat, writeFile } from "node:fs/promises";

/**
 * Replaces a file as a whole, so that nobody reads half of it. What is no file is written into and stays what it is: root could put a
 * file in the place of `/dev/null`. Throws the system's error.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  const isPlain = found === undefined || found.isFile() || found.isDirectory();
  if (!isPlain || /^\/dev\/(std|fd\/)/.test(path)) return await writeFile(path, text);
  // Another ending than its own: a collector of `.prom` files must not read half of one.
  const beside = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    await writeFile(beside, text, { flag: "wx", flush: true, ...(mode === undefined ? {} : { mode }) });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw error;
  }
}
