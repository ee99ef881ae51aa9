import { z } from "zod";
import { objectOf } from "../readonly.ts";
import { Quota } from "./quota.ts";

/** What an apply asks of one service. */
export const ServiceForecast = objectOf({
  requests: z.int().describe("Calls, and approximately the reads that show what they did."),
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
