import { type Acknowledgement, existence } from "../core/acknowledgement.ts";
import { beyondDocuments } from "../core/beyond.ts";
import type { Change, FieldDifference, Observation, Verdict, Writable } from "../core/change.ts";
import type { Kind } from "../core/kind.ts";
import type { Problem } from "../core/problem.ts";
import type { Resource } from "../core/resource.ts";
import { isJsonObject, isObject, type Json, type JsonObject, own, sameJson } from "../core/text/json.ts";
import { inOrder } from "../core/text/words.ts";
import { type Offered, rowOf } from "./compile.ts";

/** A resource as declared now and at the base. */
export interface Declared {
  readonly now: Resource | undefined;
  readonly base: Resource | undefined;
  /** Whether there is a base, even if the base does not declare the resource. */
  readonly hasBase?: boolean;
}

/** An acknowledged difference: a field, or the existence of the resource. */
export interface LeftAlone extends Acknowledgement {
  readonly field: string;
}

/** What to do about a resource. `ignored` fields differ and are not managed; `acknowledged` ones are left until a day. */
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
 * | present      | present     | absent  | create: drift, someone deleted it                           |
 * | present      | otherwise   | absent  | create: pending                                             |
 * | absent       | absent      | present | delete: drift, someone created it                           |
 * | absent       | otherwise   | present | delete: pending, or conflict if it differs from the base    |
 * | not at all   | present     | present | as above: what left the manifests is pruned                 |
 * | otherwise    |             | absent  | in sync; if it still has an effect, delete as above         |
 * | any          | any         | unknown | unknown                                                     |
 *
 * An acknowledgement leaves a difference alone, unless the manifests caused it since the base.
 */
export function decide(
  kind: Kind,
  { now, base, hasBase = base !== undefined }: Declared,
  observation: Observation,
  kept: readonly string[] = [],
): Decision {
  if (observation.is === "unknown") return { is: "unknown", problem: observation.problem };
  const wanted = now?.metadata.state === "present" ? now : undefined;
  const before = base?.metadata.state === "present" ? base : undefined;
  // A resource that was declared absent at the base and has left the manifests is unmanaged: there is nothing to delete.
  const resource = now ?? before;
  if (resource === undefined) return leftAlone();
  const common = { address: resource.address, key: resource.key, marker: observation.marker };
  const subject = { kind, now, base, hasBase, resource, before, common, kept, note: observation.note };

  if (observation.is === "present")
    return wanted === undefined ? deletion(subject, observation.spec) : update(subject, wanted, observation.spec);
  if (wanted !== undefined) return creation(subject, wanted);
  return observation.leaving === undefined ? leftAlone() : deletion(subject, observation.leaving);
}

interface Subject extends Required<Declared> {
  readonly kind: Kind;
  /** As declared now, or at the base if it has left the manifests. */
  readonly resource: Resource;
  /** As declared at the base, if it was to be present. */
  readonly before: Resource | undefined;
  readonly common: Pick<Change, "address" | "key" | "marker">;
  readonly kept: readonly string[];
  readonly note: string | undefined;
}

function creation({ kind, hasBase, before, common, note }: Subject, wanted: Resource): Decision {
  const whole = before === undefined && hasBase ? undefined : wholeOf(wanted);
  if (whole !== undefined) return leftAlone([], [{ ...whole, field: existence }]);
  const verdict: Verdict = before === undefined ? "pending" : "drift";
  return asChange(kind, { ...common, action: "create", verdict, desired: wanted.spec }, [], note);
}

function deletion(
  { kind, now, base, hasBase, resource, before, common, kept, note }: Subject,
  live: unknown,
): Decision {
  const asAtBase =
    before === undefined || differences(plainSpec(kind, before.spec), plainSpec(kind, live), undefined).length === 0;
  const verdict = base !== undefined && before === undefined ? "drift" : asAtBase ? "pending" : "conflict";
  const change = { ...common, action: "delete", verdict, declared: resource.spec, live, kept } as const;
  if (isDone(kind, change, resource.scope)) return leftAlone();
  const whole = now === undefined || (hasBase && verdict !== "drift") ? undefined : wholeOf(now);
  if (whole !== undefined) return leftAlone([], [{ ...whole, field: existence }]);
  return asChange(kind, change, [], note);
}

