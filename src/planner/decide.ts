import { type Acknowledgement, existence } from "../core/acknowledgement.ts";
import { beyondDocuments } from "../core/beyond.ts";
import type { Change, FieldDifference, Observation, Verdict, Writable } from "../core/change.ts";
import { isJsonObject, isObject, type Json, type JsonObject, own, sameJson } from "../core/json.ts";
import type { Kind } from "../core/kind.ts";
import type { Problem } from "../core/problem.ts";
import type { Resource } from "../core/resource.ts";
import { inOrder } from "../core/words.ts";
import { type Offered, rowOf } from "./compile.ts";

/** What is declared now and was declared at the base; at least one of them. */
export interface Declared {
  readonly now: Resource | undefined;
  readonly base: Resource | undefined;
  /** Whether there is a base, which may not declare it. */
  readonly hasBase?: boolean;
}

/** A difference that is left alone: a field, or whether the resource is there. */
export interface LeftAlone extends Acknowledgement {
  readonly field: string;
}

/**
 * What is to be done about one resource. `ignored` names fields that differ and are not managed, `acknowledged` those that
 * are not until a day.
 */
export type Decision =
  | {
      readonly is: "change";
      readonly change: Change;
      readonly ignored: readonly string[];
      readonly acknowledged?: readonly LeftAlone[];
      readonly note?: string;
    }
  | { readonly is: "in sync"; readonly ignored: readonly string[]; readonly acknowledged?: readonly LeftAlone[] }
  | { readonly is: "unknown"; readonly problem: Problem };

/**
 * Decides about one resource from what is declared, what was declared at the base, and what the service says.
 *
 * | declared now | at the base | live    | decision                                                    |
 * |--------------|-------------|---------|-------------------------------------------------------------|
 * | present      | any         | present | update if a stated field differs, else in sync              |
 * | present      | present     | absent  | create: drift, somebody deleted it                          |
 * | present      | otherwise   | absent  | create: pending                                             |
 * | absent       | absent      | present | delete: drift, somebody created it                          |
 * | absent       | otherwise   | present | delete: pending, or conflict if it is not as at the base    |
 * | not at all   | present     | present | the same: what left the manifests is pruned                 |
 * | otherwise    |             | absent  | in sync; delete as above what still has an effect           |
 * | any          | any         | unknown | unknown                                                     |
 *
 * An acknowledgement leaves a difference alone, but none that the manifests made since the base.
 */
export function decide(
  kind: Kind,
  declared: Declared,
  observation: Observation,
  kept: readonly string[] = [],
): Decision {
  if (observation.is === "unknown") return { is: "unknown", problem: observation.problem };
  const { now, base, hasBase = base !== undefined } = declared;
  const wanted = now?.metadata.state === "present" ? now : undefined;
  const before = base?.metadata.state === "present" ? base : undefined;
  // What was declared absent at the base and has left the manifests is nobody's: it names nothing to delete.
  const resource = now ?? before;
  if (resource === undefined) return { is: "in sync", ignored: [] };
  const common = { address: resource.address, key: resource.key, marker: observation.marker };

  const seen = observation.is === "present" ? observation.spec : wanted === undefined ? observation.leaving : undefined;
  if (seen === undefined) {
    if (wanted === undefined) return { is: "in sync", ignored: [] };
    const whole = before === undefined && hasBase ? undefined : wholeOf(wanted);
    if (whole !== undefined) return leftAlone([], [{ ...whole, field: existence }]);
    const verdict: Verdict = before === undefined ? "pending" : "drift";
    return asChange(kind, { ...common, action: "create", verdict, desired: wanted.spec }, [], observation.note);
  }
  const live = plainSpec(kind, seen);
  if (wanted === undefined) {
    const asAtBase = before === undefined || differences(plainSpec(kind, before.spec), live, undefined).length === 0;
    const verdict = base !== undefined && before === undefined ? "drift" : asAtBase ? "pending" : "conflict";
    const whole = now === undefined || (hasBase && verdict !== "drift") ? undefined : wholeOf(now);
    const change = { ...common, action: "delete", verdict, declared: resource.spec, live: seen, kept } as const;
    if (isDone(kind, change, resource.scope)) return { is: "in sync", ignored: [] };
    if (whole !== undefined) return leftAlone([], [{ ...whole, field: existence }]);
    return asChange(kind, change, [], observation.note);
  }
  const { ignore, acknowledged: all = [] } = wanted.metadata;
  const stated = Object.entries(plainSpec(kind, wanted.spec));
  const ignored = stated.filter(([name, value]) => ignore.includes(name) && !sameJson(value, live[name]));
  const comparable = before !== undefined && kind.sameRule?.(before.spec, wanted.spec) !== false;
  const baseSpec = comparable ? plainSpec(kind, before.spec) : undefined;
  const acknowledged = stated.flatMap(([name, value]): readonly LeftAlone[] => {
    if (ignore.includes(name) || sameJson(value, live[name])) return [];
    // What the manifests themselves changed nobody has seen on the service.
    if (hasBase && (baseSpec === undefined || !sameJson(baseSpec[name] ?? null, value ?? null))) return [];
    const found = latest(all.filter(({ fields }) => fields?.includes(name) ?? true));
    return found === undefined ? [] : [{ ...found, field: name }];
  });
  const unmanaged = [...ignore, ...acknowledged.map(({ field }) => field)];
  const managed = Object.fromEntries(stated.filter(([name]) => !unmanaged.includes(name)));
  const fields = differences(managed, live, baseSpec);
  const names = ignored.map(([name]) => name);
  if (fields.length === 0) return leftAlone(names, acknowledged);
  const verdict = gravest(fields.map((field) => field.verdict));
  const desired = completed(wanted.spec, seen, unmanaged);
  const change = { ...common, action: "update", verdict, desired, live: seen, fields, kept } as const;
  if (kept.length > 0 && isDone(kind, change, resource.scope)) return leftAlone(names, acknowledged);
  return { ...asChange(kind, change, names, observation.note), ...(acknowledged.length === 0 ? {} : { acknowledged }) };
}

