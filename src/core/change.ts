import { z } from "zod";
import type { Problem } from "./problem.ts";
import { listOf, objectOf } from "./readonly.ts";
import { type Address, Point } from "./resource.ts";
import { Json } from "./text/json.ts";
import { timeOf } from "./text/moment.ts";

/** One event in the life of an object: who, when and why, in the service's own words and as far as it says. */
export const ObjectEvent = objectOf({
  what: z.enum(["built", "configured", "created", "edited", "promoted", "used"]),
  name: z.string().exactOptional().describe("Which part of the object, such as the number of a build."),
  by: z.string().exactOptional().describe("The account, as the service names it."),
  at: z.string().exactOptional().describe("The time in UTC, such as `2027-01-13T18:04:00.000Z`."),
  message: z.string().exactOptional(),
  version: z.int().exactOptional().describe("The version of the object that the event made."),
  commit: z.string().exactOptional().describe("The commit that the event made."),
});
export type ObjectEvent = z.infer<typeof ObjectEvent>;

/** The time of an event, from milliseconds since 1970 or a string with its time zone; empty for anything else. */
export function eventTime(moment: number | string | undefined): Pick<ObjectEvent, "at"> {
  const date = new Date(typeof moment === "string" ? timeOf(moment) : (moment ?? Number.NaN));
  return Number.isNaN(date.getTime()) ? {} : { at: date.toISOString() };
}

/** What an observation says besides, each part as its schema. */
export const observedBesides = {
  note: z.string().exactOptional(),
  ahead: z.string().exactOptional(),
  events: listOf(ObjectEvent).exactOptional(),
  isHeld: z.literal(true).exactOptional(),
};
type Besides = Readonly<z.infer<z.ZodObject<typeof observedBesides>>>;

/**
 * What a service says about one resource.
 *
 * `marker` is what a later write must know and no user states: a version, an id, the rest of the remote object. It is
 * `undefined` for kinds that need none. `note` is shown beside a difference; `ahead`, which says what else closing the
 * difference does, only in a plan of what to do. `events` is what the same read says about who changed the object; it is
 * not part of the object's state. `isHeld`: the service has said that the sink holds the object's secret, whatever the
 * journals say. `leaving` is an object that counts as absent and still has an effect, which a delete must end. `unknown`
 * is never treated as absent.
 */
export type Observation<Spec = unknown, Marker = unknown> =
  | (Besides & { readonly is: "present"; readonly spec: Spec; readonly marker: Marker })
  | (Pick<Besides, "note"> & { readonly is: "absent"; readonly marker: Marker; readonly leaving?: Spec })
  | { readonly is: "unknown"; readonly problem: Problem };

/** What changed: the manifests (pending), the service (drift), or both (conflict). */
export const Verdict = z
  .enum(["pending", "drift", "conflict"])
  .describe("What changed: the manifests (`pending`), the service (`drift`), or both (`conflict`).");
export type Verdict = z.infer<typeof Verdict>;

/** What a change would widen, narrow or lose. */
export const Risk = z.enum(["widens-access", "narrows-access", "irreversible", "secret-rotates"]);
export type Risk = z.infer<typeof Risk>;

/** JSON has no `undefined`. A member that was left out is read as undefined. */
const side = Json.optional().transform((value): Json | undefined => value);

/** One field whose live value is not the desired one. `undefined` means that the side does not have the field. */
export const FieldDifference = objectOf({
  path: listOf(z.string()).describe("Names from the top of the specification down, without array indexes."),
  live: side.describe("Left out if the service does not have the field."),
  desired: side.describe("Left out if the manifest removes the field."),
  verdict: Verdict,
  place: Point.exactOptional().describe("Where the manifest states the field; left out if it does not."),
});
export type FieldDifference = z.infer<typeof FieldDifference>;

/** Returns the top-level fields that differ, each once. */
export function fieldsIn({ fields }: { readonly fields: readonly Pick<FieldDifference, "path">[] }): readonly string[] {
  return [...new Set(fields.flatMap(({ path: [name] }) => name ?? []))];
}

interface ChangeBase<Marker> {
  readonly address: Address;
  readonly key: string;
  readonly verdict: Verdict;
  /** What a write must know, from the observation. */
  readonly marker: Marker;
}

/**
 * The decision for one resource that is not as desired.
 *
 * `desired` of an update is complete: fields that the manifest does not state, or ignores, have their live values.
 * `kept` names what another declared resource now claims (see `Kind.claims`) and this one no longer does.
 * A `check` is a difference in a kind without writes, or one that no call can close: it needs a person.
 */
export type Change<Spec = unknown, Marker = unknown> =
  | (ChangeBase<Marker> & { readonly action: "create"; readonly desired: Spec })
  | (ChangeBase<Marker> & {
      readonly action: "update";
      readonly desired: Spec;
      readonly live: Spec;
      readonly fields: readonly FieldDifference[];
      readonly kept: readonly string[];
    })
  | (ChangeBase<Marker> & {
      readonly action: "delete";
      /** As the manifest, or the base, states it. */
      readonly declared: Spec;
      readonly live: Spec;
      readonly kept: readonly string[];
    })
  | (ChangeBase<Marker> & {
      readonly action: "check";
      readonly desired: Spec;
      readonly live: Spec | undefined;
      readonly fields: readonly FieldDifference[];
      /** What a person has to do, in words. */
      readonly instruction: string;
    });

/** A change that calls can close. */
export type Writable<Spec = unknown, Marker = unknown> = Exclude<Change<Spec, Marker>, { readonly action: "check" }>;
export type Update<Spec = unknown, Marker = unknown> = Extract<Change<Spec, Marker>, { readonly action: "update" }>;
