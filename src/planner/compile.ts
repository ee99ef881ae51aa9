import { createHash } from "node:crypto";
import type { Call, PlannedCall } from "../core/call.ts";
import type { Change, Writable } from "../core/change.ts";
import { canonicalJson } from "../core/json.ts";
import type { Kind } from "../core/kind.ts";
import type { Operation, OperationTable } from "../core/operation.ts";
import type { Problem } from "../core/problem.ts";
import type { Resource } from "../core/resource.ts";
import type { Service } from "../core/workspace.ts";

/** A change on its way to calls. */
export interface Placed {
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

/** The row of a call that a kind has made. */
export function rowOf({ kind }: Kind, { operation }: Call, table: OperationTable): Operation {
  const row = Object.hasOwn(table, operation) ? table[operation] : undefined;
  if (row?.effect === "write") return row;
  throw new Error(`${kind} makes a call of ${operation}, and its service has no such write`);
}

/** The name of a remote object: calls of one lane run in order. */
export function laneOf({ service, scope }: Pick<Placed, "service" | "scope">): string {
  return `${service} ${scope}`;
}

/**
 * Compiles all changes: those of one phase, kind and scope at once, then joins calls on one remote object as their
 * operation says. The result is in the order of execution; `problems` are the arguments that could not be sent.
 */
export function compileCalls(
  placed: readonly Placed[],
  { offeredBy, desired }: { offeredBy(service: string): Offered; readonly desired: readonly Resource[] },
): { readonly calls: readonly PlannedCall[]; readonly problems: readonly Problem[] } {
  const operationsOf = (service: string) => offeredBy(service).table;
  const groups = Map.groupBy(placed, (one) => JSON.stringify([one.phase, laneOf(one), one.kind.kind]));
  const calls = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { kind, service, scope, phase } = first;
    const changes = group.flatMap(({ change }): readonly Writable[] => (change.action === "check" ? [] : [change]));
    const compiled = changes.length === 0 ? [] : (kind.compile?.(changes, scope) ?? []);
    for (const call of compiled) rowOf(kind, call, operationsOf(service));
    return compiled.map((call) => ({ ...call, service, phase, lane: laneOf(first) }));
  });
  const merged: Omit<PlannedCall, "id">[] = [];
  for (const call of calls) {
    const at = merged.findIndex((other) => other.phase === call.phase && canJoin(other, call, operationsOf));
    const earlier = merged[at];
    if (earlier === undefined) merged.push(call);
    else merged[at] = { ...earlier, ...join(earlier, call, operationsOf(call.service)) };
  }
  const ordered = merged
    .sort((a, b) => a.phase - b.phase || (a.lane < b.lane ? -1 : a.lane > b.lane ? 1 : 0))
    .map((call, index) => ({ id: index + 1, ...call }));
  const problems = ordered.flatMap((call) => argumentProblems(call, operationsOf(call.service), desired));
  return { calls: ordered, problems };
}

/** What the row of a call does not accept of its arguments. */
function argumentProblems(
  { service, operation, args, carries: [address] }: PlannedCall,
  operations: OperationTable,
  desired: readonly Resource[],
): readonly Problem[] {
  const issues = operations[operation]?.args.safeParse(args).error?.issues ?? [];
  if (issues.length === 0) return [];
  const place = desired.find((resource) => resource.address === address)?.place;
  return issues.map(({ path, message }) => ({
    code: "SP1002",
    service,
    operation,
    ...(address === undefined ? {} : { address }),
    ...(place === undefined ? {} : { place }),
    message: `The arguments of ${operation} are wrong: ${path.length === 0 ? "" : `${path.join(".")}: `}${message}.`,
    hint: `Correct the value in the manifest; \`setpoint call ${service} ${operation} --help\` lists the arguments.`,
  }));
}

type Sent = Call & { readonly service: string };

function canJoin(earlier: Sent, later: Sent, operationsOf: (service: string) => OperationTable): boolean {
  if (earlier.service !== later.service || earlier.operation !== later.operation) return false;
  const merge = operationsOf(later.service)[later.operation]?.merge;
  return merge !== undefined && merge.object(earlier.args) === merge.object(later.args);
}

function join(earlier: Call, later: Call, operations: OperationTable): Call {
  const merge = operations[later.operation]?.merge;
  if (merge === undefined) return earlier;
  const args = merge.join(earlier.args, later.args);
  return { operation: earlier.operation, args, carries: [...earlier.carries, ...later.carries] };
}

/** A fingerprint of what was seen: SHA-256 of its canonical JSON, in hexadecimal. */
export function fingerprint(seen: unknown): string {
  return createHash("sha256").update(canonicalJson(seen)).digest("hex");
}
