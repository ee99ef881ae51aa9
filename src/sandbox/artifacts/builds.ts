import { z } from "zod";
import type { Answer, Asked } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";
import { copied, requireAdmin, requireRepository, timestamp, trashed, withItems, without } from "./items.ts";
import { readJson } from "./json-input.ts";
import { type Build, type Items, trashcan, withFolders } from "./state.ts";

/** Where a deleted build's record goes in the trash. */
const buildRepository = "artifactory-build-info";

const Flag = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]);

/** The official client writes the count as text and the date as a timestamp. @see docs/facts.md, artifacts */
const RetentionInput = z.object({
  deleteBuildArtifacts: Flag.default(false),
  count: z
    .union([
      z.int(),
      z
        .string()
        .regex(/^-?\d+$/)
        .transform(Number),
    ])
    .refine((count) => count !== 0, "Max count retention needs to be a positive number")
    .default(-1),
  minimumBuildDate: z
    .union([z.number(), z.string().transform((text) => Date.parse(text))])
    .refine((moment) => !Number.isNaN(moment), "not a date")
    .nullish(),
  buildNumbersNotToBeDiscarded: z.array(z.coerce.string()).default([]),
});

const PromotionInput = z.object({
  status: z.string().optional(),
  ciUser: z.string().optional(),
  dryRun: z.boolean().default(false),
  targetRepo: z.string().optional(),
  copy: z.boolean().default(false),
  artifacts: z.boolean().default(true),
  properties: z.record(z.string(), z.array(z.string())).default({}),
});

export const buildAnswers = {
  listBuilds(world, asked) {
    return {
      body: {
        uri: buildUri(asked),
        buildsNumbers: newestFirst(requireBuilds(world, asked)).map(([number, { started }]) => ({
          uri: `/${encodeURIComponent(number)}`,
          started: zoned(started),
        })),
      },
    };
  },

  getBuild(world, asked) {
    const { buildName = "", buildNumber = "" } = asked.params;
    const { started, properties, statuses } = requireBuild(world, asked);
    return {
      body: {
        uri: `${buildUri(asked)}/${encodeURIComponent(buildNumber)}`,
        buildInfo: {
          version: "1.0.1",
          name: buildName,
          number: buildNumber,
          started: zoned(started),
          properties,
          ...(statuses.length === 0
            ? {}
            : { statuses: statuses.map((status) => ({ ...status, timestamp: zoned(status.timestamp) })) }),
        },
      },
    };
  },

  deleteBuilds(world, asked) {
    requireAdmin(asked, "delete builds");
    const builds = requireBuilds(world, asked);
    const numbers = (asked.query.get("buildNumbers") ?? "").split(",").filter((number) => number !== "");
    if (numbers.length === 0) throw new Refusal(400, "Please provide at least one build number to delete.");
    const missing = numbers.filter((number) => !Object.hasOwn(builds, number));
    if (missing.length > 0) throw new Refusal(404, `No builds found with numbers ${missing.join(", ")}`);
    const after = withoutBuilds(world, asked, numbers, asked.query.get("artifacts") === "1");
    return { body: `The following builds have been deleted successfully: ${numbers.join(", ")}.`, world: after };
  },

  applyRetention(world, asked) {
    requireAdmin(asked, "delete builds");
    const { count, minimumBuildDate, buildNumbersNotToBeDiscarded, deleteBuildArtifacts } = readJson(
      asked,
      RetentionInput,
    );
    // Builds that are not to be discarded do not count either.
    const numbers = newestFirst(requireBuilds(world, asked))
      .filter(([number]) => !buildNumbersNotToBeDiscarded.includes(number))
      .filter(
        ([, { started }], index) =>
          (count >= 0 && index >= count) || (minimumBuildDate != null && Date.parse(started) < minimumBuildDate),
      )
      .map(([number]) => number);
    return { status: 204, world: withoutBuilds(world, asked, numbers, deleteBuildArtifacts) };
  },

  promoteBuild(world, asked) {
    requireAdmin(asked, "promote");
    const { buildName = "", buildNumber = "" } = asked.params;
    const build = requireBuild(world, asked);
    const input = readJson(asked, PromotionInput);
    const { targetRepo } = input;
    if (targetRepo !== undefined) requireRepository(world, targetRepo);
    const moves = build.artifacts.map((from) => ({
      from,
      to: targetRepo === undefined || !input.artifacts ? from : from.replace(/^[^/]+/, () => targetRepo),
    }));
    if (input.dryRun) {
      const missing = moves.filter(({ from }) => !Object.hasOwn(world.artifacts.items, from));
      return { body: { messages: missing.map(({ from }) => ({ level: "ERROR", message: notFound(from) })) } };
    }
    const moved = moves.reduce((items, { from, to }) => promoted(items, from, to, input), world.artifacts.items);
    const status = {
      timestamp: timestamp(world, asked),
      ...(targetRepo === undefined ? {} : { repository: targetRepo }),
      ...(input.ciUser === undefined ? {} : { ciUser: input.ciUser }),
      user: asked.account?.username ?? "",
    };
    // Files can be moved without a word about the build.
    const statuses = input.status === undefined ? [] : [{ ...status, status: input.status }];
    const after = { ...build, artifacts: moves.map(({ to }) => to), statuses: [...build.statuses, ...statuses] };
    const builds = { ...requireBuilds(world, asked), [buildNumber]: after };
    return {
      body: { messages: [] },
      world: withBuilds(withItems(world, moved), buildName, builds),
    };
  },
} satisfies Record<string, Answer>;

