import type { Problem } from "../../core/problem.ts";
import { didYouMean, quote } from "../../core/text/words.ts";
import { escapedText } from "../../core/trigger.ts";
import type { Budget } from "../yaml/budget.ts";
import { problemAt, type Range, type ReportProblem } from "../yaml/source-text.ts";
import { type Entry, entryOf, forbiddenNames, type Key, type Scalar, sizeOf, type Tree } from "../yaml/tree.ts";

/** The values that placeholders can name. */
export interface TemplateScope {
  readonly variables: ReadonlyMap<string, Tree>;
  /** The current entry of forEach; undefined outside forEach. */
  readonly each: Tree | undefined;
  /** The first entry of forEach. */
  readonly first?: Tree | undefined;
  /** Facts about the run, where placeholders can name them. */
  readonly run?: Tree;
}

export interface Substitution {
  readonly scope: TemplateScope;
  readonly budget: Budget;
  readonly report: ReportProblem;
}

/**
 * Replaces `${var.name}` and `${each.name}` in every string and every key. A string that is exactly one placeholder
 * becomes the value; inside a longer string the value must be a scalar and is inserted as written. `$${` stands for `${`.
 * References to secrets, `${env:NAME}` and `${file:path}`, stay unchanged and mark the string as secret.
 *
 * Reports SP1002 (a list or mapping inside text), SP1005, SP1014 and SP1015 (all three for keys), and SP1007. Throws
 * `ProblemError` with SP1011 if the budget is spent.
 */
export function substitute(tree: Tree, substitution: Substitution): Tree {
  const values = literalSize(tree);
  if (values === undefined || !substitution.budget.affords({ values })) return filled(tree, substitution);
  substitution.budget.spend(tree, { values });
  return tree;
}

/** Returns the number of values in a tree without placeholders; undefined if it has one. */
function literalSize(tree: Tree): number | undefined {
  if (tree.is === "scalar") return typeof tree.value === "string" && tree.value.includes("${") ? undefined : 1;
  let size = 1;
  for (const part of tree.entries) {
    const isEntry = "key" in part;
    const inner = isEntry && part.key.name.includes("${") ? undefined : literalSize(isEntry ? part.value : part);
    if (inner === undefined) return undefined;
    size += inner;
  }
  return size;
}

function filled(tree: Tree, substitution: Substitution): Tree {
  substitution.budget.spend(tree, { values: 1 });
  switch (tree.is) {
    case "scalar":
      return typeof tree.value === "string" && tree.value.includes("${") ? fill(tree, tree.value, substitution) : tree;
    case "list":
      return { ...tree, entries: tree.entries.map((entry) => filled(entry, substitution)) };
    case "mapping": {
      const entries = new Map<string, Entry>();
      for (const entry of tree.entries) {
        const key = entry.key.name.includes("${") ? fillKey(entry.key, substitution) : entry.key;
        const first = key === undefined ? undefined : entries.get(key.name);
        if (key !== undefined && first !== undefined)
          substitution.report(problemAt(key, "SP1005", `Duplicate key ${quote(key.name)}.`, { other: first.key }));
        else if (key !== undefined) entries.set(key.name, { key, value: filled(entry.value, substitution) });
      }
      return { ...tree, entries: [...entries.values()] };
    }
  }
}

function fillKey(key: Key, substitution: Substitution): Key | undefined {
  const scalar: Scalar = { ...key, is: "scalar", value: key.name, written: key.name };
  const named = fill(scalar, key.name, substitution);
  if (named.is === "scalar" && named.broken) return undefined;
  const refused = refusalOf(key, named);
  if (refused !== undefined) substitution.report(refused);
  else if (named.is === "scalar") return { ...key, name: named.written };
  return undefined;
}

/** Returns the problem of a value that cannot be a key. */
function refusalOf(key: Key, named: Tree): Problem | undefined {
  if (named.is !== "scalar")
    return problemAt(key, "SP1002", `${quote(key.name)} is a ${named.is}, which cannot be a key.`);
  if (named.value === null) return problemAt(key, "SP1007", `${quote(key.name)} has no value.`);
  if (named.secret) return problemAt(key, "SP1015", "A reference to a secret cannot be a key.");
  if (!forbiddenNames.has(named.written)) return undefined;
  return problemAt(key, "SP1014", `The name ${quote(named.written)} is not allowed.`);
}

/** Fills in one string. A string that is exactly one placeholder becomes the value, at the place of the placeholder. */
function fill(at: Scalar, text: string, { scope, budget, report }: Substitution): Tree {
  const { source, start, end } = at;
  budget.spend(at, { characters: text.length });
  // Facts about a run are filled in later, so text that is literal now must stay literal then.
  const literal = scope.run === undefined ? (written: string) => written : escapedText;
  const parts: string[] = [];
  let secret = false;
  let broken = false;
  let searchFrom = start;
  for (const part of partsOf(text)) {
    if (part.is !== "placeholder") {
      parts.push(part.is === "text" ? literal(part.text) : part.text);
      secret ||= part.is === "secret";
      continue;
    }
    const found = lookUp(part.name, scope);
    if (found !== undefined && part.text === text) {
      budget.spend(at, { values: sizeOf(found) });
      return inPlace(found, at);
    }
    if (found?.is === "scalar" && found.broken) broken = true;
    else if (found?.is === "scalar" && found.value !== null) {
      parts.push(found.written);
      secret ||= found.secret === true;
      budget.spend(at, { characters: found.written.length });
    } else {
      const place = placeholderIn(at, part.text, searchFrom);
      searchFrom = place.end;
      report(unfilled(place, part.name, found, scope));
      broken = true;
    }
  }
  if (broken) return { is: "scalar", source, start, end, value: null, written: "", broken };
  const value = parts.join("");
  return { is: "scalar", source, start, end, value, written: value, ...(secret ? { secret } : {}) };
}

