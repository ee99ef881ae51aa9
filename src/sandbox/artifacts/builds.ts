import { z } from "zod";
import { BooleanOrText, NumberOrText } from "../../clients/artifacts/records.ts";
import { own } from "../../core/text/json.ts";
import { zonedTime } from "../../core/text/moment.ts";
import type { Answers, Asked } from "../exchange.ts";
import { found, notModelled, Refusal } from "../refusal.ts";
import { choiceIn, readJsonBody } from "../request.ts";
import {
  copied,
  newFile,
  requireAdmin,
  requireRepository,
  requireTarget,
  timestamp,
  trashed,
  withoutItem,
} from "./items.ts";
import { type ArtifactsState, type Build, type Items, trashcan, withFolders } from "./state.ts";

/** The folder of deleted build records in the trash. */
const buildRepository = "artifactory-build-info";

/** The official client sends the count as a string and the date as a timestamp. @see docs/facts.md, artifacts */
const RetentionInput = z.object({
  deleteBuildArtifacts: BooleanOrText.default(false),
  count: NumberOrText.refine((count) => count !== 0, "Max count retention needs to be a positive number").default(-1),
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
  dependencies: z.boolean().default(false),
  sourceRepo: z.string().optional(),
  properties: z.record(z.string(), z.array(z.string())).default({}),
});

export const buildAnswers = {
  listBuilds(asked) {
    const buildsNumbers = newestFirst(requireBuilds(asked)).map(([number, { started }]) => ({
      uri: `/${encodeURIComponent(number)}`,
      started: zonedTime(started),
    }));
    return { body: { uri: buildUri(asked), buildsNumbers } };
  },

  getBuild(asked) {
    const { buildName: name = "", buildNumber: number = "" } = asked.params;
    const { started, properties, statuses } = requireBuild(asked);
    const zonedStatuses = statuses.map((status) => ({ ...status, timestamp: zonedTime(status.timestamp) }));
    const buildInfo = {
      version: "1.0.1",
      name,
      number,
      started: zonedTime(started),
      properties,
      statuses: statuses.length === 0 ? undefined : zonedStatuses,
    };
    return { body: { uri: `${buildUri(asked)}/${encodeURIComponent(number)}`, buildInfo } };
  },

  deleteBuilds(asked) {
    requireAdmin(asked, "delete builds");
    const builds = requireBuilds(asked);
    const numbers = (asked.query.get("buildNumbers") ?? "").split(",").filter((number) => number !== "");
    if (numbers.length === 0) throw new Refusal(400, "Please provide at least one build number to delete.");
    const missing = numbers.filter((number) => !Object.hasOwn(builds, number));
    if (missing.length > 0) throw new Refusal(404, `No builds found with numbers ${missing.join(", ")}`);
    return {
      body: `The following builds have been deleted successfully: ${numbers.join(", ")}.`,
      changes: withoutBuilds(asked, numbers, choiceIn(asked, "artifacts", ["0", "1"]) === "1"),
    };
  },

  applyRetention(asked) {
    requireAdmin(asked, "delete builds");
    const { count, minimumBuildDate, buildNumbersNotToBeDiscarded, deleteBuildArtifacts } = readJsonBody(
      asked,
      RetentionInput,
    );
    // Whether builds that must not be discarded count towards the limit is not documented: here they do not.
    const numbers = newestFirst(requireBuilds(asked))
      .filter(([number]) => !buildNumbersNotToBeDiscarded.includes(number))
      .filter(
        ([, { started }], index) =>
          (count >= 0 && index >= count) || (minimumBuildDate != null && Date.parse(started) < minimumBuildDate),
      )
      // Promoted builds stay. @see docs/facts.md, artifacts: retention keeps promoted builds
      .filter(([, { statuses }]) => statuses.length === 0)
      .map(([number]) => number);
    return { status: 204, changes: withoutBuilds(asked, numbers, deleteBuildArtifacts) };
  },

  promoteBuild(asked) {
    requireAdmin(asked, "promote");
    const { buildNumber = "" } = asked.params;
    const { items } = asked.state;
    const build = requireBuild(asked);
    const input = readJsonBody(asked, PromotionInput);
    const { status, ciUser } = input;
    const targetRepo = input.targetRepo === undefined ? undefined : targetOf(asked, input.targetRepo);
    if (input.dependencies) throw notModelled("promotions of dependencies: it keeps none");
    if (input.sourceRepo && build.artifacts.some((key) => !key.startsWith(`${input.sourceRepo}/`)))
      throw notModelled("promotions of a part of the artifacts: some are not in sourceRepo");
    const moves = build.artifacts.map((from) => ({
      from,
      to: targetRepo === undefined || !input.artifacts ? from : from.replace(/^[^/]+/, () => targetRepo),
    }));
    const missing = moves.filter(({ from }) => !Object.hasOwn(items, from));
    const messages = missing.map(({ from }) => ({ level: "ERROR", message: `Unable to find artifact ${from}` }));
    if (messages.length > 0) return { status: 400, body: { messages } };
    if (input.dryRun) return { body: { messages } };
    const promotion = {
      timestamp: timestamp(asked),
      repository: targetRepo,
      ciUser,
      user: asked.account?.username ?? "",
    };
    // Without a status, files move but the build does not record a promotion.
    const statuses = status === undefined ? build.statuses : [...build.statuses, { ...promotion, status }];
    const after = { ...build, artifacts: moves.map(({ to }) => to), statuses };
    return {
      body: { messages },
      changes: {
        items: { ...moves.reduce((before, { from, to }) => promoted(before, from, to, input), items) },
        builds: withBuilds(asked, { ...requireBuilds(asked), [buildNumber]: after }),
      },
    };
  },
} satisfies Answers<ArtifactsState>;

