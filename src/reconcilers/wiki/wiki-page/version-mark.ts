import { createHash } from "node:crypto";
import { canonicalMarkup } from "./storage-format.ts";

const anyMark = /^setpoint:[0-9a-f]{12}(?= |$)/;

/** The mark at the front of a version message, if a write of ours left one. */
export function markIn(message = ""): string | undefined {
  return anyMark.exec(message)?.[0];
}

/**
 * What the version message of a write begins with. The number is part of it, so that a later version that repeats the
 * message is not taken for ours.
 */
export function markOf(markup: string, version: number): string {
  const digest = createHash("sha256")
    .update(`${version}\n${canonicalMarkup(markup)}`)
    .digest("hex");
  return `setpoint:${digest.slice(0, 12)}`;
}
