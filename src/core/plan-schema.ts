import { z } from "zod";
import { risks } from "./change.ts";
import type { Json } from "./json.ts";
import { type ProblemCode, problemCodes } from "./problem.ts";
import { Sink } from "./sink.ts";

/*
 * What a saved plan and a report look like: the types of plan.ts and outcome.ts as schemas. A test holds them equal.
 * Unknown members are refused: a plan of another version must not be half understood.
 */

const JsonValue: z.ZodType<Json> = z.json().meta({ id: "Json", description: "Any JSON." });
const Args = z.record(z.string(), JsonValue.optional()).readonly();
const Address = z.string().describe("`service/Kind/key`.");
const Addresses = z.array(Address).readonly();
const Counts = z.record(z.string(), z.int()).readonly();
const Verdict = z.enum(["pending", "drift", "conflict"]).describe("Who moved: we, they, both.");
const Code = z
  .enum(Object.keys(problemCodes).filter(isProblemCode))
  .describe("A stable code; see the list of problems.");

function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problemCodes, text);
}

const Place = z
  .strictObject({
    file: z.string().describe("Path relative to the workspace."),
    line: z.int().describe("Counts from 1."),
    column: z.int().describe("Counts from 1."),
    length: z.int().exactOptional().describe("Characters that the problem is about."),
    excerpt: z.array(z.string()).readonly().exactOptional().describe("Lines, the last one being `line` itself."),
  })
  .readonly();

const ProblemSchema = z
  .strictObject({
    code: Code,
    message: z.string().describe("What is wrong and what was expected."),
    hint: z.string().exactOptional().describe("What to do next."),
    place: Place.exactOptional(),
    other: Place.exactOptional().describe("A second place that belongs to the problem."),
    service: z.string().exactOptional(),
    operation: z.string().exactOptional(),
    address: Address.exactOptional(),
  })
  .readonly()
  .meta({ id: "Problem" });

/** Several problems, where nothing else came of a run. */
export const ProblemsSchema = z
  .strictObject({ version: z.literal(1), problems: z.array(ProblemSchema).readonly() })
  .readonly();

/** JSON has no `undefined`: it is what a member that was left out is read as. */
const side = JsonValue.optional().transform((value): Json | undefined => value);

const FieldDifference = z
  .strictObject({
    path: z.array(z.string()).readonly().describe("Names from the top of the specification down."),
    live: side.describe("Left out where the service does not have the field."),
    desired: side.describe("Left out where the manifest takes the field away."),
    verdict: Verdict,
  })
  .readonly();

const PlannedChange = z
  .strictObject({
    address: Address,
    service: z.string(),
    kind: z.string(),
    key: z.string(),
    action: z.enum(["create", "update", "delete", "check"]).describe("`check`: no call can close it."),
    verdict: Verdict,
    fields: z.array(FieldDifference).readonly(),
    risks: z.array(z.enum(risks)).readonly(),
    note: z.string().exactOptional().describe("What the service says about the object."),
    instruction: z.string().exactOptional().describe("For a check: what a person has to do."),
    dependsOn: Addresses.describe("Changes that must be closed first."),
    phase: z.int(),
  })
  .readonly();

const Delivery = z
  .strictObject({
    from: z.string().describe("The member of the answer that is the secret."),
    to: Sink,
    otherwise: z
      .strictObject({ operation: z.string(), argument: z.string(), from: z.string() })
      .readonly()
      .describe("The call that takes the secret back where it could not be delivered."),
  })
  .readonly()
  .describe("What becomes of the secret in the answer.");

const PlannedCall = z
  .strictObject({
    id: z.int(),
    service: z.string(),
    operation: z.string(),
    args: Args.describe("Secrets are references."),
    carries: Addresses.describe("The resources whose changes this call closes."),
    phase: z.int(),
    lane: z.string().describe("The remote object: `service scope`. Calls of a lane run in order."),
    deliver: Delivery.exactOptional(),
  })
  .readonly();

/** A plan as it is saved. */
export const PlanSchema = z
  .strictObject({
    version: z.literal(1),
    base: z.string().exactOptional().describe("The git ref that was compared with."),
    services: z
      .array(
        z
          .strictObject({
            name: z.string(),
            role: z.string(),
            url: z.string(),
            reads: z.int().describe("Requests made to read the live state."),
          })
          .readonly(),
      )
      .readonly(),
    changes: z.array(PlannedChange).readonly(),
    inSync: Addresses,
    unknown: z
      .array(z.strictObject({ address: Address, service: z.string(), problem: ProblemSchema }).readonly())
      .readonly()
      .describe("Resources whose live state could not be read; nothing is done about them."),
    ignored: z
      .array(z.strictObject({ address: Address, field: z.string() }).readonly())
      .readonly()
      .describe("Fields that differ and are not managed."),
    unmanaged: Addresses.exactOptional().describe("Live objects of the declared kinds that nobody declares."),
    refusals: z.array(ProblemSchema).readonly().describe("A plan that has any is not applied."),
    calls: z.array(PlannedCall).readonly().describe("What an apply sends, in order."),
    forecast: z
      .strictObject({
        writes: Counts.describe("Calls by `service.operation`."),
        verifyScopes: z.int().describe("Remote objects that are read again."),
      })
      .readonly(),
    fingerprints: z.record(z.string(), z.string()).readonly().describe("SHA-256 of what was seen, by lane."),
  })
  .readonly();

const CallOutcome = z
  .strictObject({
    id: z.int().describe("The id of the plan's call."),
    result: z.enum(["done", "failed", "lost", "skipped"]).describe("`lost`: sent, but the answer never came."),
    duration: z.number().describe("Milliseconds between sending and answer."),
    problem: ProblemSchema.exactOptional(),
  })
  .readonly();

const Outcome = z
  .strictObject({
    address: Address,
    result: z
      .enum(["applied", "failed", "skipped", "stale", "unknown"])
      .describe("`applied`: read back and as desired."),
    problem: ProblemSchema.exactOptional(),
  })
  .readonly();

/** The result of one apply. */
export const ReportSchema = z
  .strictObject({
    version: z.literal(1),
    run: z.string(),
    journal: z.string().describe("Path of the run's journal."),
    plan: PlanSchema,
    calls: z.array(CallOutcome).readonly(),
    outcomes: z.array(Outcome).readonly(),
    requests: z
      .record(z.string(), z.strictObject({ reads: z.int(), writes: z.int() }).readonly())
      .readonly()
      .describe("Requests sent after planning, by service."),
  })
  .readonly();