/** Puts a value in place of its placeholder. */
function inPlace(found: Tree, { source, start, end }: Range): Tree {
  const { from = found } = found;
  return { ...found, source, start, end, from };
}

/** The problem of a placeholder whose value is missing, or cannot be part of a text. */
function unfilled(place: Range, name: string | undefined, found: Tree | undefined, scope: TemplateScope): Problem {
  if (name === undefined) return problemAt(place, "SP1007", 'A placeholder has no closing "}".', { hint: literalHint });
  if (found === undefined || found.is === "scalar")
    return problemAt(place, "SP1007", unresolved(name, scope), {
      hint: hintFor(name, scope),
      other: found ?? entryWithout(name, scope),
    });
  return problemAt(place, "SP1002", `\${${name}} is a ${found.is} and cannot be used inside text.`);
}

/**
 * Returns the entry of forEach that lacks what a placeholder names, or the part of it that does. If the first entry lacks it too,
 * it stands for all, because the name may be wrong.
 */
function entryWithout(name: string, { each, first }: TemplateScope): Tree | undefined {
  const [root, ...path] = name.split(".");
  if (root !== "each") return undefined;
  const entry = walk(first, path) === undefined ? first : each;
  return walk(entry, path.slice(0, -1)) ?? entry;
}

type Part =
  | { readonly is: "text" | "secret"; readonly text: string }
  /** The name is undefined if the closing brace is missing. */
  | { readonly is: "placeholder"; readonly text: string; readonly name: string | undefined };

/** Splits a string into its parts, always in one pass. */
function partsOf(text: string): readonly Part[] {
  return text.split(/(\$\$\{|\$\{[^}]*\}?)/).map((part, index): Part => {
    if (part === "$${") return { is: "text", text: "${" };
    // Every second part is what the others were split at.
    if (index % 2 === 0) return { is: "text", text: part };
    if (!part.endsWith("}")) return { is: "placeholder", text: part, name: undefined };
    const name = part.slice(2, -1);
    return /^(env|file):./s.test(name) ? { is: "secret", text: part } : { is: "placeholder", text: part, name };
  });
}

/** Returns the value of `var.name`, `each.name` or `run.name`; further names select fields of mappings. */
function lookUp(name = "", { variables, each, run }: TemplateScope): Tree | undefined {
  const [root, ...path] = name.split(".");
  const [first, ...rest] = path;
  if (root === "each") return walk(each, path);
  if (root === "run") return path.length === 0 ? undefined : walk(run, path);
  return root === "var" && first !== undefined ? walk(variables.get(first), rest) : undefined;
}

function walk(from: Tree | undefined, path: readonly string[]): Tree | undefined {
  return path.reduce((tree, name) => (tree === undefined ? undefined : entryOf(tree, name)?.value), from);
}

/** Returns the place of a placeholder in the file; the whole string if it is written with escapes. */
function placeholderIn(at: Scalar, placeholder: string, from: number): Range {
  const start = at.source.text.slice(from, at.end).indexOf(placeholder);
  return start === -1 ? at : { source: at.source, start: from + start, end: from + start + placeholder.length };
}

const literalHint = "Write $${ for a literal ${.";

function unresolved(name: string, scope: TemplateScope): string {
  const [root, first = ""] = name.split(".");
  const parts = root === "each" ? scope.each : root === "run" ? scope.run : undefined;
  const known = root === "var" ? [...scope.variables.keys()] : namesOf(parts);
  const suggestion = known.includes(first) ? "" : didYouMean(first, known).replace(/"(.*)"/, `"\${${root}.$1}"`);
  return `${quote(`\${${name}}`)} has no value.${suggestion}`;
}

function namesOf(tree: Tree | undefined): readonly string[] {
  return tree?.is === "mapping" ? tree.entries.map(({ key }) => key.name) : [];
}

function hintFor(name: string, scope: TemplateScope): string | undefined {
  if (/^var\.[^.]/.test(name)) return "Give it a value with --var, --values, or under variables in the workspace file.";
  const facts = namesOf(scope.run).map((fact) => `\${run.${fact}}`);
  if (facts.length > 0 && /^run(\.|$)/.test(name)) return `Facts about a run: ${facts.join(", ")}.`;
  if (!/^each(\.|$)/.test(name)) return `Placeholders are \${var.name}, \${each.name} and \${each}. ${literalHint}`;
  if (scope.each === undefined) return "The document has no forEach.";
  if (name === "each") return undefined;
  const names = namesOf(scope.each);
  return names.length === 0 ? "Its forEach has plain values: write ${each}." : `forEach provides ${names.join(", ")}.`;
}
