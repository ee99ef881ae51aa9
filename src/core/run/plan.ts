import { z } from "zod";
import { Acknowledgement, Day } from "../acknowledgement.ts";
import { PlannedCall } from "../call.ts";
import { FieldDifference, ObjectEvent, Risk, Verdict } from "../change.ts";
import { Problem } from "../problem.ts";
import { listOf, mapOf, objectOf } from "../readonly.ts";
import { Address, Point } from "../resource.ts";
import { Sink } from "../sink.ts";
import { Json } from "../text/json.ts";
import { Moment } from "../text/moment.ts";
import { Affected, Shard } from "./part.ts";
import { Quota } from "./quota.ts";

/*
 * Plans are strict: an unknown member is refused, because a plan of another version must not be half understood.
 */

/** What someone did to an object on its service: the change from what the manifests say to what exists. */
export const Happened = objectOf({
  action: z.enum(["create", "update", "delete"]),
  risks: listOf(Risk).describe("Whether it widened or narrowed access; it may have done both."),
});
export type Happened = z.infer<typeof Happened>;

/** A change as a plan shows it. */
export const PlannedChange = objectOf({
  address: Address,
  service: z.string(),
  kind: z.string(),
  key: z.string(),
  place: Point.exactOptional().describe("Where the manifest declares it; left out if no manifest does."),
  repeated: z
    .literal(true)
    .exactOptional()
    .describe("Set if `forEach` makes it: its document cannot be rewritten for it alone."),
  action: z
    .enum(["create", "update", "delete", "check"])
    .describe("What an apply would do. `check`: no call can close it."),
  verdict: Verdict,
  happened: Happened.exactOptional().describe("What was done to the service; left out if only the manifests changed."),
  fields: listOf(FieldDifference).describe(
    "Differences of an update or a check; all fields of a create; the declared fields of a delete as they are.",
  ),
  risks: listOf(Risk).describe("What an apply would widen, narrow or lose."),
  note: z.string().exactOptional().describe("What else is known about the object, such as that it has expired."),
  events: listOf(ObjectEvent)
    .exactOptional()
    .describe("What the service says about the object: who changed it, when and why."),
  instruction: z.string().exactOptional().describe("For a check: what a person has to do."),
  dependsOn: listOf(Address).describe("Changed resources that must be closed first."),
  phase: z.int(),
});
export type PlannedChange = z.infer<typeof PlannedChange>;

/** A resource whose live state could not be read; nothing is done about it. */
export const UnknownResource = objectOf({ address: Address, service: z.string(), problem: Problem });
export type UnknownResource = z.infer<typeof UnknownResource>;

/** A service of the workspace that the plan looked at. */
export const PlannedService = objectOf({
  name: z.string(),
  role: z.string().describe("What the service is, such as `review`."),
  url: z.string(),
  reads: z.int().describe("Requests made to read the live state."),
});
export type PlannedService = z.infer<typeof PlannedService>;

/** What the user who runs a plan agrees to for this run only. */
export const Consent = objectOf({
  accept: listOf(z.string())
    .exactOptional()
    .describe("Risks, and the addresses of protected resources that may be deleted."),
  maxDeletes: z.int().min(0).exactOptional().describe("Replaces `guards.maxDeletes`."),
  maxDeletePercent: z.number().min(0).max(100).exactOptional().describe("Replaces `guards.maxDeletePercent`."),
});
export type Consent = z.infer<typeof Consent>;

/** What a saved plan keeps about the manifests that it was made from. All hashes are SHA-256 in hexadecimal. */
const SavedManifests = objectOf({
  digest: z.string().describe("Of `rules` and `resources`: the same for the same manifests, wherever they are."),
  commit: z.string().exactOptional().describe("The commit that was checked out; left out outside of a repository."),
  rules: mapOf(z.string()).describe("Hashes of the workspace's rules, by name."),
  resources: mapOf(z.string()).describe(
    "Hashes of what is declared, by address, without what is repeated over a service's list.",
  ),
});
export type SavedManifests = z.infer<typeof SavedManifests>;

