import type { Observation } from "../../core/change.ts";
import { firstProblem, type Problem } from "../../core/problem.ts";

/** What a record says that setpoint does not understand, by name. */
export type Unclear = Readonly<Record<string, unknown>> | undefined;

/**
 * Returns the observation of an object that a record can describe incompletely; without a record, `live` is undefined. A
 * field that the manifest states and the record does not makes the resource unknown: a field that grants something is never
 * assumed to be its default or as desired.
 */
export function asTold<Spec extends object, Marker>(
  wanted: Spec,
  live: Spec | undefined,
  marker: Marker,
  operation: string,
): Observation<Spec, Marker> {
  if (live === undefined) return { is: "absent", marker };
  const told = new Map<string, unknown>(Object.entries(live));
  const untold = Object.entries(wanted).flatMap(([name, value]) =>
    value !== undefined && told.get(name) === undefined ? [name] : [],
  );
  if (untold.length === 0) return { is: "present", spec: live, marker };
  const message = `The service does not report ${untold.join(", ")}, or not in a form that setpoint understands.`;
  const hint = "Leave what cannot be read out of the manifest.";
  return { is: "unknown", problem: { code: "SP3103", operation, message, hint } };
}

/** A kind, as far as it tells which declarations are of one resource. */
interface Keyed<Spec> {
  readonly key: (spec: Spec) => string;
}

/** Returns the current declaration of each resource, the first with its key. */
function currentOf<Spec>(wanted: readonly Spec[], { key }: Keyed<Spec>): readonly (readonly [string, Spec])[] {
  return [...new Map(wanted.toReversed().map((spec) => [key(spec), spec]))].reverse();
}

/** Observes resources one after the other, each by its current declaration. If one fails, all are unknown: it throws. */
export async function observeAll<Spec, Marker>(
  wanted: readonly Spec[],
  kind: Keyed<Spec>,
  observeOne: (spec: Spec) => Observation<Spec, Marker> | Promise<Observation<Spec, Marker>>,
): Promise<ReadonlyMap<string, Observation<Spec, Marker>>> {
  const found = new Map<string, Observation<Spec, Marker>>();
  for (const [key, spec] of currentOf(wanted, kind)) found.set(key, await observeOne(spec));
  return found;
}

/** The same, at the same time. If one fails, only that one is unknown, with its first problem. */
export async function observeEach<Spec, Marker>(
  wanted: readonly Spec[],
  kind: Keyed<Spec>,
  observeOne: (spec: Spec) => Promise<Observation<Spec, Marker>>,
): Promise<ReadonlyMap<string, Observation<Spec, Marker>>> {
  const orUnknown = (error: unknown): Observation<Spec, Marker> => ({ is: "unknown", problem: firstProblem(error) });
  const observed = currentOf(wanted, kind).map(
    async ([key, spec]) => [key, await observeOne(spec).catch(orUnknown)] as const,
  );
  return new Map(await Promise.all(observed));
}

/** Returns the problem of a record that says something that setpoint does not understand; undefined if there is nothing. */
export function unclearIn(what: string, operation: string, unclear: Unclear): Problem | undefined {
  const names = Object.keys(unclear ?? {});
  if (names.length === 0) return undefined;
  return {
    code: "SP3103",
    operation,
    message: `The answer about ${what} has fields that setpoint does not understand: ${names.join(", ")}.`,
    hint: "Inspect the answer with setpoint call, and check with setpoint doctor whether setpoint works with this version.",
  };
}
