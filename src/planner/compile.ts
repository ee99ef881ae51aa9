import { createHash } from "node:crypto";
import type { Call, PlannedCall } from "../core/call.ts";
import type { Change, Writable } from "../core/change.ts";
import { mistakesOf, named, unshown } from "../core/issues.ts";
import { canonicalJson } from "../core/json.ts";
import type { Kind } from "../core/kind.ts";
import type { Operation, OperationTable } from "../core/operation.ts";
import type { Problem } from "../core/problem.ts";
import type { Place, Resource } from "../core/resource.ts";
import type { Service } from "../core/service.ts";

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

/** The operations of a service. Under `wire: documented` those that its API documents leave out are not sent. */
export interface Offered {
  readonly table: OperationTable;
  readonly wire: Service["wire"];
}

/** The row of a call that a kind made. */
export function rowOf({ kind }: Kind, { operation }: Call, table: OperationTable): Operation {
  const row = Object.hasOwn(table, operation) ? table[operation] : undefined;
  if (row?.effect === "write") return row;
  throw new Error(`${kind} calls ${operation}, but its service has no such write`);
}

/** The name of a remote object: calls of one lane run in order. */
export function laneOf({ service, scope }: Pick<PhasedChange, "service" | "scope">): string {
  return `${service} ${scope}`;
}

/**
 * Compiles all changes: those of one phase, kind and scope at once, then joins calls on one remote object as their
 * operation says. The result is in the order of execution; `problems` are the arguments that could not be sent.
 */
export function compileCalls(
  phased: readonly PhasedChange[],
  { offeredBy, desired }: { offeredBy(service: string): Offered; readonly desired: readonly Resource[] },
): { readonly calls: readonly PlannedCall[]; readonly problems: readonly Problem[] } {
  const operationsOf = (service: string) => offeredBy(service).table;
  const groups = Map.groupBy(phased, (one) => JSON.stringify([one.phase, laneOf(one), one.kind.kind]));
  const calls = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { kind, service, scope, phase } = first;
    const changes = group.flatMap(({ change }): readonly Writable[] => (change.action === "check" ? [] : [change]));
    const compiled = changes.length === 0 ? [] : (kind.compile?.(changes, scope) ?? []);
    for (const call of compiled) rowOf(kind, call, operationsOf(service));
    return compiled.map((call) => ({ ...call, service, phase, lane: laneOf(first) }));
  });
  const mergeOf = ({ service, operation }: Unnumbered) => operationsOf(service)[operation]?.merge;
  const onObject = Map.groupBy(calls, (call, index) => {
    const merge = mergeOf(call);
    return merge === undefined
      ? index
      : JSON.stringify([call.phase, call.service, call.operation, merge.object(call.args)]);
  });
  const ordered = [...onObject.values()]
    .flatMap(([first, ...later]) => (first === undefined ? [] : [joined(first, later, mergeOf(first))]))
    .sort((a, b) => a.phase - b.phase || (a.lane < b.lane ? -1 : a.lane > b.lane ? 1 : 0))
    .map((call, index) => ({ id: index + 1, ...call }));
  const placeOf = new Map(desired.map(({ address, place }) => [address, place]));
  const problems = ordered.flatMap((call) => argumentProblems(call, operationsOf(call.service), placeOf));
  return { calls: ordered, problems };
}

/** The arguments of a call that its row does not accept. */
function argumentProblems(
  { service, operation, args, carries: [address] }: PlannedCall,
  operations: OperationTable,
  placeOf: ReadonlyMap<string | undefined, Place>,
): readonly Problem[] {
  const issues = operations[operation]?.args.safeParse(args).error?.issues ?? [];
  if (issues.length === 0) return [];
  const place = placeOf.get(address);
  return mistakesOf(unshown(args, named("the call")), issues).map(({ sentence }) => ({
    code: "SP1002",
    service,
    operation,
    ...(address === undefined ? {} : { address }),
    ...(place === undefined ? {} : { place }),
    message: `The arguments of ${operation} are wrong: ${sentence}`,
    hint: `Correct the value in the manifest; \`setpoint call ${service} ${operation} --help\` lists the arguments.`,
  }));
}

type Unnumbered = Omit<PlannedCall, "id">;

/** Joins calls on one remote object into one that carries the changes of all. */
function joined(first: Unnumbered, later: readonly Unnumbered[], merge: Operation["merge"]): Unnumbered {
  if (merge === undefined || later.length === 0) return first;
  const args = later.reduce((earlier, call) => merge.join(earlier, call.args), first.args);
  return { ...first, args, carries: [first, ...later].flatMap(({ carries }) => carries) };
}

/** A fingerprint of what was seen: SHA-256 of its canonical JSON, in hexadecimal. */
export function fingerprint(seen: unknown): string {
  return createHash("sha256").update(canonicalJson(seen)).digest("hex");
}
