import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  Parser,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Problem } from "../../core/problem.ts";
import { grouped, quote } from "../../core/text/words.ts";
import { type Budget, mostWords, raise } from "./budget.ts";
import { isMark } from "./lexemes.ts";
import { onFirstLine, pointOf, problemAt, type Range, type ReportProblem, type SourceText } from "./source-text.ts";
import { curlyQuotes, syntaxProblem } from "./syntax-mistakes.ts";
import { type Entry, forbiddenNames, type Key, type Tree } from "./tree.ts";

/** The YAML 1.2 core schema, whatever a `%YAML` line says. `build` performs checks that are slow in the parser. */
export const yamlOptions = {
  version: "1.2",
  schema: "core",
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
  strict: true,
  logLevel: "silent",
} as const;

/**
 * Returns the non-empty documents of a YAML or JSON file, or of a part of one that starts where a document does. Documents
 * with syntax errors are omitted. Reports SP1001, and SP1002, SP1004, SP1005, SP1011 and SP1014 as `build` does.
 */
export function parseYaml(part: Range, budget: Budget, report: ReportProblem): readonly Tree[] {
  const { source, start, end } = part;
  const text = source.text.slice(start, end);
  // Control characters are not valid YAML, and the parser uses some of them as its own marks.
  const control = /(?![\t\n\r])\p{Cc}/u.exec(text);
  if (control !== null) {
    const code = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    const at = { source, start: start + control.index, end: start + control.index + 1 };
    report(problemAt(at, "SP1001", `The control character U+${code} is not allowed in YAML.`));
    return [];
  }
  const words = lexemesOf(part, report);
  if (words === undefined) return [];
  const documents = withoutTraces(() => [...compose(part, words, budget.limits.depth, report)]);
  return documents.flatMap((document) => {
    const [first] = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
    if (first !== undefined)
      report(syntaxProblem(source, { ...first, from: document.range[0], message: first.message }));
    if (first !== undefined || document.contents === null) return [];
    const { tree } = build({ source, budget, report, anchors: new Map() }, document.contents);
    return tree.is === "scalar" && tree.written === "" ? [] : [tree];
  });
}

/** Returns the words and signs of a part. If they are too many for the parser, reports SP1011 and returns undefined. */
export function lexemesOf({ source, start, end: last }: Range, report: ReportProblem): readonly string[] | undefined {
  const words: string[] = [];
  for (const lexeme of new Lexer().lex(source.text.slice(start, last))) {
    words.push(lexeme);
    if (words.length <= mostWords) continue;
    const end = words.reduce((sum, word) => sum + (isMark(word) ? 0 : word.length), start);
    const at = { source, start: Math.min(end, source.text.length), end };
    const message = `The file has more than ${grouped(mostWords)} words and signs.`;
    report(problemAt(at, "SP1011", message, { hint: "Split it into several files." }));
    return undefined;
  }
  return words;
}

/** Feeds the parser word by word, to stop before it recurses too deeply. Documents before that point are kept. */
function* compose(
  { source, start }: Range,
  words: readonly string[],
  depth: number,
  report: ReportProblem,
): Generator<Document.Parsed> {
  const parser = new Parser();
  parser.offset = start;
  const composer = new Composer(yamlOptions);
  for (const word of words) {
    for (const token of parser.next(word)) yield* composer.next(token);
    if (parser.stack.length > depth + 2) {
      const at = { source, start: parser.offset, end: parser.offset };
      report(tooDeep(at, depth));
      yield* composer.end();
      return;
    }
  }
  for (const token of parser.end()) yield* composer.next(token);
  yield* composer.end();
}

