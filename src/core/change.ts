import type { Json } from "./json.ts";
import type { Address } from "./resource.ts";

/** Who moved: we (pending), they (drift), both (conflict). */
export type Verdict = "pending" | "drift" | "conflict";

/** What a change would widen, narrow or lose. */
export const risks = ["widens-access", "narrows-access", "irreversible", "secret-rotates"] as const;
export type Risk = (typeof risks)[number];

/** One field whose live value is not the desired one. `undefined` means that the side does not have the field. */
export interface FieldDifference {
  /** Names from the top of the specification down, without array indexes. */
  readonly path: readonly string[];
  readonly live: Json | undefined;
  readonly desired: Json | undefined;
  readonly verdict: Verdict;
}

interface ChangeBase<Marker> {
  readonly address: Address;
  readonly key: string;
  readonly verdict: Verdict;
  /** What the observation said a write must know. */
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