function leftAlone(ignored: readonly string[], acknowledged: readonly LeftAlone[]): Decision {
  return { is: "in sync", ignored, ...(acknowledged.length === 0 ? {} : { acknowledged }) };
}

/** The acknowledgement of a whole resource; undefined if there is none. */
function wholeOf({ metadata: { acknowledged = [] } }: Resource): Acknowledgement | undefined {
  return latest(acknowledged.filter(({ fields }) => fields === undefined));
}

/** The one that holds longest. */
function latest(all: readonly Acknowledgement[]): Acknowledgement | undefined {
  return all.toSorted((a, b) => inOrder(b.until, a.until))[0];
}

/**
 * Whether nothing is left to do: another declared resource holds all that the change would take away, or what would be deleted
 * is there only under its former name.
 */
function isDone(kind: Kind, change: Writable, scope: string): boolean {
  return kind.compile?.([change], scope).length === 0;
}

/** The live specification with what the manifest states, and does not ignore, laid over it. */
export function completed(wanted: unknown, live: unknown, ignore: readonly string[]): unknown {
  if (!isObject(wanted) || !isObject(live)) return wanted;
  const stated = Object.entries(wanted).filter(([name, value]) => value !== undefined && !ignore.includes(name));
  return { ...live, ...Object.fromEntries(stated) };
}

/** A change that no call can close becomes a `check`: it needs a person. */
function asChange(kind: Kind, change: Change, ignored: readonly string[], note?: string): Decision {
  const instruction =
    kind.needsPerson?.(change) ??
    (kind.compile === undefined ? `${kind.kind} can only be checked: set it by hand on the service.` : undefined);
  const seen = { is: "change", ignored, ...(note === undefined ? {} : { note }) } as const;
  if (instruction === undefined) return { ...seen, change };
  return { ...seen, change: asCheck(change, instruction) };
}

/** The decision with a change that takes an operation or an argument which is not sent to the service turned into a `check`. */
export function withinReach(kind: Kind, decision: Decision, scope: string, { table, wire }: Offered): Decision {
  if (wire === "product" || decision.is !== "change" || decision.change.action === "check") return decision;
  const calls = kind.compile?.([decision.change], scope) ?? [];
  const [beyond] = calls.flatMap((call) => beyondDocuments(call.operation, rowOf(kind, call, table), call.args) ?? []);
  if (beyond === undefined) return decision;
  const instruction = `Make the change by hand: it requires ${beyond.what}, which is not in the service's API documents and is not sent under \`wire: documented\`. Set \`wire: product\` if the service is the product.`;
  return { ...decision, change: asCheck(decision.change, instruction) };
}

function asCheck(change: Change, instruction: string): Change {
  const { address, key, verdict, marker } = change;
  return {
    address,
    key,
    verdict,
    marker,
    action: "check",
    desired: change.action === "delete" ? undefined : change.desired,
    live: change.action === "create" ? undefined : change.live,
    fields: change.action === "update" || change.action === "check" ? change.fields : [],
    instruction,
  };
}

/** A specification as plain data: what `normalize` makes of it, without the fields that it leaves out. */
export function plainSpec(kind: Kind, spec: unknown): JsonObject {
  return asJson(kind.normalize?.(spec) ?? spec);
}

/** A specification through JSON: what cannot be saved cannot be compared either, and undefined members disappear. */
export function asJson(spec: unknown): JsonObject {
  return isJsonObject(spec) ? spec : JSON.parse(JSON.stringify(spec));
}

/**
 * The stated fields whose live value differs, with who changed them: they did (drift) if base and desired agree; we did
 * (pending) if base and live agree or the base does not state the field; otherwise both
 * (conflict). Without a base everything is pending.
 */
export function differences(
  desired: JsonObject,
  live: JsonObject,
  base: JsonObject | undefined,
): readonly FieldDifference[] {
  return Object.entries(desired).flatMap(([name, value]) => {
    if (value === undefined || sameJson(value, live[name])) return [];
    const verdict = judge(value, live[name], base?.[name]);
    return leaves([name], live[name], value).map((leaf) => ({ ...leaf, verdict }));
  });
}

function judge(desired: Json, live: Json | undefined, base: Json | undefined): Verdict {
  if (base === undefined) return "pending";
  if (sameJson(base, desired)) return "drift";
  return sameJson(base, live) ? "pending" : "conflict";
}

/** Descends into objects that both sides have, so that a difference names the innermost field. */
function leaves(
  path: readonly string[],
  live: Json | undefined,
  desired: Json | undefined,
): readonly Omit<FieldDifference, "verdict">[] {
  if (sameJson(live, desired)) return [];
  if (!isObject(live) || !isObject(desired)) return [{ path, live, desired }];
  const names = new Set([...Object.keys(desired), ...Object.keys(live)]);
  return [...names].flatMap((name) => leaves([...path, name], own(live, name), own(desired, name)));
}

/** A resource has the verdict of its most serious field. */
function gravest(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("conflict")) return "conflict";
  return verdicts.includes("drift") ? "drift" : "pending";
}
