import { z } from "zod";
import { Problem } from "../problem.ts";
import { listOf, mapOf, objectOf } from "../readonly.ts";
import { Address } from "../resource.ts";
import { Plan } from "./plan.ts";

/** The result of one call. */
export const CallOutcome = objectOf({
  id: z.int().describe("The id of the plan's call, or of its part."),
  result: z
    .enum(["done", "failed", "divided", "lost", "skipped"])
    .describe(
      "`divided`: refused as a whole, so its parts were sent. `lost`: sent, but the answer never came; reading again decides.",
    ),
  duration: z.number().describe("Milliseconds between sending and answer; 0 for a skipped call."),
  problem: Problem.exactOptional(),
});
export type CallOutcome = z.infer<typeof CallOutcome>;

/** The result of one changed resource. */
export const Outcome = objectOf({
  address: Address,
  result: z.enum(["applied", "failed", "skipped", "stale", "unknown"]).describe("`applied`: read back and as desired."),
  problem: Problem.exactOptional(),
});
export type Outcome = z.infer<typeof Outcome>;

/** What happened to the ref that names the last complete apply. */
export const Recorded = objectOf({
  ref: z.string(),
  commit: z.string().describe("The commit of the manifests."),
  moved: z.boolean().describe("Whether the ref names it now. It stays where it was if the apply was not complete."),
  problem: Problem.exactOptional().describe("Why it could not be moved after a complete apply."),
});
export type Recorded = z.infer<typeof Recorded>;

/** The result of one apply. */
export const Report = objectOf({
  version: z.literal(1),
  run: z.string().describe("`time-random`, the name of the run's journal."),
  journal: z.string().describe("Path of the run's journal."),
  plan: Plan,
  calls: listOf(CallOutcome),
  outcomes: listOf(Outcome),
  triggers: listOf(CallOutcome)
    .exactOptional()
    .describe("The results of the plan's triggers; `skipped` if the apply was not complete."),
  recorded: Recorded.exactOptional().describe("What `--record` did; left out without it."),
  requests: mapOf(objectOf({ reads: z.int(), writes: z.int() })).describe(
    "Requests sent after planning, by service: writes and the reads that verified them.",
  ),
  problems: listOf(Problem)
    .exactOptional()
    .describe(
      "What went wrong with the run itself: a journal that could not be written, or a resource that was in sync and no longer is.",
    ),
});
export type Report = z.infer<typeof Report>;

/** The resources that an apply changed as planned. */
export function appliedIn(outcomes: Report["outcomes"] = []): ReadonlySet<Address> {
  return new Set(outcomes.flatMap(({ address, result }) => (result === "applied" ? [address] : [])));
}

/** What an apply left of a plan, or undid: nothing if it was complete. A plan without changes needs no report. */
export function leftBy(
  { changes, unknown }: Plan,
  { outcomes, problems = [] }: Partial<Pick<Report, "outcomes" | "problems">> = {},
): readonly Pick<Problem, "address">[] {
  const applied = appliedIn(outcomes);
  const undone = problems.filter(({ code }) => code === "SP4001");
  return [...changes.filter(({ address }) => !applied.has(address)), ...unknown, ...undone];
}
