import { hash } from "node:crypto";
import { type Call, numbered, type PlannedCall } from "../core/call.ts";
import type { Change, Writable } from "../core/change.ts";
import type { Kind } from "../core/kind.ts";
import { once } from "../core/once.ts";
import type { Operation, OperationTable } from "../core/operation.ts";
import type { Problem } from "../core/problem.ts";
import type { Address, Place, Resource } from "../core/resource.ts";
import type { Service } from "../core/service.ts";
import { mistakesOf, named, unshown } from "../core/text/issues.ts";
import { canonicalJson, defined } from "../core/text/json.ts";
import { inOrder } from "../core/text/words.ts";

/** A change with the phase in which its calls run. */
export interface PhasedChange {
  readonly change: Change;
  readonly kind: Kind;
  readonly service: string;
  readonly scope: string;
  /** The name of the remote object: `service scope`. Calls of one lane run in order. */
  readonly lane: string;
  readonly phase: number;
}

/** The operations of a service. Under `wire: documented`, operations missing from its API documents are not sent. */
export interface Offered {
  readonly table: OperationTable;
  readonly wire: Service["wire"];
}

/** Returns the row of a call that a kind made. Throws if the service has no such write. */
export function rowOf({ kind }: Kind, { operation }: Call, table: OperationTable): Operation {
  const row = Object.hasOwn(table, operation) ? table[operation] : undefined;
  if (row?.effect === "write") return row;
  throw new Error(`${kind} calls ${operation}, but its service has no such write`);
}

/**
 * Compiles all changes, those of one phase, kind and scope together, then joins calls on one remote object as their operation
 * says. Calls are in the order of execution; `problems` reports arguments that could not be sent.
 */
export function compileCalls(
  phased: readonly PhasedChange[],
  { offeredBy, desired }: { offeredBy(service: string): Offered; readonly desired: readonly Resource[] },
): { readonly calls: readonly PlannedCall[]; readonly problems: readonly Problem[] } {
  const operationsOf = (service: string) => offeredBy(service).table;
  const compiledOf = (group: readonly PhasedChange[]): readonly Unnumbered[] => {
    const [first] = group;
    const changes = group.flatMap(({ change }): readonly Writable[] => (change.action === "check" ? [] : [change]));
    if (first === undefined || changes.length === 0) return [];
    const { kind, service, scope, lane, phase } = first;
    return (kind.compile?.(changes, scope) ?? []).map((call) => {
      rowOf(kind, call, operationsOf(service));
      return { ...call, service, phase, lane };
    });
  };
  const groups = Map.groupBy(phased, ({ phase, kind, lane }) => `${phase} ${kind.kind} ${lane}`);
  const compiled = [...groups.values()].flatMap(compiledOf);
  // Built only if calls are joined: most calls close a single change.
  const byAddress = once(() => new Map(phased.map((one) => [one.change.address, one])));
  const alone = (address: Address) => compiledOf([byAddress().get(address) ?? []].flat());
  const mergeOf = ({ service, operation }: Unnumbered) => operationsOf(service)[operation]?.merge;
  const onObject = Map.groupBy(compiled, (call, index) => objectOf(call, mergeOf(call)) ?? index);
  const ordered = [...onObject.values()]
    .flatMap(([first, ...later]) => (first === undefined ? [] : [joined(first, later, mergeOf(first))]))
    .sort((a, b) => a.phase - b.phase || inOrder(a.lane, b.lane));
  const calls = numbered(ordered.map((call) => ({ ...call, parts: partsOf(call, alone, mergeOf(call)) })));
  const places = once(() => new Map(desired.map(({ address, place }) => [address, place])));
  const problems = calls.flatMap((call) => {
    const placeOf = ({ carries: [first = ""] }: PlannedCall) => places().get(first);
    const problemsOf = (one: PlannedCall) => argumentProblems(one, operationsOf(one.service), () => placeOf(one));
    const own = (call.parts ?? []).flatMap(problemsOf);
    return own.length > 0 ? own : problemsOf(call);
  });
  return { calls, problems };
}

/** Returns a problem for each argument of a call that its row does not accept. */
export function argumentProblems(
  { service, operation, args, carries: [address] }: PlannedCall,
  operations: OperationTable,
  placeOf: () => Place | undefined,
): readonly Problem[] {
  const { error } = operations[operation]?.args.safeParse(args) ?? {};
  if (error === undefined) return [];
  const place = placeOf();
  return mistakesOf(unshown(args, named("the call")), error.issues).map(({ sentence }) => ({
    code: "SP1002",
    service,
    operation,
    ...defined({ address, place }),
    message: `The arguments of ${operation} are wrong: ${sentence}`,
    hint: `Correct the value in the manifest; \`setpoint call ${service} ${operation} --help\` lists the arguments.`,
  }));
}

type Unnumbered = Omit<PlannedCall, "id" | "parts">;

/** Returns a key that calls share if they can be joined; undefined if the operation does not join calls. */
function objectOf(call: Unnumbered, merge: Operation["merge"]): string | undefined {
  return merge && JSON.stringify([call.phase, call.service, call.lane, call.operation, merge.object(call.args)]);
}

/**
 * Returns the parts of a joined call: one call for each of its changes, or one for several changes that decide the same thing.
 * Undefined if any change alone compiles to no such call, to several, or to the joined call itself.
 */
function partsOf(
  call: Unnumbered,
  alone: (address: Address) => readonly Unnumbered[],
  merge: Operation["merge"],
): readonly Unnumbered[] | undefined {
  if (call.carries.length < 2) return undefined;
  const singles = call.carries.map((address) =>
    alone(address).filter(
      (single) => single.operation === call.operation && objectOf(single, merge) === objectOf(call, merge),
    ),
  );
  const whole = canonicalJson(call.args);
  const isWhole = (single: Unnumbered) => single.deliver !== undefined || canonicalJson(single.args) === whole;
  if (singles.some((own) => own.length !== 1 || own.some(isWhole))) return undefined;
  const parts = new Set<Unnumbered>();
  const deciding = new Map<string, Unnumbered>();
  for (const single of singles.flat()) {
    const found = new Set(merge?.decides(single.args).flatMap((name) => deciding.get(name) ?? []));
    const rivals = found.size < 2 ? [...found] : [...parts].filter((part) => found.has(part));
    const [first = single, ...later] = [...rivals, single];
    const part = joined(first, later, merge);
    for (const rival of rivals) parts.delete(rival);
    parts.add(part);
    for (const name of merge?.decides(part.args) ?? []) deciding.set(name, part);
  }
  return parts.size < 2 ? undefined : [...parts];
}

/** Joins calls on one remote object into one that carries all their changes. */
function joined(first: Unnumbered, later: readonly Unnumbered[], merge: Operation["merge"]): Unnumbered {
  if (merge === undefined) return first;
  const args = later.reduce((earlier, call) => merge.join(earlier, call.args), first.args);
  return { ...first, args, carries: [first, ...later].flatMap(({ carries }) => carries) };
}

/** Returns a fingerprint of a value: SHA-256 of its canonical JSON, in hexadecimal. */
export function fingerprint(seen: unknown): string {
  return hash("sha256", canonicalJson(seen));
}

/** Counts the calls of each operation, by `service.operation`. */
export function writesIn(calls: readonly PlannedCall[]): Readonly<Record<string, number>> {
  const byName = Map.groupBy(calls, ({ service, operation }) => `${service}.${operation}`);
  const sorted = [...byName].sort(([a], [b]) => inOrder(a, b));
  return Object.fromEntries(sorted.map(([name, { length }]) => [name, length]));
}
