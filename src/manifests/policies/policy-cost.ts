import type { Ajv, Options } from "ajv";
import { RE2JS, RE2JSException } from "re2js";
import { onceEach } from "../../core/once.ts";
import { canonicalJson, isObject } from "../../core/text/json.ts";
import { holding, mapSchema, type WrittenSchema } from "../../core/text/json-schema.ts";
import { grouped, quote } from "../../core/text/words.ts";
import type { Range } from "../yaml/source-text.ts";
import { entryOf, follow, type Tree, valueRange } from "../yaml/tree.ts";

/*
 * A policy is untrusted input that determines its own running time: patterns can backtrack, references can double at each
 * level, and some keywords compare each entry with every other. So patterns run on an engine without backtracking, and
 * all other work is counted as it happens.
 */

/** The maximum number of nested schemas in a policy; more would take seconds to compile. */
export const mostSchemas = 500;

/** The maximum length of a pattern in characters. */
const longestPattern = 1000;

export interface Meter {
  /** Throws if there are too many. */
  count: (steps: number) => void;
}

/** The steps that compiling one schema costs; compiling a thousand takes 0.1 to 0.2 seconds. */
export const schemaSteps = 15_000;

/** The steps of an alternative: each one that does not match produces errors, even if another one matches. */
const alternativeSteps = 100;

/** The steps that the pattern compiler takes for each instruction. */
const compileSteps = 100;

/** Compiles patterns, each once. Throws `RE2JSException`, and what the meter throws. */
type CompilePattern = (pattern: string) => RE2JS;

export function patternCompiler(meter: Meter): CompilePattern {
  return onceEach((pattern) => {
    const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
    meter.count(expression.programSize() * compileSteps);
    return expression;
  });
}

/** Makes Ajv match patterns in linear time. */
export function meteredOptions(compile: CompilePattern, meter: Meter): Options {
  const regExp = (pattern: string) => {
    const expression = compile(pattern);
    const size = expression.programSize();
    return {
      // Ajv uses this name as the key of the expression.
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

/** Makes an Ajv instance count steps, and find equal entries without comparing each with all others. */
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

/** Returns how much there is to visit on one level. */
function widthOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  return typeof value === "string" ? value.length / 8 : 0;
}

/** Returns a copy of a schema in which each subschema states its cost. */
export function withCosts(schema: WrittenSchema): WrittenSchema {
  return mapSchema(schema, (copy, original) => ({ ...copy, [costKeyword]: 20 + ownSize(original) }));
}

/** Returns the size of a schema without its subschemas. */
function ownSize(schema: WrittenSchema): number {
  return Object.entries(schema).reduce((sum, [keyword, value]) => {
    if (isObject(value) || Array.isArray(value)) return sum + Object.keys(value).length + moreSteps(keyword, value);
    return sum + 1;
  }, 0);
}

function moreSteps(keyword: string, value: object): number {
  if (keyword === "anyOf" || keyword === "oneOf") return Object.keys(value).length * alternativeSteps;
  return keyword === "enum" || keyword === "const" ? JSON.stringify(value).length : 0;
}

/** The number of schemas that a schema consists of, and its patterns that cannot be matched. */
export interface Inspected {
  readonly schemas: number;
  readonly foreign: readonly { readonly at: Range; readonly message: string }[];
}

export function inspect(tree: Tree, compile: CompilePattern): Inspected {
  if (tree.is !== "mapping") return { schemas: 1, foreign: [] };
  const pattern = follow(tree, ["pattern"]);
  const named = entryOf(tree, "patternProperties")?.value;
  const written = [
    ...(pattern.tree.is === "scalar" ? [{ at: valueRange(pattern), pattern: pattern.tree.value }] : []),
    ...(named?.is === "mapping" ? named.entries.map(({ key }) => ({ at: key, pattern: key.name })) : []),
  ];
  const foreign = written.flatMap(({ at, pattern: text }) => {
    const fault = typeof text === "string" ? faultOf(text, compile) : undefined;
    return fault === undefined ? [] : [{ at, message: `The pattern ${quote(String(text))} ${fault}.` }];
  });
  const rules = entryOf(tree, "dependentRequired")?.value;
  const more = rules?.is === "mapping" ? rules.entries.length : 0;
  const inner = tree.entries
    .flatMap(({ key, value }) => innerSchemas(key.name, value))
    .map((one) => inspect(one, compile));
  return {
    schemas: inner.reduce((sum, { schemas }) => sum + schemas, 1 + more),
    foreign: [...foreign, ...inner.flatMap((one) => one.foreign)],
  };
}

function innerSchemas(keyword: string, value: Tree): readonly Tree[] {
  if (holding.lists.has(keyword) && value.is === "list") return value.entries;
  if (holding.maps.has(keyword) && value.is === "mapping") return value.entries.map((entry) => entry.value);
  return holding.single.has(keyword) ? [value] : [];
}

/** Returns why a pattern cannot be matched in linear time. */
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
