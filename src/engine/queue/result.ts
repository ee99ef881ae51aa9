import { z } from "zod";
import { type Observation, observedBesides, type Writable } from "../../core/change.ts";
import { Problem, type ProblemCode } from "../../core/problem.ts";
import { listOf } from "../../core/readonly.ts";
import type { Address } from "../../core/resource.ts";
import { Json } from "../../core/text/json.ts";
import { jsonIn } from "../../core/text/json-text.ts";
import { completed } from "../../planner/decide.ts";
import type { Target } from "../../planner/subjects.ts";
import type { Job } from "./job.ts";

/** JSON has no `undefined`; a missing member is read as `undefined`. */
const marker = Json.optional().transform((value): unknown => value);

const Spec = z.record(z.string(), Json);

/** An observation as a worker returns it. */
const Seen = z.discriminatedUnion("is", [
  z.strictObject({ is: z.literal("present"), spec: Spec, marker, ...observedBesides }),
  z.strictObject({ is: z.literal("absent"), marker, note: observedBesides.note, leaving: Spec.exactOptional() }),
  z.strictObject({ is: z.literal("unknown"), problem: Problem }),
]);

/** The result of a job: the observation of each target, in the order of the job, or null if the service's answer lacks it. */
export const JobResult = z.strictObject({
  /** Requests that the worker has sent since its last result. */
  reads: z.int().min(0),
  seen: listOf(z.nullable(Seen)),
});
export type JobResult = z.infer<typeof JobResult>;

/** Problems that may pass, so that the question is asked again. */
const transient: ReadonlySet<ProblemCode> = new Set(["SP3008", "SP3009", "SP3101", "SP3102", "SP3104", "SP5008"]);

/** Whether an observation is unknown for a reason that may pass. */
export function isTransient(observation: Observation | null | undefined): boolean {
  return observation?.is === "unknown" && transient.has(observation.problem.code);
}

const strangeHint = "Check who can write to the queue, and that all workers are of this version.";

/** Returns the targets of a job, in the order of its result. */
function targetsOfJob({ scopes }: Pick<Job, "scopes">): readonly Target[] {
  return scopes.flatMap(({ targets }) => targets);
}

/**
 * Returns the observations in a result of a job. The text comes from outside: if it is not a result, or not one of this job, all
 * targets are unknown, and none is ever absent.
 */
export function readJobResult(
  text: string,
  job: Job,
): { readonly reads: number; readonly observations: readonly (readonly [Address, Observation])[] } {
  const targets = targetsOfJob(job);
  const { data: result } = JobResult.safeParse(jsonIn(text));
  if (result === undefined || result.seen.length !== targets.length) {
    const message = "A worker returned something that is not a result of its job.";
    return { reads: 0, observations: unknownOf(job, { code: "SP5009", message, hint: strangeHint }) };
  }
  const observations = targets.flatMap((target, index) => {
    const seen = result.seen[index] ?? null;
    return seen === null ? [] : [[target.address, fitting(seen, target)] as const];
  });
  return { reads: result.reads, observations };
}

/** Returns all targets of a job as unknown, for one reason. */
export function unknownOf(job: Job, problem: Problem): readonly (readonly [Address, Observation])[] {
  const { service } = job;
  return targetsOfJob(job).map(({ address }) => [
    address,
    { is: "unknown", problem: { service, address, ...problem } },
  ]);
}

function fitting(seen: Observation, target: Target): Observation {
  if (seen.is === "unknown" || isTaken(seen, target)) return seen;
  const { kind, service, address } = target;
  const message = `A worker returned something that is not of kind ${kind.kind}.`;
  return { is: "unknown", problem: { code: "SP5009", service, address, message, hint: strangeHint } };
}

/**
 * Whether the kind's own functions accept it as the state before any change. An observed specification may have more than a
 * manifest may state, and only the kind knows its markers.
 */
function isTaken(
  seen: Exclude<Observation, { readonly is: "unknown" }>,
  { kind, address, scope, specs }: Target,
): boolean {
  const { marker } = seen;
  const live = seen.is === "present" ? seen.spec : seen.leaving;
  const common = { address, key: address, verdict: "pending", marker } as const;
  const changesTo = (spec: unknown): readonly Writable[] =>
    live === undefined
      ? [{ ...common, action: "create", desired: spec }]
      : [
          { ...common, action: "update", desired: completed(spec, live, []), live, fields: [], kept: [] },
          { ...common, action: "delete", declared: spec, live, kept: [] },
        ];
  try {
    if (live !== undefined) {
      kind.key(live);
      kind.normalize?.(live);
      kind.claims?.(live, marker);
      kind.references?.(live, marker);
      // What happened to the service is judged as a change to what is there.
      kind.risk?.({ ...common, action: "create", desired: live });
    }
    for (const spec of specs) {
      kind.claims?.(spec, marker);
      for (const change of changesTo(spec)) {
        kind.needsPerson?.(change);
        kind.risk?.(change);
        kind.compile?.([change], scope);
      }
    }
    return true;
  } catch {
    return false;
  }
}
