import { createHash } from "node:crypto";
import type { PlannedCall } from "../core/call.ts";
import type { Change, Writable } from "../core/change.ts";
import { canonicalJson } from "../core/json.ts";
import type { Kind } from "../core/kind.ts";
import type { Operation, OperationTable } from "../core/operation.ts";
import { asJson } from "./compare.ts";

/** A change with the phase in which calls close it. */
export interface PhasedChange {
  readonly change: Change;
  readonly kind: Kind;
  readonly service: string;
  readonly scope: string;
  /** What the service says about the object. */
  readonly note: string | undefined;
  readonly phase: number;
}

/** The name of a remote object: calls of one lane run in order. */
export function laneOf({ service, scope }: Pick<PhasedChange, "service" | "scope">): string {
  return `${service} ${scope}`;
}

/**
 * Compiles all changes: those of one phase, kind and scope at once, then joins calls on one remote object as their
 * operation says. The result is in the order of execution.
 */
export function compileCalls(
  phased: readonly PhasedChange[],
  operationsOf: (service: string) => OperationTable,
): readonly PlannedCall[] {
  const groups = Map.groupBy(phased, (one) => JSON.stringify([one.phase, laneOf(one), one.kind.kind]));
  const calls = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { kind, service, scope, phase } = first;
    const changes = group.flatMap(({ change }): readonly Writable[] => (change.action === "check" ? [] : [change]));
    const compiled = changes.length === 0 ? [] : (kind.compile?.(changes, scope) ?? []);
    return compiled.map((call) => ({ ...call, service, phase, lane: laneOf(first) }));
  });
  const mergeOf = ({ service, operation }: Unnumbered) => operationsOf(service)[operation]?.merge;
  const onObject = Map.groupBy(calls, (call, index) => {
    const merge = mergeOf(call);
    return merge === undefined
      ? index
      : JSON.stringify([call.phase, call.service, call.operation, merge.object(call.args)]);
  });
  return [...onObject.values()]
    .flatMap(([first, ...later]) => (first === undefined ? [] : [joined(first, later, mergeOf(first))]))
    .sort((a, b) => a.phase - b.phase || (a.lane < b.lane ? -1 : a.lane > b.lane ? 1 : 0))
    .map((call, index) => ({ id: index + 1, ...call }));
}

type Unnumbered = Omit<PlannedCall, "id">;

/** Calls on one remote object as one that carries what all of them carry. */
function joined(first: Unnumbered, later: readonly Unnumbered[], merge: Operation["merge"]): Unnumbered {
  if (merge === undefined || later.length === 0) return first;
  const args = later.reduce<Record<string, unknown>>((earlier, call) => merge.join(earlier, call.args), first.args);
  return { ...first, args: asJson(args), carries: [first, ...later].flatMap(({ carries }) => carries) };
}

/** A fingerprint of what was seen: SHA-256 of its canonical JSON, in hexadecimal. */
export function fingerprint(seen: unknown): string {
  return createHash("sha256").update(canonicalJson(seen)).digest("hex");
}
