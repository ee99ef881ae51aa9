import {
  type Alias,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Scalar as ScalarNode,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { quote } from "../../core/words.ts";
import type { Budget } from "./budget.ts";
import { problemAt, type Range, type ReportProblem, type SourceText } from "./source-text.ts";
import { type Entry, forbiddenNames, type Key, type Tree } from "./tree.ts";

/** Levels of mappings and lists in a document, aliases followed. */
export const maxDepth = 100;

/** A tree with what aliases need to know of it. */
interface Built {
  readonly tree: Tree;
  readonly depth: number;
  /** Values in it, those of aliases counted each time. */
  readonly size: number;
}

interface Context {
  readonly source: SourceText;
  readonly budget: Budget;
  readonly report: ReportProblem;
  /** What is known by each anchor's name so far; undefined while the anchored value itself is being read. */
  readonly anchors: Map<string, Built | undefined>;
}

/**
 * Turns a parsed document into a tree, following aliases. A value that is a mistake becomes a broken scalar.
 * Reports SP1001 (unknown alias), SP1002 (not a finite number, a name that is not text), SP1004 (merge key), SP1005,
 * SP1011 and SP1014. Throws `ProblemError` where the budget is spent.
 */
export function buildTree(source: SourceText, contents: Node, budget: Budget, report: ReportProblem): Tree {
  return build({ source, budget, report, anchors: new Map() }, contents).tree;
}

function build(context: Context, node: Node): Built {
  if (isAlias(node)) return buildAlias(context, node);
  const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
  if (anchor !== undefined) context.anchors.set(anchor, undefined);
  const built = isMap(node)
    ? buildMapping(context, node)
    : isSeq(node)
      ? buildList(context, node)
      : buildScalar(context, node);
  if (anchor !== undefined) context.anchors.set(anchor, built);
  return built;
}

function buildAlias(context: Context, node: Alias): Built {
  const at = rangeOf(context, node);
  const target = context.anchors.get(node.source);
  if (target !== undefined) {
    context.budget.spend(at, { values: target.size });
    return target;
  }
  if (context.anchors.has(node.source))
    context.report(problemAt(at, "SP1011", `The alias *${node.source} stands for a value that holds it, or is wrong.`));
  else context.report(problemAt(at, "SP1001", `No anchor &${node.source} stands before this alias.`));
  return broken(at);
}

function buildScalar(context: Context, node: Node): Built {
  const at = rangeOf(context, node);
  const value = isScalar(node) ? node.value : undefined;
  const written = isScalar(node) ? writtenOf(node) : "";
  if (typeof value === "number" && (!Number.isFinite(value) || isInexact(value))) {
    const fault = Number.isFinite(value) ? "is too large to be exact" : "is not a finite number";
    context.report(problemAt(at, "SP1002", `${written} ${fault}.`, { hint: "Put it in quotes if it is text." }));
    return broken(at);
  }
  if (value === null || typeof value === "boolean" || typeof value === "number" || typeof value === "string")
    return { tree: { is: "scalar", ...at, value, written }, depth: 0, size: 1 };
  context.report(problemAt(at, "SP1002", "The value is neither text, a number, true, false nor null."));
  return broken(at);
}

function isInexact(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function writtenOf(node: ScalarNode): string {
  return typeof node.value === "string" ? node.value : (node.source ?? "");
}

function buildList(context: Context, node: YAMLSeq): Built {
  const parts = node.items.filter(isNode).map((entry) => build(context, entry));
  const at = rangeOf(context, node);
  return around(context, { is: "list", ...at, entries: parts.map((part) => part.tree) }, parts);
}

function buildMapping(context: Context, node: YAMLMap): Built {
  const at = rangeOf(context, node);
  const entries = new Map<string, Entry>();
  const parts: Built[] = [];
  for (const pair of node.items) {
    if (!isPair(pair)) continue;
    const key = buildKey(context, pair.key, at);
    const value = isNode(pair.value) ? build(context, pair.value) : emptyAfter(key ?? at);
    if (key === undefined) continue;
    const first = entries.get(key.name);
    if (first !== undefined) {
      context.report(problemAt(key, "SP1005", `The key ${quote(key.name)} stands twice.`, { other: first.key }));
      continue;
    }
    entries.set(key.name, { key, value: value.tree });
    parts.push(value);
  }
  return around(context, { is: "mapping", ...at, entries: [...entries.values()] }, parts);
}

function around(context: Context, tree: Tree, parts: readonly Built[]): Built {
  const depth = parts.reduce((deepest, part) => Math.max(deepest, part.depth), 0) + 1;
  if (depth > maxDepth) {
    context.report(problemAt(tree, "SP1011", `Values are nested deeper than ${maxDepth} levels.`));
    return broken(tree);
  }
  return { tree, depth, size: parts.reduce((sum, part) => sum + part.size, 1) };
}

function buildKey(context: Context, node: unknown, mapping: Range): Key | undefined {
  const at = isNode(node) ? rangeOf(context, node) : { ...mapping, end: mapping.start };
  const anchored = isAlias(node) ? context.anchors.get(node.source)?.tree : undefined;
  const name = isScalar(node) ? node.value : anchored?.is === "scalar" ? anchored.value : undefined;
  if (isScalar(node) && node.anchor !== undefined) build(context, node);
  if (typeof name !== "string") {
    const written = isScalar(node) && typeof node.source === "string" ? node.source : "";
    const message = written === "" ? "A key is not text." : `The key ${written} is not text: put it in quotes.`;
    context.report(problemAt(at, "SP1002", message));
    return undefined;
  }
  if (forbiddenNames.has(name)) {
    context.report(problemAt(at, "SP1014", `The name ${quote(name)} is not allowed.`));
    return undefined;
  }
  if (name === "<<" && isScalar(node) && node.type === "PLAIN") {
    const hint = "YAML 1.2 has no merge keys. Write the fields out, or use forEach.";
    context.report(problemAt(at, "SP1004", "The merge key << is not known.", { hint }));
    return undefined;
  }
  return { ...at, name };
}

function broken({ source, start, end }: Range): Built {
  return { tree: { is: "scalar", source, start, end, value: null, written: "", broken: true }, depth: 0, size: 1 };
}

function emptyAfter(at: Range): Built {
  return {
    tree: { is: "scalar", source: at.source, start: at.end, end: at.end, value: null, written: "" },
    depth: 0,
    size: 1,
  };
}

function rangeOf({ source }: Context, node: Node): Range {
  const [start = 0, end = start] = node.range ?? [];
  return { source, start, end };
}
