import { compareVersions } from "../../../core/text/version.ts";

/** The release line that a server follows. */
export type Line = "stable" | "weekly";

/**
 * Java versions that can run a server, from a weekly release onwards; newest first. A stable release continues the weekly one
 * that its first two numbers name. The API document's table ends at 2.419, and its last two rows say Java 17 instead of 11.
 * @see docs/api/ci.md, Java versions; docs/facts.md, CI: Java versions that can run a server
 */
const supported: readonly { readonly java: readonly number[]; readonly since: string }[] = [
  { java: [21, 25], since: "2.545" },
  { java: [17, 21, 25], since: "2.534" },
  { java: [17, 21], since: "2.463" },
  { java: [11, 17, 21], since: "2.419" },
  { java: [11, 17], since: "2.357" },
  { java: [8, 11, 17], since: "2.340" },
  { java: [8, 11], since: "2.164" },
  { java: [8], since: "2.54" },
  { java: [7], since: "1.612" },
];

/** Returns the line that a version belongs to: weekly releases have two numbers, stable ones have a third. */
export function lineOf(version: string): Line {
  return /^\d+\.\d+(?![.\d])/.test(version) ? "weekly" : "stable";
}

/** Returns the Java versions that can run this version of the server; none if it is older than the table. */
export function supportedJava(version: string): readonly number[] {
  return supported.find(({ since }) => compareVersions(version, since) >= 0)?.java ?? [];
}