const words = listOf(z.string());

/** Which question a plan answers, and when it was asked. */
export const About = objectOf({
  command: z
    .enum(["plan", "drift"])
    .describe("`plan`: what an apply would do. `drift`: what happened to the services."),
  at: Moment.describe("When the plan was made: its moment, for what expires and for ages."),
  workspace: z.string().describe("The name of the workspace's folder."),
  environment: z.string().exactOptional().describe("The environment whose values the manifests were read with."),
});
export type About = z.infer<typeof About>;

/** What a saved plan has in addition: what an apply needs in order to recognise what the plan was made from. */
const SavedPart = objectOf({
  expires: Moment.describe("From then on the plan is not applied."),
  manifests: SavedManifests,
  selection: objectOf({ service: words, kind: words, only: words, label: words }).describe(
    "What the plan was narrowed to.",
  ),
  baseCommit: z.string().exactOptional().describe("The commit that `base` named."),
  seal: z.string().describe("SHA-256 of the whole plan except this member, as canonical JSON."),
});
export type SavedPart = z.infer<typeof SavedPart>;

/** A field that differs and is not managed because its manifest ignores it; an acknowledgement says until when and why. */
const IgnoredField = objectOf({
  address: Address,
  field: z.string().describe("A top-level field; `*`: that the resource exists, or does not."),
  until: z.string().exactOptional().describe("The last day, in UTC, on which it is ignored, such as `2027-01-20`."),
  reason: z.string().exactOptional(),
  by: z.string().exactOptional().describe("Who acknowledged it."),
});
export type IgnoredField = z.infer<typeof IgnoredField>;

/** What a plan was compared with, and what happened to the manifests since. */
export const Basis = objectOf({
  ref: z.string().describe("The git ref that was read."),
  commit: z.string().describe("The commit that it named."),
  at: z.string().describe("When the commit was made (ISO 8601)."),
  age: z.string().describe("How long ago that was, such as `3 days`."),
  relation: z
    .enum(["before", "apart", "unknown"])
    .describe(
      "`before`: HEAD comes from it. `apart`: it does not, for example after going back to an older commit. `unknown`: the clone is too shallow to tell.",
    ),
  commits: z.int().describe("Commits of the workspace's folder since then."),
  subjects: listOf(z.string()).describe("Their subjects, the newest first; the first ten."),
});
export type Basis = z.infer<typeof Basis>;

/** A rule that differs from the one at the trusted ref. */
const RuleChange = objectOf({
  file: z.string().describe("The workspace file, a policy's schema or a file of variables."),
  path: listOf(z.string()).describe("Names down to the value; empty for the whole file."),
  trusted: Json.exactOptional().describe("The value at the trusted ref; left out if it has none."),
  head: Json.exactOptional().describe("The value in the workspace; left out if it has none."),
  place: Point.exactOptional().describe("Where the workspace states it."),
});
export type RuleChange = z.infer<typeof RuleChange>;

/** The ref whose rules judge the manifests, and where the workspace itself differs. */
export const Trusted = objectOf({
  ref: z.string().describe("The git ref that the rules were read from."),
  commit: z.string().exactOptional().describe("The commit that the ref named."),
  changes: listOf(RuleChange).describe("Rules that the workspace changes; they are not in effect."),
  onceMerged: listOf(Problem).describe("What the changed rules would judge differently."),
});
export type Trusted = z.infer<typeof Trusted>;