type Builds = ArtifactsState["builds"][string];

function requireBuilds({ state, params: { buildName = "" } }: Asked<ArtifactsState>): Builds {
  const builds = own(state.builds, buildName) ?? {};
  found(Object.keys(builds).at(0), `No build was found for build name: ${buildName}`);
  return builds;
}

function requireBuild(asked: Asked<ArtifactsState>): Build {
  const { buildName, buildNumber = "" } = asked.params;
  const build = own(requireBuilds(asked), buildNumber);
  return found(build, `No build was found for build name: ${buildName} , build number: ${buildNumber}`);
}

function newestFirst(builds: Builds): readonly (readonly [number: string, build: Build])[] {
  return Object.entries(builds).sort(([, a], [, b]) => Date.parse(b.started) - Date.parse(a.started));
}

/** Returns where promoted files go: for a virtual repository where its deployments go. @see docs/facts.md, Artifacts: the promotion of a build */
function targetOf(asked: Asked<ArtifactsState>, key: string): string {
  const { type, defaultDeploymentRepo } = requireRepository(asked, key);
  if (type === "VIRTUAL") return found(defaultDeploymentRepo, `No default deployment repository found for ${key}`);
  requireTarget(asked, key);
  return key;
}

/** Moves or copies one artifact and adds the promotion's properties. */
function promoted(
  items: Items,
  from: string,
  to: string,
  { copy, properties }: z.output<typeof PromotionInput>,
): Items {
  const there = from === to ? items : copied(items, from, to);
  const left = from === to || copy ? there : withoutItem(there, from);
  const item = left[to];
  return item === undefined ? left : { ...left, [to]: { ...item, properties: { ...item.properties, ...properties } } };
}

/** Moves the records of builds of the requested name and, if requested, their artifacts to the trash. */
function withoutBuilds(asked: Asked<ArtifactsState>, numbers: readonly string[], artifacts: boolean) {
  const { buildName = "" } = asked.params;
  const builds = requireBuilds(asked);
  const record = newFile(asked, { size: 0, sha1: "", sha256: "" });
  const records = numbers.map((number) => [
    `${trashcan}/${buildRepository}/${encodeURIComponent(buildName)}/${number}-${Date.parse(builds[number]?.started ?? record.created)}.json`,
    record,
  ]);
  const made = artifacts ? numbers.flatMap((number) => builds[number]?.artifacts ?? []) : [];
  const items = made.reduce((before: Items, key) => trashed(before, key), asked.state.items);
  const kept = Object.entries(builds).filter(([number]) => !numbers.includes(number));
  return {
    items: withFolders({ ...items, ...Object.fromEntries(records) }),
    builds: withBuilds(asked, Object.fromEntries(kept)),
  };
}

/** Returns all builds, with those of the requested name replaced. */
function withBuilds({ state, params }: Asked<ArtifactsState>, builds: Builds): ArtifactsState["builds"] {
  return { ...state.builds, [params.buildName ?? ""]: builds };
}

function buildUri({ base, params }: Asked): string {
  return `${base}/api/build/${encodeURIComponent(params.buildName ?? "")}`;
}
