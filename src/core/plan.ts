import type { PlannedCall } from "./call.ts";
import type { FieldDifference, Risk, Verdict } from "./change.ts";
import type { Problem } from "./problem.ts";
import type { Address, Role } from "./resource.ts";

/** A change as a plan shows it. */
export interface PlannedChange {
  readonly address: Address;
  readonly service: string;
  readonly kind: string;
  readonly key: string;
  readonly action: "create" | "update" | "delete" | "check";
  readonly verdict: Verdict;
  /** Differences of an update or a check; the stated fields of a create; none for a delete. */
  readonly fields: readonly FieldDifference[];
  readonly risks: readonly Risk[];
  /** What the service says about the object, such as who changed it last. */
  readonly note?: string;
  /** For a check: what a person has to do. */
  readonly instruction?: string;
  /** Changed resources that must be closed first. */
  readonly dependsOn: readonly Address[];
  readonly phase: number;
}

/** A resource whose live state could not be read; nothing is done about it. */
export interface UnknownResource {
  readonly address: Address;
  readonly service: string;
  readonly problem: Problem;
}

/** A service of the workspace that the plan looked at. */
export interface PlannedService {
  readonly name: string;
  readonly role: Role;
  readonly url: string;
  /** Requests made to read the live state. */
  readonly reads: number;
}

/** A field that differs and is not managed because its manifest ignores it. */
export interface IgnoredField {
  readonly address: Address;
  readonly field: string;
}

/**
 * What is shown, saved, published and executed: one value, plain JSON.
 *
 * `calls` close every change but those of action `check`; a plan with `refusals` is not applied.
 */
export interface Plan {
  readonly version: 1;
  /** The git ref that was compared with, if any. */
  readonly base?: string;
  readonly services: readonly PlannedService[];
  readonly changes: readonly PlannedChange[];
  readonly inSync: readonly Address[];
  readonly unknown: readonly UnknownResource[];
  readonly ignored: readonly IgnoredField[];
  /** Live objects of the declared kinds that nobody declares; there only where they were asked for. */
  readonly unmanaged?: readonly Address[];
  readonly refusals: readonly Problem[];
  readonly calls: readonly PlannedCall[];
  /** What an apply would send: writes by `service.operation`, and the reads that verify them. */
  readonly forecast: { readonly writes: Readonly<Record<string, number>>; readonly verifyScopes: number };
  /** SHA-256 of what was seen, by lane: `service scope`. */
  readonly fingerprints: Readonly<Record<string, string>>;
}
