import { setFlagsFromString } from "node:v8";

/**
 * Makes this process collect garbage early. By default V8 lets garbage grow by more than a hundred megabytes first. An apply
 * shares a machine with other jobs for a long time, and spends most of it waiting for services. V8 reads both flags at
 * each collection. @see docs/decisions/memory.md
 */
export function collectEarly(): void {
  // Keep the space for new objects small: most of them are garbage before it is full.
  setFlagsFromString("--semi-space-growth-factor=1");
  // Collect the rest of the heap whenever it has grown by 30 %.
  setFlagsFromString("--heap-growing-percent=30");
}