/** Runs the parser without stack traces. The traces of all its errors would take seconds in a hostile file. */
function withoutTraces<T>(work: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Returns the problem of too many levels of mappings and lists, which are counted with aliases resolved. */
function tooDeep(at: Range, depth: number): Problem {
  return problemAt(at, "SP1011", `Values are nested deeper than ${depth} levels.`, { hint: raise("depth") });
}

/** A tree with the facts that aliases need. */
interface Built {
  readonly tree: Tree;
  readonly depth: number;
  /** The number of values; those of aliases are counted each time. */
  readonly size: number;
}

interface Context {
  readonly source: SourceText;
  readonly budget: Budget;
  readonly report: ReportProblem;
  /** Values by anchor name so far; undefined while the anchored value itself is being read. */
  readonly anchors: Map<string, Built | undefined>;
}

/**
 * Turns a parsed document into a tree, resolving aliases. An invalid value becomes a broken scalar.
 * Reports SP1001 (unknown alias), SP1002 (not a finite number, half of a character, a name that is not text), SP1004 (merge key), SP1005,
 * SP1011 and SP1014. Throws `ProblemError` if the budget is spent.
 */
function build(context: Context, node: Node): Built {
  if (isAlias(node)) return buildAlias(context, node);
  context.budget.spend(rangeOf(context, node), { values: 1 });
  const { anchor } = node;
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
  return broken(
    context,
    at,
    context.anchors.has(node.source)
      ? problemAt(at, "SP1011", `The alias *${node.source} refers to a value that contains it or is invalid.`)
      : problemAt(at, "SP1001", `There is no anchor &${node.source} before this alias.`, {
          hint: "Put text that begins with * in quotes.",
        }),
  );
}

function buildScalar(context: Context, node: Scalar): Built {
  const at = rangeOf(context, node);
  const { value, source = "" } = node;
  const written = typeof value === "string" ? value : source;
  const isInexact = Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value === "number" && (!Number.isFinite(value) || isInexact)) {
    const fault = Number.isFinite(value) ? "is too large to be exact" : "is not a finite number";
    const hint = "Put it in quotes if it is text.";
    return broken(context, at, problemAt(at, "SP1002", `${written} ${fault}.`, { hint }));
  }
  if (node.type === "PLAIN" && /^([“„”][^“„”]*[“”]|[‘’][^‘’]*[‘’])$/.test(written))
    return broken(context, at, curlyQuotes(at));
  if (typeof value === "string" && !value.isWellFormed()) return broken(context, at, halfCharacter(at));
  if (value === null || typeof value === "boolean" || typeof value === "number" || typeof value === "string")
    return { tree: { is: "scalar", ...at, value, written }, depth: 0, size: 1 };
  return broken(context, at, problemAt(at, "SP1002", "The value is neither text, a number, true, false nor null."));
}

function buildList(context: Context, node: YAMLSeq): Built {
  const parts = node.items.filter(isNode).map((entry) => build(context, entry));
  const at = onFirstLine(rangeOf(context, node));
  return around(context, { is: "list", ...at, entries: parts.map((part) => part.tree) }, parts);
}

function buildMapping(context: Context, node: YAMLMap): Built {
  const at = onFirstLine(rangeOf(context, node));
  const entries = new Map<string, Entry>();
  const parts: Built[] = [];
  for (const pair of node.items) {
    if (isMap(pair.key) || isSeq(pair.key)) {
      const hint = isMap(pair.key) ? "Braces in braces are not filled in: placeholders are ${var.name}." : undefined;
      return broken(context, at, problemAt(rangeOf(context, pair.key), "SP1002", "A key is not text.", { hint }));
    }
    const key = buildKey(context, pair.key, at);
    const value = isNode(pair.value) ? build(context, pair.value) : emptyAfter(key ?? at);
    if (key === undefined) continue;
    const first = entries.get(key.name);
    if (first !== undefined && key.name === "kind" && pointOf(key).column === 1) {
      const hint = "Write a line --- before it.";
      context.report(problemAt(key, "SP1005", "A second document begins here, without a line before it.", { hint }));
      break;
    }
    if (first !== undefined) {
      context.report(problemAt(key, "SP1005", `Duplicate key ${quote(key.name)}.`, { other: first.key }));
      continue;
    }
    entries.set(key.name, { key, value: value.tree });
    parts.push(value);
  }
  return around(context, { is: "mapping", ...at, entries: [...entries.values()] }, parts);
}

function around(context: Context, tree: Tree, parts: readonly Built[]): Built {
  const depth = parts.reduce((deepest, part) => Math.max(deepest, part.depth), 0) + 1;
  const { depth: most } = context.budget.limits;
  if (depth > most) return broken(context, tree, tooDeep(tree, most));
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
  if (!name.isWellFormed()) {
    context.report(halfCharacter(at));
    return undefined;
  }
  if (forbiddenNames.has(name)) {
    context.report(problemAt(at, "SP1014", `The name ${quote(name)} is not allowed.`));
    return undefined;
  }
  if (name === "<<" && isScalar(node) && node.type === "PLAIN") {
    const hint = "YAML 1.2 has no merge keys. Write the fields out, or use forEach.";
    context.report(problemAt(at, "SP1004", "The merge key << is not supported.", { hint }));
    return undefined;
  }
  return { ...at, name };
}

/** Returns the problem of a text that no encoding has: an escape such as `\\ud83d` would be sent as another character. */
function halfCharacter(at: Range): Problem {
  const hint = "Write the character itself, or both of its escapes.";
  return problemAt(at, "SP1002", "The text contains half of a surrogate pair.", { hint });
}

/** Reports a problem. Returns the scalar that takes the place of the value. */
function broken({ report }: Context, { source, start, end }: Range, problem: Problem): Built {
  report(problem);
  return { tree: { is: "scalar", source, start, end, value: null, written: "", broken: true }, depth: 0, size: 1 };
}

function emptyAfter({ source, end }: Range): Built {
  return { tree: { is: "scalar", source, start: end, end, value: null, written: "" }, depth: 0, size: 1 };
}

function rangeOf({ source }: Context, node: Node): Range {
  const [start = 0, end = start] = node.range ?? [];
  return { source, start, end };
}
