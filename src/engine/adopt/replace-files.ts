import { randomBytes } from "node:crypto";
import { chmod, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import type { RewrittenFile } from "./rewritten-files.ts";

/**
 * Puts the new texts in the places of the old ones: each whole or not at all, with the mode of the old file. Before the
 * first is replaced all are written beside their files, and all files are as they were read.
 *
 * Throws `ProblemError` with SP4003 where a file was changed meanwhile; then none is replaced.
 */
export async function replaceFiles(folder: string, files: readonly RewrittenFile[]): Promise<void> {
  const written = files.map(({ file, ...texts }) => {
    const path = join(folder, file);
    return { ...texts, file, path, temporary: join(dirname(path), `.setpoint-${randomBytes(6).toString("hex")}.tmp`) };
  });
  try {
    for (const { path, temporary, after } of written) {
      const { mode } = await stat(path);
      await writeFile(temporary, after, { flag: "wx", flush: true });
      // The mode of a new file is cut by the process's mask.
      await chmod(temporary, mode);
    }
    for (const { file, path, before } of written) {
      if ((await readFile(path)).equals(Buffer.from(before))) continue;
      const message = `${file} was changed while live values were read. Nothing was written.`;
      throw new ProblemError({ code: "SP4003", message, hint: "Adopt again." });
    }
    for (const { path, temporary } of written) await rename(temporary, path);
  } finally {
    await Promise.all(written.map(({ temporary }) => rm(temporary, { force: true })));
  }
}
