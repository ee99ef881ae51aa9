import { rmSync } from "node:fs";

/** Removes an unwanted file. A failure, for example on a disk that has become read-only, is ignored. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Code that finds the file later can handle it.
  }
}
