import type { Plan } from "./plan.ts";
import type { Problem } from "./problem.ts";
import type { Address } from "./resource.ts";

/** What became of one call. `lost`: sent, but the answer never came; reading again decides. */
export interface CallOutcome {
  readonly id: number;
  readonly result: "done" | "failed" | "lost" | "skipped";
  /** Milliseconds between sending and answer; 0 for a skipped call. */
  readonly duration: number;
  readonly problem?: Problem;
}

/** What became of one changed resource. Only a change that was read back is `applied`. */
export interface Outcome {
  readonly address: Address;
  readonly result: "applied" | "failed" | "skipped" | "stale" | "unknown";
  readonly problem?: Problem;
}

/** The result of one apply. */
export interface Report {
  readonly version: 1;
  /** `time-random`, the name of the run's journal. */
  readonly run: string;
  readonly journal: string;
  readonly plan: Plan;
  readonly calls: readonly CallOutcome[];
  readonly outcomes: readonly Outcome[];
  /** Requests sent, by service, after planning: writes and the reads that verified them. */
  readonly requests: Readonly<Record<string, { readonly reads: number; readonly writes: number }>>;
}
