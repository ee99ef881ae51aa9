import { z } from "zod";
import { objectOf } from "../readonly.ts";
import { Moment, momentText } from "../text/moment.ts";
import { grouped } from "../text/words.ts";

/** How many requests a service accepts, as it reports itself. */
export const Quota = objectOf({
  limit: z.int().min(0).describe("Requests that it accepts from one reset to the next."),
  remaining: z.int().min(0).describe("How many of them are left."),
  resets: Moment.describe("When it accepts as many as the limit again."),
});
export type Quota = z.infer<typeof Quota>;

/** What was measured of a service's pace and limits. */
export interface Measured {
  /** Requests that have ended. */
  readonly requests: number;
  /** Milliseconds during which at least one request was under way. */
  readonly milliseconds: number;
  /** The quota that the service reported last. */
  readonly quota?: Quota | undefined;
}

/**
 * Returns what is known about a quota after one more answer. Answers arrive in any order: within a period the lowest
 * remainder counts, and a later period replaces an earlier one.
 */
export function quotaAfter(known: Quota | undefined, told: Quota): Quota {
  if (known === undefined || told.resets > known.resets) return told;
  return told.resets === known.resets && told.remaining < known.remaining ? told : known;
}

/** Writes a quota, such as `4,988 of 5,000 requests left until 2026-11-22 10:00 UTC`. */
export function quotaText({ limit, remaining, resets }: Quota): string {
  const [left, all] = [remaining, limit].map(grouped);
  return `${left} of ${all} requests left until ${momentText(resets)}`;
}