function update(
  { kind, hasBase, resource, before, common, kept, note }: Subject,
  wanted: Resource,
  seen: unknown,
): Decision {
  const live = plainSpec(kind, seen);
  const { ignore, acknowledged: all = [] } = wanted.metadata;
  const stated = Object.entries(plainSpec(kind, wanted.spec));
  const ignored = stated.filter(([name, value]) => ignore.includes(name) && !sameJson(value, live[name]));
  const comparable = before !== undefined && kind.sameRule?.(before.spec, wanted.spec) !== false;
  const baseSpec = comparable ? plainSpec(kind, before.spec) : undefined;
  const acknowledged = stated.flatMap(([name, value]): readonly LeftAlone[] => {
    if (ignore.includes(name) || sameJson(value, live[name])) return [];
    // Nobody can have acknowledged a value that the manifests have changed since the base.
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
  return { ...asChange(kind, change, names, note), ...(acknowledged.length === 0 ? {} : { acknowledged }) };
}

function leftAlone(ignored: readonly string[] = [], acknowledged: readonly LeftAlone[] = []): Decision {
  return { is: "in sync", ignored, ...(acknowledged.length === 0 ? {} : { acknowledged }) };
}

/** Returns the acknowledgement of a whole resource; undefined if there is none. */
function wholeOf({ metadata: { acknowledged = [] } }: Resource): Acknowledgement | undefined {
  return latest(acknowledged.filter(({ fields }) => fields === undefined));
}

/** Returns the acknowledgement that holds longest. */
function latest(all: readonly Acknowledgement[]): Acknowledgement | undefined {
  return all.toSorted((a, b) => inOrder(b.until, a.until))[0];
}

/** Whether a change needs no call: others claim all that it would remove, or the object has only its former name. */
function isDone(kind: Kind, change: Writable, scope: string): boolean {
  return kind.compile?.([change], scope).length === 0;
}

/** Returns the live specification overlaid with the fields that the manifest states and does not ignore. */
export function completed(wanted: unknown, live: unknown, ignore: readonly string[]): unknown {
  if (!isObject(wanted) || !isObject(live)) return wanted;
  const stated = Object.entries(wanted).filter(([name, value]) => value !== undefined && !ignore.includes(name));
  return { ...live, ...Object.fromEntries(stated) };
}

/** Returns the decision for a change. A change that no call can close becomes a `check`: it needs a person. */
function asChange(kind: Kind, change: Writable, ignored: readonly string[], note?: string): Decision {
  const instruction =
    kind.needsPerson?.(change) ??
    (kind.compile === undefined ? `${kind.kind} can only be checked: set it manually on the service.` : undefined);
  const seen = { is: "change", ignored, ...(note === undefined ? {} : { note }) } as const;
  if (instruction === undefined) return { ...seen, change };
  return { ...seen, change: asCheck(change, instruction) };
}

/** Returns the decision; a change that requires an operation or argument that is not sent to the service becomes a `check`. */
export function withinReach(kind: Kind, decision: Decision, scope: string, { table, wire }: Offered): Decision {
  if (wire === "product" || decision.is !== "change" || decision.change.action === "check") return decision;
  const calls = kind.compile?.([decision.change], scope) ?? [];
  const [beyond] = calls.flatMap((call) => beyondDocuments(call.operation, rowOf(kind, call, table), call.args) ?? []);
  if (beyond === undefined) return decision;
  const instruction = `Make the change manually: it requires ${beyond.what}, which is not in the service's API documents and is not sent under \`wire: documented\`. Set \`wire: product\` if the service is the product.`;
  return { ...decision, change: asCheck(decision.change, instruction) };
}

export function asCheck(change: Writable, instruction: string): Change {
  const { address, key, verdict, marker } = change;
  return {
    address,
    key,
    verdict,
    marker,
    action: "check",
    desired: change.action === "delete" ? undefined : change.desired,
    live: change.action === "create" ? undefined : change.live,
    fields: change.action === "update" ? change.fields : [],
    instruction,
  };
}

/** Returns a specification as plain data, normalized by its kind. Fields that `normalize` leaves out are missing. */
export function plainSpec(kind: Kind, spec: unknown): JsonObject {
  return asJson(kind.normalize?.(spec) ?? spec);
}

/** Returns a specification as JSON: undefined members disappear, and a value that cannot be saved cannot be compared. */
export function asJson(spec: unknown): JsonObject {
  return isJsonObject(spec) ? spec : JSON.parse(JSON.stringify(spec));
}

/**
 * Returns the stated fields whose live value differs, and what changed them: the service (drift) if base and desired agree;
 * the manifests (pending) if base and live agree or the base does not state the field; otherwise both (conflict). Without a
 * base everything is pending.
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

/** Returns the differences of two values. Descends into objects on both sides, so that a difference names the innermost field. */
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

/** Returns the most serious verdict of a resource's fields, which is the verdict of the resource. */
function gravest(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("conflict")) return "conflict";
  return verdicts.includes("drift") ? "drift" : "pending";
}