type Builds = Readonly<Record<string, Build>>;

function requireBuilds(world: World, { params: { buildName = "" } }: Asked): Builds {
  const builds = Object.hasOwn(world.artifacts.builds, buildName) ? world.artifacts.builds[buildName] : undefined;
  if (builds === undefined || Object.keys(builds).length === 0)
    throw new Refusal(404, `No build was found for build name: ${buildName}`);
  return builds;
}

function requireBuild(world: World, asked: Asked): Build {
  const { buildName, buildNumber = "" } = asked.params;
  const builds = requireBuilds(world, asked);
  const build = Object.hasOwn(builds, buildNumber) ? builds[buildNumber] : undefined;
  if (build === undefined)
    throw new Refusal(404, `No build was found for build name: ${buildName} , build number: ${buildNumber}`);
  return build;
}

function newestFirst(builds: Builds): readonly (readonly [number: string, build: Build])[] {
  return Object.entries(builds).sort(([, a], [, b]) => (a.started < b.started ? 1 : -1));
}

function notFound(artifact: string): string {
  return `Unable to find artifact ${artifact}`;
}

/** One artifact moved or copied, with the promotion's properties. */
function promoted(
  items: Items,
  from: string,
  to: string,
  { copy, properties }: z.output<typeof PromotionInput>,
): Items {
  if (!Object.hasOwn(items, from)) throw new Refusal(400, notFound(from));
  const there = from === to ? items : copied(items, from, to);
  const left = from === to || copy ? there : without(there, from);
  const item = left[to];
  return item === undefined ? left : { ...left, [to]: { ...item, properties: { ...item.properties, ...properties } } };
}

/** Without builds of the name that was asked for: their records, and where wanted their artifacts, go to the trash. */
function withoutBuilds(world: World, asked: Asked, numbers: readonly string[], artifacts: boolean): World {
  const { buildName = "" } = asked.params;
  const builds = requireBuilds(world, asked);
  const created = timestamp(world, asked);
  const records = numbers.map((number) => [
    `${trashcan}/${buildRepository}/${encodeURIComponent(buildName)}/${number}-${Date.parse(builds[number]?.started ?? created)}.json`,
    {
      created,
      modified: created,
      createdBy: asked.account?.username ?? "",
      file: { size: 0, sha1: "", sha256: "" },
      properties: {},
    },
  ]);
  const made = artifacts ? numbers.flatMap((number) => builds[number]?.artifacts ?? []) : [];
  const items = made.reduce((before, key) => trashed(before, key), world.artifacts.items);
  const kept = Object.entries(builds).filter(([number]) => !numbers.includes(number));
  const after = withItems(world, withFolders({ ...items, ...Object.fromEntries(records) }));
  return withBuilds(after, buildName, Object.fromEntries(kept));
}

function withBuilds(world: World, name: string, builds: Builds): World {
  return { ...world, artifacts: { ...world.artifacts, builds: { ...world.artifacts.builds, [name]: builds } } };
}

function buildUri({ base, params }: Asked): string {
  return `${base}/api/build/${encodeURIComponent(params.buildName ?? "")}`;
}

/** With a numeric zone offset. @see docs/api/artifacts.md, build record */
function zoned(timestamp: string): string {
  return new Date(timestamp).toISOString().replace("Z", "+0000");
}
