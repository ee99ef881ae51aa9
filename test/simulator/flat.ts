import { isObject } from "../../src/core/text/json.ts";
import type { World } from "../../src/sandbox/world.ts";

/** Fields that distinguish an entry of a list from the others. */
const identifying = ["name", "description", "shortName", "uuid", "key", "id", "code", "tag_name", "number", "username"];
/** Fields that do so together with the identifying ones. */
const qualifying = ["project", "role", "account", "group", "user"];

/** The number that a rotation adds to a description. */
const generation = / \(\d+\)$/;

/** The leaves of objects, cached because two worlds of one simulation share most of their parts. */
const known = new WeakMap<object, readonly (readonly [string, string])[]>();

/** Returns the paths at which two worlds differ, in which entries of lists have names instead of indexes. */
export function changed(before: World, after: World): ReadonlySet<string> {
  const old = new Map(Object.entries(before));
  return new Set(
    Object.entries(after)
      .filter(([part, state]) => old.get(part) !== state)
      .flatMap(([part, state]) =>
        differing(new Map(leaves(old.get(part))), new Map(leaves(state))).map((at) => `/${part}${at}`),
      ),
  );
}

function differing(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
}

/** Returns a path without the numbers of entries that share a name. */
export function place(path: string): string {
  return path.replaceAll(/#\d+(?=\/|$)/g, "");
}

function leaves(value: unknown): readonly (readonly [string, string])[] {
  if (typeof value !== "object" || value === null) return [["", JSON.stringify(value) ?? ""]];
  const found = known.get(value);
  if (found !== undefined) return found;
  const entries = Array.isArray(value) ? named(value) : Object.entries(value);
  const result =
    entries.length === 0
      ? [["", Array.isArray(value) ? "[]" : "{}"] as const]
      : entries.flatMap(([name, inner]) => leaves(inner).map(([path, leaf]) => [`/${name}${path}`, leaf] as const));
  known.set(value, result);
  return result;
}

function named(list: readonly unknown[]): readonly (readonly [string, unknown])[] {
  const seen = new Map<string, number>();
  return list.map((entry) => {
    const name = nameOf(entry);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return [count === 1 ? name : `${name}#${count}`, entry];
  });
}

function nameOf(entry: unknown): string {
  if (!isObject(entry)) return JSON.stringify(entry) ?? "";
  const names = identifying.find((name) => Object.hasOwn(entry, name));
  const more = qualifying.flatMap((name) => (Object.hasOwn(entry, name) ? [String(entry[name])] : []));
  return [names === undefined ? "" : String(entry[names]).replace(generation, ""), ...more].join(" ");
}
