import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { hasCode } from "./reason.ts";

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
