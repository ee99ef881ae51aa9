import { z } from "zod";
import type { Reader } from "../../core/operation.ts";
import { zonedTime } from "../../core/text/moment.ts";
import { commaList, get, read, send, write } from "../table.ts";
import { Bit } from "./arguments.ts";
import { browseOperations } from "./browse.ts";
import { itemOperations, tokenOperations } from "./items.ts";
import { BuildList, BuildRecord, inWords, PromotionResult } from "./records.ts";

const BuildNumber = z.union([z.string(), z.int()]);

/** Builds, and the promotion of images. @see docs/api/artifacts.md, builds */
const buildOperations = {
  promoteImage: write(send("POST", "/api/docker/{repoKey}/v2/promote", "json"), {
    summary: "Moves or copies an image to another repository, name or tag.",
    args: z.object({
      repoKey: z.string(),
      targetRepo: z.string(),
      dockerRepository: z.string(),
      targetDockerRepository: z.string().optional(),
      tag: z.string().optional(),
      targetTag: z.string().optional(),
      copy: z.boolean().optional(),
    }),
    ...inWords,
  }),
  listBuilds: read(get("/api/build/{buildName}"), {
    summary: "The builds with a name. A name without builds is not found.",
    args: z.object({ buildName: z.string() }),
    result: BuildList,
  }),
  getBuild: read(get("/api/build/{buildName}/{buildNumber}"), {
    summary: "A build's record.",
    args: z.object({ buildName: z.string(), buildNumber: BuildNumber }),
    result: BuildRecord,
  }),
  deleteBuilds: write(send("DELETE", "/api/build/{buildName}?buildNumbers&artifacts", "none"), {
    summary: "Deletes builds by number, with their artifacts if `artifacts` is set.",
    args: z.object({
      buildName: z.string(),
      buildNumbers: commaList(z.array(BuildNumber).min(1)),
      artifacts: Bit.optional(),
    }),
    ...inWords,
  }),
  applyRetention: write(send("POST", "/api/build/retention/{buildName}?async", "json"), {
    summary: "Deletes the builds beyond a count or an age, once: no rule is stored.",
    args: z.object({
      buildName: z.string(),
      async: z.boolean().optional(),
      deleteBuildArtifacts: z.boolean().optional(),
      count: z.int().describe("Builds to keep.").optional(),
      minimumBuildDate: z.int().describe("Epoch milliseconds; older builds are deleted.").optional(),
      buildNumbersNotToBeDiscarded: z.array(BuildNumber.transform(String)).optional(),
    }),
    /** @see docs/facts.md, artifacts: the official client sends `count` and `minimumBuildDate` as strings */
    productArgs: ({ count, minimumBuildDate, ...rest }) => ({
      ...rest,
      ...(count === undefined ? {} : { count: String(count) }),
      ...(minimumBuildDate === undefined ? {} : { minimumBuildDate: zonedTime(minimumBuildDate) }),
    }),
    ...inWords,
  }),
  promoteBuild: write(send("POST", "/api/build/promote/{buildName}/{buildNumber}", "json"), {
    summary: "Sets a build's status, and moves or copies its artifacts to another repository.",
    args: z.object({
      buildName: z.string(),
      buildNumber: BuildNumber,
      status: z.string().optional(),
      ciUser: z.string().optional(),
      dryRun: z.boolean().optional(),
      targetRepo: z.string().optional(),
      copy: z.boolean().optional(),
      artifacts: z.boolean().optional(),
      dependencies: z.boolean().optional(),
      scopes: z.array(z.string()).optional(),
      properties: z.record(z.string(), z.array(z.string())).optional(),
    }),
    result: PromotionResult,
  }),
} as const;

/** Operations of the artifact repository (Artifactory). @see docs/api/artifacts.md */
export const artifactsOperations = {
  ...browseOperations,
  ...buildOperations,
  ...itemOperations,
  ...tokenOperations,
} as const;
export type ArtifactsOperations = typeof artifactsOperations;

/** The reading half of the artifact repository's client. */
export type ArtifactsReader = Reader<ArtifactsOperations>;
