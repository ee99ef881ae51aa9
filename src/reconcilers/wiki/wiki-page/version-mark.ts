import { hash } from "node:crypto";
import type { WikiPageRecord } from "../../../clients/wiki/operations.ts";
import { eventTime, type ObjectEvent } from "../../../core/change.ts";
import { defined } from "../../../core/text/json.ts";
import { canonicalMarkup } from "./storage-format.ts";

const anyMark = /^setpoint:[0-9a-f]{12}(?= |$)/;

/** Returns the mark at the start of a version message, if one of our writes left it. */
export function markIn(message: WikiPageRecord["version"]["message"]): string | undefined {
  return anyMark.exec(message ?? "")?.[0];
}

/** Returns the start of a version's message. It has a hash of the number too, so that no later version passes for ours. */
export function versionMark(markup: string, version: number): string {
  const digest = hash("sha256", `${version}\n${canonicalMarkup(markup)}`);
  return `setpoint:${digest.slice(0, 12)}`;
}

/** Returns the edit that made the current version; none if it was ours. @see docs/facts.md, Wiki: a version tells who, when and why */
export function editsOf({ number, by, when, message }: WikiPageRecord["version"]): readonly ObjectEvent[] {
  if (markIn(message) !== undefined) return [];
  const said = { by: by?.username ?? by?.displayName, ...eventTime(when ?? undefined), message: message || undefined };
  return [defined({ what: "edited", ...said, version: number })];
}
