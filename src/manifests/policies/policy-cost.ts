import type { Ajv, Options } from "ajv";
import { RE2JS, RE2JSException } from "re2js";
import { canonicalJson, isObject } from "../../core/json.ts";
import { grouped, quote } from "../../core/words.ts";
import type { Range } from "../yaml/source-text.ts";
import { follow, type Tree, valueRange } from "../yaml/tree.ts";

/*
 * A policy is foreign text that decides how long it takes: patterns can backtrack, references can double at each level,
 * and some keywords compare each entry with every other. So patterns run on an engine without backtracking, and what
 * remains is counted while it happens.
 */

/** Schemas in each other that are compiled; more would take seconds. */
export const mostSchemas = 500;

/** Characters of a pattern. */
const longestPattern = 1000;

/** Counts the steps of a policy. */
export interface Meter {
  /** Throws if there were too many. */
  count: (steps: number) => void;
}

/** Steps that compiling a schema takes: a thousand of them take a tenth or two of a second. */
export const schemaSteps = 15_000;

/** Steps of an alternative: each that does not match makes errors, even if another one does. */
const alternativeSteps = 100;

/** Steps that the compiler of patterns takes for an instruction. */
const compileSteps = 100;

/** Compiles patterns, each once. Throws `RE2JSException`, and what the meter throws. */
type CompilePattern = (pattern: string) => RE2JS;

export function patternCompiler(meter: Meter): CompilePattern {
  const compiled = new Map<string, RE2JS>();
  return (pattern) => {
    const known = compiled.get(pattern);
    if (known !== undefined) return known;
    const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
    meter.count(expression.programSize() * compileSteps);
    compiled.set(pattern, expression);
    return expression;
  };
}

/** Makes Ajv match patterns in linear time. */
export function meteredOptions(compile: CompilePattern, meter: Meter): Options {
  const regExp = (pattern: string) => {
    const expression = compile(pattern);
    const size = expression.programSize();
    return {
      // Ajv knows expressions by this name.
      toString: () => pattern,
      test(text: string) {
        meter.count(size * (text.length + 1));
        return expression.test(text);
      },
    };
  };
  return { code: { regExp: Object.assign(regExp, { code: "policyPattern" }) } };
}

/** The keyword that `withCosts` adds. */
const costKeyword = "setpoint:cost";

/** Teaches an Ajv to count, and to find equal entries without comparing each with all others. */
export function metered<Any extends Ajv>(ajv: Any, meter: Meter): Any {
  ajv.addKeyword({
    keyword: costKeyword,
    schemaType: "number",
    errors: false,
    before: "$ref",
    validate(cost: number, value: unknown) {
      meter.count(cost * (1 + widthOf(value)));
      return true;
    },
  });
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must NOT have duplicate items" },
    validate: (isUnique: boolean, values: readonly unknown[]) =>
      !isUnique || new Set(values.map(canonicalJson)).size === values.length,
  });
  return ajv;
}

/** How much there is to go through on one level. */
function widthOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  return typeof value === "string" ? value.length / 8 : 0;
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** A copy of a schema in which each schema says what it costs. */
export function withCosts(schema: JsonSchema): JsonSchema {
  const inner = (value: unknown) => (isObject(value) ? withCosts(value) : value);
  const copy = Object.entries(schema).map(([keyword, value]) => [keyword, mapSchemas(keyword, value, inner)]);
  return { ...Object.fromEntries(copy), [costKeyword]: 20 + ownSize(schema) };
}

/** What a schema states itself. */
function ownSize(schema: JsonSchema): number {
  return Object.entries(schema).reduce((sum, [keyword, value]) => {
    if (isObject(value) || Array.isArray(value)) return sum + Object.keys(value).length + moreSteps(keyword, value);
    return sum + 1;
  }, 0);
}

function moreSteps(keyword: string, value: object): number {
  if (keyword === "anyOf" || keyword === "oneOf") return Object.keys(value).length * alternativeSteps;
  return keyword === "enum" || keyword === "const" ? JSON.stringify(value).length : 0;
}

const single = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const lists = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const maps = new Set(["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]);

/** The value of a keyword with the schemas in it replaced. */
function mapSchemas(keyword: string, value: unknown, replace: (schema: unknown) => unknown): unknown {
  if (lists.has(keyword) && Array.isArray(value)) return value.map(replace);
  if (single.has(keyword)) return replace(value);
  if (!maps.has(keyword) || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replace(inner)]));
}

/** How many schemas a schema consists of, and the patterns in it that cannot be matched. */
export interface Inspected {
  readonly schemas: number;
  readonly foreign: readonly { readonly at: Range; readonly message: string }[];
}

export function inspect(tree: Tree, compile: CompilePattern): Inspected {
  if (tree.is !== "mapping") return { schemas: 1, foreign: [] };
  const pattern = follow(tree, ["pattern"]);
  const named = follow(tree, ["patternProperties"]).tree;
  const written = [
    ...(pattern.tree.is === "scalar" ? [{ at: valueRange(pattern), pattern: pattern.tree.value }] : []),
    ...(named.is === "mapping" && named !== tree
      ? named.entries.map(({ key }) => ({ at: key, pattern: key.name }))
      : []),
  ];
  const foreign = written.flatMap(({ at, pattern: text }) => {
    const fault = typeof text === "string" ? faultOf(text, compile) : undefined;
    return fault === undefined ? [] : [{ at, message: `The pattern ${quote(String(text))} ${fault}.` }];
  });
  const rules = follow(tree, ["dependentRequired"]).tree;
  const more = rules.is === "mapping" && rules !== tree ? rules.entries.length : 0;
  const inner = tree.entries
    .flatMap(({ key, value }) => innerSchemas(key.name, value))
    .map((one) => inspect(one, compile));
  return {
    schemas: inner.reduce((sum, { schemas }) => sum + schemas, 1 + more),
    foreign: [...foreign, ...inner.flatMap((one) => one.foreign)],
  };
}

function innerSchemas(keyword: string, value: Tree): readonly Tree[] {
  if (lists.has(keyword) && value.is === "list") return value.entries;
  if (maps.has(keyword) && value.is === "mapping") return value.entries.map((entry) => entry.value);
  return single.has(keyword) ? [value] : [];
}

/** Why a pattern cannot be matched in linear time. */
function faultOf(pattern: string, compile: CompilePattern): string | undefined {
  if (pattern.length > longestPattern) return `is longer than ${grouped(longestPattern)} characters`;
  try {
    compile(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `cannot be matched in linear time: ${error.message.replace(/^error parsing regexp: /, "")}`;
  }
}
