import { z } from "zod";
import type { Acknowledgement } from "./acknowledgement.ts";
import { listOf } from "./readonly.ts";

const point = z.strictObject({
  file: z.string().describe("Path relative to the workspace."),
  line: z.int().describe("Counts from 1."),
  column: z.int().describe("Counts from 1."),
});

/** Where something starts in a file. */
export const Point = point.readonly();
export type Point = z.infer<typeof Point>;

/** A place in a file. */
export const Place = point
  .extend({
    length: z.int().exactOptional().describe("Characters that the problem is about."),
    excerpt: listOf(z.string()).exactOptional().describe("Lines, the last one being `line` itself."),
  })
  .readonly();
export type Place = z.infer<typeof Place>;

/** The role of a service, such as `review`: the name of its folder of kinds, of its client and of its sandbox. */
export type RoleName = string;

/** The address of a resource, for example `review/BranchLock/platform/core:release-2.4`. */
export const Address = z.string().describe("`service/Kind/key`.");
export type Address = z.infer<typeof Address>;

/** Writes the address of a resource. The key can contain slashes; the other two parts cannot. */
export function formatAddress(service: string, kind: string, key: string): Address {
  return `${service}/${kind}/${key}`;
}

/** What no key in a manifest has: a control character or a line break. */
export const strangeInKey = /[\p{Cc}\u2028\u2029]/u;

/** The parts of an address. */
export function addressParts(address: Address): Pick<Resource, "service" | "kind" | "key"> {
  const [service = "", kind = "", ...key] = address.split("/");
  return { service, kind, key: key.join("/") };
}

/** What a document can state besides its specification. */
export interface Metadata {
  readonly labels: Readonly<Record<string, string>>;
  /** A plan that would delete or replace the resource is refused. */
  readonly protect: boolean;
  /** Top-level fields of the specification that are not managed. */
  readonly ignore: readonly string[];
  /** Differences that someone leaves alone until a given day; left out if there are none. */
  readonly acknowledged?: readonly Acknowledgement[];
  /** `absent`: the resource should not exist. */
  readonly state: "present" | "absent";
  /** The first day, in UTC, on which the resource should no longer exist, such as `2027-03-31`. */
  readonly expires?: string;
  readonly note?: string;
}

/** One declared object: a document of a manifest after variables and forEach. */
export interface Resource<Spec = unknown> {
  readonly address: Address;
  readonly service: string;
  readonly role: RoleName;
  readonly kind: string;
  /** Natural identity in the service. */
  readonly key: string;
  /** The remote object that is read and written as one. */
  readonly scope: string;
  readonly spec: Spec;
  readonly metadata: Metadata;
  /** Why the state is not what a document says, as a predicate such as `expired on 2027-03-31`, for readers of the plan. */
  readonly because?: string;
  readonly place: Place;
  /** Set if its document makes one resource for each entry of a list. */
  readonly repeated?: true;
  /** Set if its document is repeated over a list of a service: the manifests alone do not say whether it is declared. */
  readonly listed?: true;
  /**
   * Where the manifest states a field, by its path, or the document itself for an empty path; undefined for a field that
   * it leaves out. Absent if no manifest states the resource.
   */
  readonly statedAt?: (path: readonly string[]) => Point | undefined;
}
