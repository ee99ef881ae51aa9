import { namePattern } from "../core/text/glob.ts";

/** Returns a copy of a list in which one entry replaces another. */
export function replace<Entry>(list: readonly Entry[], before: Entry, after: Entry): Entry[] {
  return list.map((entry) => (entry === before ? after : entry));
}

/** Returns a copy of a list without one entry. */
export function without<Entry>(list: readonly Entry[], entry: Entry): Entry[] {
  return list.filter((other) => other !== entry);
}

/** Returns an id that no record has yet; `last` is the highest one that a deleted record had. */
export function nextId(records: readonly { readonly id: number | string }[], last = 0): number {
  return Math.max(last, ...records.map(({ id }) => Number(id))) + 1;
}

/** Whether no two records have the same value under one of the names. */
export function areDistinct<R>(records: readonly R[], ...names: readonly (keyof R)[]): boolean {
  return names.every((name) => new Set(records.map((record) => record[name])).size === records.length);
}

/** Compiles a pattern in which `*` stands for any text and `?` for one character. It matches only a whole text, in linear time. */
export function wildcard(pattern: string): (text: string) => boolean {
  return namePattern([pattern], "*?");
}
