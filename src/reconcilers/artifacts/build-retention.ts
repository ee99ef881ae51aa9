import { z } from "zod";
import type { ArtifactsOperations, ArtifactsReader } from "../../clients/artifacts/operations.ts";
import { callOf } from "../../core/call.ts";
import { eventTime } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { unlessMissing } from "../../core/problem.ts";
import { Duration, milliseconds } from "../../core/text/duration.ts";
import { sameJson } from "../../core/text/json.ts";
import { Text } from "../shared/fields.ts";
import { observeAll } from "../shared/told.ts";
import { momentOf } from "./shared/items.ts";

const call = callOf<ArtifactsOperations>();

const Moment = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

const BuildRetention = z
  .strictObject({
    build: Text.describe("Name of the build."),
    count: z
      .int()
      .min(1)
      .optional()
      .describe("How many of the newest builds are kept. Those under `keep` do not count."),
    maxAge: Duration.optional().describe("Maximum age of a build in hours, days or weeks, such as `90d`."),
    minimumBuildDate: z
      .string()
      .refine(
        (text) => Moment.safeParse(text).success,
        "expected a date such as 2026-01-31, or a time with a time zone",
      )
      .optional()
      .describe("Builds that started earlier are deleted: a date (from midnight UTC), or a time with a time zone."),
    keep: z.array(Text).default([]).describe("Numbers of builds that are never deleted."),
    deleteArtifacts: z.boolean().default(false).describe("Whether the artifacts of a build are deleted with it."),
    async: z.boolean().default(false).describe("Whether the service may respond before the builds are deleted."),
  })
  .refine(
    ({ count, maxAge, minimumBuildDate }) => [count, maxAge, minimumBuildDate].some((limit) => limit !== undefined),
    "expected count, maxAge or minimumBuildDate",
  )
  .refine(
    ({ maxAge, minimumBuildDate }) => maxAge === undefined || minimumBuildDate === undefined,
    "expected maxAge or minimumBuildDate, not both",
  );

/** The manifest's fields and, if live, the numbers of the builds that exceed the rule, oldest first. */
type BuildRetention = z.infer<typeof BuildRetention> & { readonly exceeding?: readonly string[] };

/** Builds that started before this moment, in milliseconds since 1970, go, except for those that are kept. */
interface Marker {
  readonly before: number;
  readonly kept: readonly string[];
}

/**
 * How many builds of a name are kept, and for how long. The service prunes on request and stores no such rule, so the
 * rule is met while no build exceeds it.
 * @see docs/facts.md, artifacts: retention deletes builds once, and no rule is stored
 */
