import { diffArrays } from "diff";
import { canonicalJson, isList, isObject, type Json } from "../../core/text/json.ts";

/**
 * Returns the live value with its lists in the order in which they are written, as far as their entries match. For fields
 * in which order has no meaning.
 */
export function arranged(stated: Json | undefined, live: Json): Json {
  if (isList(stated) && isList(live)) return arrangedList(stated, live);
  if (!isObject(stated) || !isObject(live) || isList(live)) return live;
  return Object.fromEntries(
    Object.entries(live).map(([name, value]) => [name, value === undefined ? value : arranged(stated[name], value)]),
  );
}

function arrangedList(stated: readonly Json[], live: readonly Json[]): readonly Json[] {
  const left = Map.groupBy(live, canonicalJson);
  const places = stated.map((entry) => ({ entry, found: left.get(canonicalJson(entry))?.shift() }));
  const others = [...left.values()].flat();
  const written = places.flatMap(({ entry, found }) => {
    if (found !== undefined) return [found];
    const at = others.findIndex((other) => isSimilar(entry, other));
    return at === -1 ? [] : others.splice(at, 1).map((other) => arranged(entry, other));
  });
  return [...written, ...others];
}

/** The indexes of two entries that match. */
type Pair = readonly [number, number];

/** Returns the pairs of equal and similar entries of two lists, in the order of both. */
export function alignment(before: readonly Json[], after: readonly Json[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let [from, to, gap] = [0, 0, 0];
  for (const { added, removed, count } of diffArrays(before.map(canonicalJson), after.map(canonicalJson))) {
    if (removed) from += gap = count;
    else if (added) {
      pairs.push(...similar(before.slice(from - gap, from), from - gap, after.slice(to, to + count), to));
      to += count;
    } else {
      for (let step = 0; step < count; step++) pairs.push([from++, to++]);
      gap = 0;
    }
  }
  return pairs;
}

/** Pairs each entry of a stretch with the next similar one of another stretch. The stretches begin at `from` and `to`. */
function similar(before: readonly Json[], from: number, after: readonly Json[], to: number): readonly Pair[] {
  let next = 0;
  return after.flatMap((entry, step): readonly Pair[] => {
    const found = before.findIndex((other, at) => at >= next && isSimilar(other, entry));
    if (found === -1) return [];
    next = found + 1;
    return [[from + found, to + step]];
  });
}

/** Whether two mappings share the first member of one of them, which is how people recognise them. */
function isSimilar(one: Json, other: Json): boolean {
  if (!isObject(one) || !isObject(other)) return false;
  const [name] = Object.keys(one);
  return name !== undefined && name in other && canonicalJson(one[name]) === canonicalJson(other[name]);
}
