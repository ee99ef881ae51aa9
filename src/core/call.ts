import type { JsonObject } from "./json.ts";
import type { Address } from "./resource.ts";
import type { Delivery } from "./sink.ts";

/**
 * One operation with its arguments, as data: shown, counted, saved, reviewed and refused before anything is sent.
 * Secrets in `args` are references.
 */
export interface Call {
  readonly operation: string;
  readonly args: JsonObject;
  /** The resources whose changes this call closes. */
  readonly carries: readonly Address[];
  /** Set where the answer holds a new secret: where it goes before the next call of the lane is made. */
  readonly deliver?: Delivery;
}

/** A call with its place in a plan. Calls of one lane run in order; lanes of a phase run side by side. */
export interface PlannedCall extends Call {
  readonly id: number;
  readonly service: string;
  readonly phase: number;
  /** The remote object: `service scope`. */
  readonly lane: string;
}
