import { z } from "zod";
import type { CiOperations, CiReader } from "../../clients/ci/operations.ts";
import type { Kind } from "../../core/kind.ts";
import { ProblemError } from "../../core/problem.ts";
import { compareVersions } from "../../core/text/version.ts";
import { quote } from "../../core/text/words.ts";
import { observeAll } from "../shared/told.ts";

const CoreVersion = z.strictObject({
  line: z.enum(["stable", "weekly"]).describe("The release line that the server follows."),
  atLeast: z
    .string()
    .regex(/^\d+(\.\d+)+$/, "expected a version, such as 2.479.1")
    .optional()
    .describe("The minimum version of the server."),
  maxBehind: z
    .int()
    .min(0)
    .optional()
    .describe(
      "How far the server may be behind the newest version of the line, in the first number that differs: weekly releases, or fixes of one stable release.",
    ),
  runtime: z.literal("supported").optional().describe("Requires a Java version that the server's version supports."),
});
type CoreVersion = z.infer<typeof CoreVersion>;

/** What reads the newest version of each line. */
const newestOf = { stable: "getLatestStableCore", weekly: "getLatestWeeklyCore" } as const;
const javaProperty = "java.specification.version";

/** The version of the server and of its Java. */
export const coreVersion: Kind<CoreVersion, CiOperations, undefined> = {
  kind: "CoreVersion",
  role: "ci",
  summary: "The version of the CI server and the Java that it runs on. Checked, never changed.",
  spec: CoreVersion,
  budget: {
    reads:
      "1 getVersion; with `maxBehind` 1 getLatestStableCore or getLatestWeeklyCore; with `runtime` 1 runReadScript",
    writes: "none",
  },
  notes: `A stable version has three numbers, such as 2.479.3, and a weekly one two, such as 2.492. 2.479.1 is 2 behind
2.479.3, and 13 behind 2.492.1, the number of weekly releases between them. Supported Java versions are those that
releases up to 2.568 accept at their start. The API documents have neither the version nor a read-only script, so under \`wire: documented\` the resource is unknown.`,
  permanent: true,
  key: () => "core",
  scope: () => "server version",

  observe: (read, _scope, wanted) =>
    observeAll(wanted, coreVersion, async ({ line, atLeast, maxBehind, runtime }) => {
      const [{ version }, newest, java] = await Promise.all([
        read.getVersion({}),
        maxBehind === undefined ? undefined : read[newestOf[line]]({}),
        runtime === undefined ? undefined : javaOf(read),
      ]);
      const spec: CoreVersion = {
        line: lineOf(version),
        atLeast: atLeast !== undefined && compareVersions(version, atLeast) < 0 ? version : atLeast,
        maxBehind:
          maxBehind === undefined || newest === undefined ? undefined : Math.max(maxBehind, distance(version, newest)),
        runtime: java !== undefined && supportedJava(version).includes(java) ? "supported" : undefined,
      };
      const note = [
        `the server is ${version}`,
        ...(java === undefined ? [] : [`on Java ${java}`]),
        ...(newest === undefined ? [] : [`the newest ${line} is ${newest}`]),
      ].join(", ");
      return { is: "present", spec, marker: undefined, note };
    }),

  async list(read) {
    const { version } = await read.getVersion({});
    const isRelease = CoreVersion.shape.atLeast.safeParse(version).success;
    return [{ line: lineOf(version), ...(isRelease ? { atLeast: version } : {}) }];
  },

  needsPerson: () => "Upgrade the server or its Java manually.",
};

/** Returns the major version of the server's Java: `1.8` is 8. Throws `ProblemError` SP3103 if the server reports none. */
async function javaOf(read: CiReader): Promise<number> {
  const { [javaProperty]: text } = await read.runReadScript({
    script: { name: "systemProperties", properties: [javaProperty] },
  });
  const number = /^(?:1\.)?(\d+)$/.exec(text ?? "")?.[1];
  if (number !== undefined) return Number(number);
  const message = `The server's property ${javaProperty} names no version of Java: ${typeof text === "string" ? quote(text) : "null"}.`;
  throw new ProblemError({ code: "SP3103", operation: "runReadScript", message });
}

/** Returns how far a version is behind another, in the first number that differs. One in the first number counts as 1,000. */
function distance(version: string, newest: string): number {
  const [here, there] = [numbers(version), numbers(newest)];
  const at = there.findIndex((number, index) => number !== (here[index] ?? 0));
  const behind = (there[at] ?? 0) - (here[at] ?? 0);
  return Math.max(0, at === 0 ? behind * 1000 : behind);
}

function numbers(version: string): readonly number[] {
  return version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
}

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
export function lineOf(version: string): CoreVersion["line"] {
  return /^\d+\.\d+(?![.\d])/.test(version) ? "weekly" : "stable";
}

/** Returns the Java versions that can run this version of the server; none if it is older than the table. */
export function supportedJava(version: string): readonly number[] {
  return supported.find(({ since }) => compareVersions(version, since) >= 0)?.java ?? [];
}