export const buildRetention: Kind<BuildRetention, ArtifactsOperations, Marker | undefined> = {
  kind: "BuildRetention",
  role: "artifacts",
  summary: "Which builds of a name are deleted: those beyond a number or an age.",
  spec: BuildRetention,
  budget: {
    reads: "1 listBuilds per build name, and 1 getBuild per build that exceeds the rule",
    writes: "1 applyRetention per build name, 0 if no build exceeds the rule",
  },
  notes: `The service stores no retention, so there is nothing to import, and removing a rule from the manifests changes
nothing: the rule is met while no build exceeds it. A plan lists under \`exceeding\` the builds that would be deleted, and
\`--no-deletes\` refuses it. A build is deleted if it is beyond \`count\` or too old; ages count from the time of the plan.
A name without builds needs a person, unless the rule has an age: it can then have deleted all of them.

The service never deletes a promoted build. Such a build does not exceed the rule, but counts among the newest. If a build
that exceeds the rule is not deleted, the apply fails with SP4001. With \`async\`, or if the server always works so, the builds
might still be listed when the apply reads again: a later plan shows the result. What \`deleteArtifacts\` deletes is not read
again: some servers delete a build and keep its artifacts.`,
  permanent: true,
  key: ({ build }) => build,
  scope: ({ build }) => `build ${build}`,
  normalize: ({ exceeding = [] }) => ({ exceeding }),
  // Builds that exceed a changed rule are a result of the change, not of the service.
  sameRule: (base, now) => sameJson(ruleOf(base), ruleOf(now)),

  observe: (read, _scope, rules, now) =>
    observeAll(rules, buildRetention, async (wanted) => {
      const list = await unlessMissing(read.listBuilds({ buildName: wanted.build }));
      const cutoff = cutoffOf(wanted, now);
      if (list === undefined && cutoff === undefined) return { is: "absent", marker: undefined };
      const all = (list?.buildsNumbers ?? []).map(({ uri, started }) => ({
        number: numberOf(uri),
        moment: momentOf(started),
      }));
      const gone = await deletable(read, wanted.build, exceeding(wanted, cutoff, all));
      const spec = { ...wanted, exceeding: gone.map(({ number }) => number) };
      const events = gone.map(({ number, moment }) => ({ what: "built", name: number, ...eventTime(moment) }) as const);
      return { is: "present", spec, marker: markerOf(wanted, gone, all), events };
    }),

  needsPerson: ({ action, key }) =>
    action === "create"
      ? `Build ${key} was not found: run it, correct its name, or give the account access to it.`
      : undefined,

  compile: (changes) =>
    changes.flatMap((change) => {
      if (change.action !== "update" || change.marker === undefined) return [];
      const { build, deleteArtifacts, async } = change.desired;
      const args = {
        buildName: build,
        async,
        deleteBuildArtifacts: deleteArtifacts,
        minimumBuildDate: change.marker.before,
        buildNumbersNotToBeDiscarded: [...change.marker.kept],
      };
      return [call("applyRetention", args, [change])];
    }),

  risk: () => ["irreversible"],
};

/** Returns the fields that decide which builds exceed the rule. */
function ruleOf({ count, maxAge, minimumBuildDate, keep }: BuildRetention) {
  return { count, maxAge, minimumBuildDate, keep: keep.toSorted() };
}

/** Builds that started earlier are too old; milliseconds since 1970. */
function cutoffOf({ maxAge, minimumBuildDate }: BuildRetention, now: Date): number | undefined {
  if (maxAge !== undefined) return now.getTime() - milliseconds(maxAge);
  return minimumBuildDate === undefined ? undefined : Date.parse(minimumBuildDate);
}

interface Build {
  readonly number: string;
  readonly moment: number;
}

/**
 * Returns what the service needs to delete the builds that the plan names, and no others: their date, because it might
 * count otherwise. @see docs/facts.md, artifacts: which builds count is not documented
 */
function markerOf({ keep }: BuildRetention, gone: readonly Build[], all: readonly Build[]): Marker | undefined {
  const newest = gone.at(-1)?.moment;
  if (newest === undefined) return undefined;
  const going = new Set(gone.map(({ number }) => number));
  const stay = all.filter(({ number, moment }) => moment <= newest && !going.has(number));
  return { before: newest + 1, kept: [...new Set([...keep, ...stay.map(({ number }) => number)])] };
}

/** Returns the builds that exceed a rule, oldest first. */
function exceeding(
  { count = Number.POSITIVE_INFINITY, keep }: BuildRetention,
  cutoff = Number.NEGATIVE_INFINITY,
  builds: readonly Build[],
): readonly Build[] {
  return builds
    .filter(({ number }) => !keep.includes(number))
    .sort((a, b) => b.moment - a.moment)
    .filter(({ moment }, index) => index >= count || moment < cutoff)
    .reverse();
}

/** Returns the builds that were never promoted. @see docs/facts.md, artifacts: retention keeps promoted builds */
async function deletable(
  read: ArtifactsReader,
  buildName: string,
  builds: readonly Build[],
): Promise<readonly Build[]> {
  const records = await Promise.all(
    builds.map(({ number }) => unlessMissing(read.getBuild({ buildName, buildNumber: number }))),
  );
  return builds.filter((_build, index) => (records[index]?.buildInfo.statuses ?? []).length === 0);
}

/** Decodes the number. The product percent-encodes it, but the API documents do not, so it can contain a percent sign. */
function numberOf(uri: string): string {
  const number = uri.replace(/^\//, "");
  try {
    return decodeURIComponent(number);
  } catch {
    return number;
  }
}
