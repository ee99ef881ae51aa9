import { z } from "zod";
import { Risk } from "../change.ts";
import { listOf, mapOf, objectOf } from "../readonly.ts";
import { Address } from "../resource.ts";

/*
 * A run can look at a part of what is declared: at what a change of the manifests affects, or at one of several shards.
 */

const words = listOf(z.string());
const keysByKind = mapOf(words);

/** What a plan of what changed since the base looked at. */
export const Affected = objectOf({
  resources: z.int().describe("Resources that were looked at."),
  others: z.int().describe("Resources that were not looked at: nothing is said about them."),
  rules: words
    .exactOptional()
    .describe(
      "Services, and kinds as `service/Kind`, whose rules in the workspace file changed: all of their resources were looked at.",
    ),
});
export type Affected = z.infer<typeof Affected>;

/** One of several shards, with everything that merging them needs. */
export const Shard = objectOf({
  index: z.int().min(1).describe("Counts from 1."),
  of: z.int().min(1).describe("Shards in all."),
  digest: z
    .string()
    .describe("SHA-256 of what all shards must agree on: the manifests, the base, the rules and the options."),
  commit: z.string().exactOptional().describe("The commit that was checked out; left out outside of a repository."),
  services: listOf(objectOf({ name: z.string(), role: z.string(), url: z.string() })).describe(
    "The services of the workspace, in its order.",
  ),
  resources: listOf(keysByKind).describe("What each shard looks at, the first one first: keys by `service/Kind`."),
  live: mapOf(z.int()).describe("Live resources that were seen, by `service/Kind`."),
  protected: listOf(Address).describe("Protected resources that the shard's changes would delete."),
  guards: objectOf({
    maxDeletes: z.int().exactOptional(),
    maxDeletePercent: z.number(),
    accept: listOf(Risk),
    noDeletes: z.boolean(),
    noExec: z.boolean(),
  }).describe("The rules that refuse a plan. They are about the whole, so no shard is refused."),
  narrowed: z
    .boolean()
    .describe("Whether `--service`, `--kind`, `--only` or `--label` left something out of all shards."),
});
export type Shard = z.infer<typeof Shard>;
