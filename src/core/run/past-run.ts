import type { PlannedCall } from "../call.ts";
import type { Address } from "../resource.ts";
import type { Outcome } from "./outcome.ts";

/** What the journal of a run says. */
export interface PastRun {
  readonly run: string;
  /** When it began, if the journal says so. */
  readonly at?: string;
  readonly by?: string;
  /**
   * `ended`: every change has a result, such as a failure. `stopped`: it was interrupted, lost its lease, or could not
   * write its journal, and the rest was left out. `open`: the journal has no end, since the run was killed or is still
   * going.
   */
  readonly state: "ended" | "stopped" | "open";
  /** Whether the last line is incomplete. */
  readonly torn: boolean;
  /** Lines that are damaged, counted from 1: what they said is missing here. */
  readonly damaged: readonly number[];
  /** What was to be changed, with its result; if the run did not get to reading it again, `sent`, or `unknown` if a call is open. */
  readonly changes: readonly {
    readonly address: Address;
    readonly action?: "create" | "update" | "delete";
    readonly result: Outcome["result"] | "sent";
    /** Why it was not applied. */
    readonly problem?: { readonly code: string; readonly message: string } | undefined;
  }[];
  /** Calls that were about to be sent, or were sent, and whose result is not known. */
  readonly open: readonly Pick<PlannedCall, "id" | "service" | "operation" | "carries">[];
}
