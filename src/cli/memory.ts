import { setFlagsFromString } from "node:v8";

/**
 * Makes this process collect early what it no longer needs. By default V8 lets garbage grow by more than a hundred megabytes before
 * it looks; an apply runs for long beside other jobs of a machine, and waits for services anyway. Both flags are read anew at
 * each collection. @see docs/decisions/memory.md
 */
export function collectEarly(): void {
  // The room for new objects does not grow: most of them are garbage before it is full.
  setFlagsFromString("--semi-space-growth-factor=1");
  // The rest is looked at whenever it has grown by 30 %.
  setFlagsFromString("--heap-growing-percent=30");
}
