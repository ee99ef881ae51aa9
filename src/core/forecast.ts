import { z } from "zod";
import { Quota } from "./quota.ts";
import { objectOf } from "./readonly.ts";

/** What an apply asks of one service. */
export const ServiceForecast = objectOf({
  requests: z.int().describe("Calls, and about as many reads as it takes to see what they did."),
  seconds: z
    .int()
    .exactOptional()
    .describe("How long they take at the pace of this plan's reads; left out if those were too few to tell."),
  quota: Quota.unwrap()
    .extend({ after: z.int().describe("What they leave of it; below 0 if it does not suffice.") })
    .readonly()
    .exactOptional()
    .describe("What the service says that it takes; left out if it does not say."),
});
export type ServiceForecast = z.infer<typeof ServiceForecast>;
