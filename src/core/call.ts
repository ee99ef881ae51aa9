import { z } from "zod";
import { Json } from "./json.ts";
import { Address } from "./resource.ts";
import { Delivery } from "./sink.ts";

/** A call with its place in a plan. Calls of one lane run in order; lanes of a phase run side by side. */
export const PlannedCall = z
  .strictObject({
    id: z.int(),
    service: z.string(),
    operation: z.string(),
    args: z.record(z.string(), Json.optional()).readonly().describe("Secrets are references."),
    carries: z.array(Address).readonly().describe("The resources whose changes this call closes."),
    phase: z.int(),
    lane: z.string().describe("The remote object: `service scope`. Calls of a lane run in order."),
    deliver: Delivery.exactOptional().describe(
      "What becomes of the new secret in the answer, before the next call of the lane is made.",
    ),
  })
  .readonly();
export type PlannedCall = z.infer<typeof PlannedCall>;

/**
 * One operation with its arguments, as data: shown, counted, saved, reviewed and refused before anything is sent.
 * Secrets in `args` are references.
 */
export type Call = Omit<PlannedCall, "id" | "service" | "phase" | "lane">;
