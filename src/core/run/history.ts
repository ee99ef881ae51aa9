import { z } from "zod";
import { Verdict } from "../change.ts";
import { listOf, objectOf } from "../readonly.ts";
import { Address } from "../resource.ts";

/** How many resources a run found with each verdict. */
const Counts = objectOf({
  inSync: z.int(),
  pending: z.int(),
  drift: z.int(),
  conflict: z.int(),
  unknown: z.int(),
  check: z.int().describe("The changes that need a person."),
  acknowledged: z.int().describe("Resources with a difference that is ignored until a day."),
});

/** A resource that was not as desired, or not known, in a run. */
const Finding = objectOf({
  address: Address,
  verdict: z.enum([...Verdict.options, "unknown"]),
  firstSeen: z.string().describe("The run that saw it first, with no run since then that did not."),
  by: z.string().exactOptional().describe("Who changed it last, as its service says."),
});

/**
 * A line of a history: what one run saw. Times are in UTC, such as `2027-01-14T02:00:00.000Z`. What reads and writes it is in
 * another file, because the program of the page has this type and no Node.
 */
export const HistoryEntry = objectOf({
  version: z.literal(1),
  at: z.string(),
  command: z.enum(["plan", "drift", "apply"]),
  counts: Counts,
  findings: listOf(Finding),
});
export type HistoryEntry = z.infer<typeof HistoryEntry>;
