import type { FieldDifference, Verdict } from "../core/change.ts";
import { isObject, type Json, type JsonObject, sameJson } from "../core/json.ts";
import type { Kind } from "../core/kind.ts";

/** A specification as plain data: what `normalize` makes of it, without the fields that it leaves out. */
export function plainSpec(kind: Kind, spec: unknown): JsonObject {
  return asJson(kind.normalize?.(spec) ?? spec);
}

/** A specification through JSON: what cannot be saved cannot be compared either, and undefined members disappear. */
export function asJson(spec: unknown): JsonObject {
  return JSON.parse(JSON.stringify(spec));
}

/**
 * The fields a manifest states whose live value is another, with who moved: where base and desired agree, they did
 * (drift); where base and live agree, or the base does not state the field, we did (pending); otherwise both
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

/** Goes down into objects that both sides have, so that a difference names the innermost field. */
function leaves(
  path: readonly string[],
  live: Json | undefined,
  desired: Json | undefined,
): readonly Omit<FieldDifference, "verdict">[] {
  if (sameJson(live, desired)) return [];
  if (!isObject(live) || !isObject(desired)) return [{ path, live, desired }];
  const names = new Set([...Object.keys(desired), ...Object.keys(live)]);
  return [...names].flatMap((name) => leaves([...path, name], live[name], desired[name]));
}

/** The verdict of a resource is that of its gravest field. */
export function gravest(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("conflict")) return "conflict";
  return verdicts.includes("drift") ? "drift" : "pending";
}