/** What an apply asks of one service. */
export const ServiceForecast = objectOf({
  requests: z
    .int()
    .describe(
      "Calls, and approximately the reads that show what they did and, in a saved plan, those that come first.",
    ),
  seconds: z
    .int()
    .exactOptional()
    .describe("How long they take at the pace of this plan's reads; left out if those were too few to tell."),
  quota: Quota.unwrap()
    .extend({ after: z.int().describe("What they leave of it; below 0 if the quota does not suffice.") })
    .readonly()
    .exactOptional()
    .describe("The quota that the service reports; left out if it reports none."),
});
export type ServiceForecast = z.infer<typeof ServiceForecast>;

/**
 * What is shown, saved, published and executed: one value, plain JSON.
 *
 * `calls` close every change except those of action `check`; a plan with `refusals` is not applied.
 */
export const Plan = objectOf({
  version: z.literal(1),
  about: About,
  base: z.string().exactOptional().describe("The git ref that the plan was compared with."),
  trusted: Trusted.exactOptional().describe(
    "The rules that the manifests were judged by; left out if they are the workspace's own.",
  ),
  basis: Basis.exactOptional(),
  services: listOf(PlannedService),
  changes: listOf(PlannedChange),
  inSync: listOf(Address),
  unknown: listOf(UnknownResource).describe(
    "Resources whose live state could not be read; nothing is done about them.",
  ),
  ignored: listOf(IgnoredField).describe("Fields that differ and are not managed because their manifests ignore them."),
  newlyAcknowledged: listOf(
    Acknowledgement.unwrap()
      .extend({ address: Address, until: Day.exactOptional(), reason: z.string().exactOptional() })
      .readonly(),
  )
    .exactOptional()
    .describe(
      "What the manifests leave alone and those of the base do not, whether or not something differs yet; without a day, it is ignored for good.",
    ),
  newlyDelivered: listOf(objectOf({ address: Address, to: Sink }))
    .exactOptional()
    .describe("Where next secrets go that the base delivers elsewhere, of resources that get none by this plan."),
  unmanaged: listOf(Address)
    .exactOptional()
    .describe("Live objects of the declared kinds that no manifest declares; present only if requested."),
  orphans: listOf(Address)
    .exactOptional()
    .describe("What the base declares on services that left the workspace: it is no longer looked at."),
  consented: Consent.exactOptional().describe("What was agreed to for this run; left out if nothing was."),
  warnings: listOf(Problem)
    .exactOptional()
    .describe(
      "What might be missing in the plan, such as what a damaged journal would say; left out if nothing might.",
    ),
  refusals: listOf(Problem).describe("A plan that has any is not applied."),
  labels: mapOf(mapOf(z.string()))
    .exactOptional()
    .describe("The labels of the declared resources that have any, by address."),
  calls: listOf(PlannedCall).describe("What an apply sends, in order."),
  triggers: listOf(PlannedCall)
    .exactOptional()
    .describe("Sent only after a complete apply, with `${run.id}` replaced; left out if there are none."),
  forecast: objectOf({
    writes: mapOf(z.int()).describe("Calls by `service.operation`."),
    verifyScopes: z.int().describe("Remote objects that are read again."),
    services: mapOf(ServiceForecast)
      .exactOptional()
      .describe("What an apply asks of each service that it calls; a saved plan is not checked against it."),
  }),
  fingerprints: mapOf(z.string()).describe("SHA-256 of what was seen of each remote object that changes, by lane."),
  affected: Affected.exactOptional().describe("Only with `--affected`: what was looked at, and how much was not."),
  shard: Shard.exactOptional().describe("Only with `--shard`: which part of the whole the plan is."),
  saved: SavedPart.exactOptional().describe("Only in a plan that was saved by `plan --out`."),
});
export type Plan = z.infer<typeof Plan>;

/** How many changes have each verdict, and how many need a person. */
export function countsOf(changes: readonly Pick<PlannedChange, "verdict" | "action">[]) {
  const having = (one: Verdict) => changes.filter(({ verdict }) => verdict === one).length;
  const check = changes.filter(({ action }) => action === "check").length;
  return { pending: having("pending"), drift: having("drift"), conflict: having("conflict"), check };
}
