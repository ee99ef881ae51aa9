import { member } from "../../core/text/json.ts";
import { withoutUserInfo } from "../../core/text/url-secret.ts";
import { quote } from "../../core/text/words.ts";
import type { Range } from "./source-text.ts";

/** A value as written, with the place of each part. Parts that an alias refers to are shared. */
export type Tree = Scalar | List | Mapping;

export interface Scalar extends Range {
  readonly is: "scalar";
  readonly value: null | boolean | number | string;
  /** The source text of the value: `2.10` for the number 2.1; empty if nothing is written. */
  readonly written: string;
  /** Set if the string contains a reference to a secret. An escaped `$${env:NAME}` is not one. */
  readonly secret?: true;
  /** Set if there is no value because of a reported error. */
  readonly broken?: true;
}

interface List extends Range {
  readonly is: "list";
  readonly entries: readonly Tree[];
}

export interface Mapping extends Range {
  readonly is: "mapping";
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly key: Key;
  readonly value: Tree;
}

export interface Key extends Range {
  readonly name: string;
}

/** A scalar at the place of what it comes from, where it is not written itself. */
export function scalarAt({ source, start, end }: Range, value: Scalar["value"]): Scalar {
  return { is: "scalar", source, start, end, value, written: String(value) };
}

/** A mapping of such scalars. */
export function mappingAt(range: Range, values: Readonly<Record<string, Scalar["value"]>>): Mapping {
  const { source, start, end } = range;
  const entries = Object.entries(values).map(([name, value]) => ({
    key: { source, start, end, name },
    value: scalarAt(range, value),
  }));
  return { is: "mapping", source, start, end, entries };
}

/** Names that would give access to an object's prototype in a program that reads them. */
export const forbiddenNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Returns the entry of a mapping with a name; undefined if there is none, or the tree is not a mapping. */
export function entryOf(tree: Tree, name: PropertyKey): Entry | undefined {
  return tree.is === "mapping" ? tree.entries.find((entry) => entry.key.name === name) : undefined;
}

/** Returns the plain value. Every name becomes an own property. */
export function plain(tree: Tree): unknown {
  switch (tree.is) {
    case "scalar":
      return tree.value;
    case "list":
      return tree.entries.map(plain);
    case "mapping":
      return plainMapping(tree);
  }
}

/** Faster than from entries. No tree has a forbidden name. */
function plainMapping({ entries }: Mapping): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  for (const { key, value } of entries) result[key.name] = plain(value);
  return result;
}

/** The end of a path, or the last part of it that the tree has. */
export interface Spot {
  readonly tree: Tree;
  /** The entry whose value `tree` is. */
  readonly entry: Entry | undefined;
  /** Whether the whole path exists. */
  readonly found: boolean;
}

export function follow(root: Tree, path: readonly PropertyKey[]): Spot {
  let spot: Spot = { tree: root, entry: undefined, found: true };
  for (const step of path) {
    const entry = entryOf(spot.tree, step);
    const tree = spot.tree.is === "list" && typeof step === "number" ? spot.tree.entries[step] : entry?.value;
    if (tree === undefined) return { ...spot, found: false };
    spot = { tree, entry, found: true };
  }
  return spot;
}

/** Returns the steps of a JSON pointer into a plain value, as `follow` takes them: numbers for lists, names for mappings. */
export function stepsOf(root: unknown, pointer: string): readonly PropertyKey[] {
  let value = root;
  return pointer
    .split("/")
    .slice(1)
    .map((escaped) => {
      const name = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
      const step = Array.isArray(value) ? Number(name) : name;
      value = member(value, step);
      return step;
    });
}

/** Describes a value for the beginning of a sentence: a scalar as written, or what kind of value it is. */
export function valueWords(tree: Tree): string {
  switch (tree.is) {
    case "scalar":
      return typeof tree.value === "string" ? quote(withoutUserInfo(tree.value)) : tree.written || "An empty value";
    case "list":
      return "A list";
    case "mapping":
      return "A mapping";
  }
}

/** Returns what to underline for a value: its key if nothing is written. */
export function valueRange({ tree, entry }: Spot): Range {
  return tree.end > tree.start ? tree : (entry?.key ?? tree);
}

/** Returns what to underline for a field that a mapping lacks: the mapping's own key, or its first key. */
export function ownerRange({ tree, entry }: Spot): Range {
  if (entry !== undefined) return { ...entry.key, from: tree.from };
  return (tree.is === "mapping" ? tree.entries[0]?.key : undefined) ?? tree;
}

/** Returns the entries of a list, or the values of a mapping. */
function partsOf(tree: Tree): readonly Tree[] {
  switch (tree.is) {
    case "scalar":
      return [];
    case "list":
      return tree.entries;
    case "mapping":
      return tree.entries.map(({ value }) => value);
  }
}

/** Returns the number of values in a tree, including itself. */
export function sizeOf(tree: Tree): number {
  return partsOf(tree).reduce((sum, part) => sum + sizeOf(part), 1);
}

/** Returns the first place in a tree, in the order of the file, at which a function finds something. */
export function firstIn(tree: Tree, find: (part: Tree) => Range | undefined): Range | undefined {
  let found = find(tree);
  for (const part of partsOf(tree)) found ??= firstIn(part, find);
  return found;
}
