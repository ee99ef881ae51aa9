import { compareVersions } from "../../../core/text/version.ts";

/** The release line that a server follows. */
export type Line = "stable" | "weekly";

/** Java versions that can run a server, from a given version of each line onwards. */
interface Support {
  readonly java: readonly number[];
  readonly since: Readonly<Record<Line, string | undefined>>;
}

/**
 * Newest first. The API document's table ends at 2.419, and its last two rows say Java 17 instead of 11; this is the
 * table that the document was copied from, as of January 2026.
 * @see docs/api/ci.md, Java versions; https://www.jenkins.io/doc/book/platform-information/support-policy-java/
 */
const supported: readonly Support[] = [
  { java: [21, 25], since: { stable: undefined, weekly: "2.545" } },
  { java: [17, 21, 25], since: { stable: "2.541.1", weekly: "2.534" } },
  { java: [17, 21], since: { stable: "2.479.1", weekly: "2.463" } },
  { java: [11, 17, 21], since: { stable: "2.426.1", weekly: "2.419" } },
  { java: [11, 17], since: { stable: "2.361.1", weekly: "2.357" } },
  { java: [8, 11, 17], since: { stable: "2.346.1", weekly: "2.340" } },
  { java: [8, 11], since: { stable: "2.164.1", weekly: "2.164" } },
  { java: [8], since: { stable: "2.60.1", weekly: "2.54" } },
  { java: [7], since: { stable: "1.625.1", weekly: "1.612" } },
];

/** Returns the line that a version belongs to: weekly releases have two numbers, stable ones have a third. */
export function lineOf(version: string): Line {
  return /^\d+\.\d+(?![.\d])/.test(version) ? "weekly" : "stable";
}

/** Returns the Java versions that can run this version of the server; none if it is older than the table. */
export function supportedJava(version: string): readonly number[] {
  const line = lineOf(version);
  const row = supported.find(({ since }) => {
    const first = since[line];
    return first !== undefined && compareVersions(version, first) >= 0;
  });
  return row?.java ?? [];
}
