import { Command } from "commander";
import type { Operation } from "../../../core/operation.ts";
import { ProblemError } from "../../../core/problem.ts";
import { mistakesOf, pathText, unshown } from "../../../core/text/issues.ts";
import { isObject, type Json, type JsonObject } from "../../../core/text/json.ts";
import { alternativesOf, itemSchema, resolved, type Schema, schemaOf } from "../../../core/text/json-schema.ts";
import { readJson, tooDeep } from "../../../core/text/json-text.ts";
import { addCallOptions } from "../../options/options.ts";

type Type = "null" | "boolean" | "number" | "string" | "array" | "object";

/** An argument of an operation, as an option on the command line. */
export interface ArgumentOption {
  readonly name: string;
  /** Such as `--page-id`. */
  readonly flag: string;
  readonly required: boolean;
  readonly schema: Schema;
  /** The types that the value can have; empty if it can only be a list. */
  readonly types: ReadonlySet<Type>;
  /** The types that an entry can have if the value can be a list; each entry is one option. */
  readonly entryTypes: ReadonlySet<Type>;
}

/** The arguments of an operation in the order of its row. */
export function argumentOptions({ args }: Operation): readonly ArgumentOption[] {
  const root = schemaOf(args);
  return Object.entries(root.properties ?? {}).map(([name, property]) => {
    const schema = resolved(property, root);
    const branches = alternativesOf(schema, root).map((branch) => ({ branch, entry: itemSchema(branch) }));
    const typesBelow = (schemas: readonly Schema[]) => new Set(schemas.flatMap(typesOf));
    return {
      name,
      flag: flagOf(name),
      required: root.required?.includes(name) === true,
      schema,
      types: typesBelow(branches.flatMap(({ branch, entry }) => (entry === undefined ? [branch] : []))),
      entryTypes: typesBelow(branches.flatMap(({ entry }) => (entry === undefined ? [] : alternativesOf(entry, root)))),
    };
  });
}

const ownFlags = addCallOptions(new Command()).options.map(({ long }) => long);

/**
 * The option for an argument: `--page-id` for `pageId` and `page_id`, `--source-url` for `sourceURL`. An argument with the name
 * of an option of `call` itself gets a prefix: `--arg-body`.
 */
export function flagOf(name: string): string {
  const words = name.replaceAll("_", "-").replace(/([a-z0-9])([A-Z])/g, "$1-$2");
  const flag = `--${words.toLowerCase()}`;
  return ownFlags.includes(flag) ? flag.replace("--", "--arg-") : flag;
}

function typesOf({ type, const: constant, enum: values = constant === undefined ? [] : [constant] }: Schema): Type[] {
  const stated = [type ?? []].flat().map((name) => (name === "integer" ? "number" : name));
  if (stated.length > 0) return stated;
  return values.length > 0 ? values.map(typeOf) : ["null", "boolean", "number", "string", "array", "object"];
}

function typeOf(value: Json): Type {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return "number";
  return typeof value === "string" ? "string" : "object";
}

/**
 * The value of an option that was given once or several times. If it cannot be a list, the last one counts. Throws
 * `ProblemError` SP5001 for a value that is nested too deeply.
 */
export function argumentValue({ flag, types, entryTypes }: ArgumentOption, texts: readonly string[]): Json {
  const oneValue = (allowed: ReadonlySet<Type>, text: string) => valueIn(flag, allowed, text);
  const last = texts.at(-1) ?? "";
  if (entryTypes.size === 0) return oneValue(types, last);
  if (texts.length > 1) return texts.map((text) => oneValue(entryTypes, text));
  const value = oneValue(new Set([...types, ...entryTypes, "string", "array"]), last);
  if (Array.isArray(value)) return value;
  if (isObject(value) && !types.has("object")) return [value];
  return types.size > 0 ? oneValue(types, last) : [oneValue(entryTypes, last)];
}

/** Parses a string as JSON if a value of that type is allowed; otherwise returns the string itself. */
function valueIn(flag: string, types: ReadonlySet<Type>, text: string): Json {
  if (types.size === 1 && types.has("string")) return text;
  const read = readJson(text);
  if (read.is === "too deep") throw new ProblemError({ code: "SP5001", message: `${flag} is ${tooDeep}.` });
  if (read.is === "not JSON") return text;
  const { value } = read;
  // A number that can also be a name stays as it was written: 1.0 is not 1.
  const changes = typeof value === "number" && types.has("string") && String(value) !== text;
  return changes || !types.has(typeOf(value)) ? text : value;
}

/** The errors in the arguments, each as a sentence that names the option. */
export function argumentMistakes(
  operation: Operation,
  options: readonly ArgumentOption[],
  args: JsonObject,
): readonly string[] {
  const { error } = operation.args.safeParse(args);
  const nameOf = ([name, ...below]: readonly PropertyKey[]) =>
    name === undefined ? "The call" : pathText([options.find((one) => one.name === name)?.flag ?? name, ...below]);
  return mistakesOf(unshown(args, nameOf), error?.issues ?? []).map(({ is, path, sentence }) =>
    is === "missing" && path.length === 1 ? `${nameOf(path)} is missing.` : sentence,
  );
}
