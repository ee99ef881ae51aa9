import { rmSync } from "node:fs";

/** Removes a file that is better not there. That it stays, as on a disk that has become read-only, ends no run. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Whatever finds it later knows what to make of it.
  }
}
