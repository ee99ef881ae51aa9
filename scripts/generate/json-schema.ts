import { z } from "zod";
import { isObject } from "../../src/core/text/json.ts";

/** A JSON Schema of draft 7, which the YAML language server of editors supports best. */
export type Schema = Readonly<Record<string, unknown>>;

/** The JSON Schema for the input of `schema`, without what only the program needs. */
export function jsonSchema(schema: z.ZodType): Schema {
  const { $schema: _draft, ...derived } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
  });
  return mapSchema(derived, tidy);
}

const byName = new Set(["properties", "patternProperties", "definitions"]);
const inner = new Set(["items", "additionalProperties", "propertyNames", "not", "if", "then", "else"]);
const lists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);

/** Rebuilds a schema from the innermost schemas outward, each changed by `change`. */
export function mapSchema(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const one = (value: unknown) => (isObject(value) ? mapSchema(value, change) : value);
  const mapped = Object.entries(schema).map(([keyword, value]): readonly [string, unknown] => {
    if (byName.has(keyword) && isObject(value))
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, one(schema)]))];
    if (lists.has(keyword) && Array.isArray(value)) return [keyword, value.map(one)];
    return [keyword, inner.has(keyword) ? one(value) : value];
  });
  return change(Object.fromEntries(mapped));
}

/** Removes keywords that say nothing to an author. */
function tidy({ readOnly: _readOnly, ...schema }: Schema): Schema {
  const says = ([keyword, value]: readonly [string, unknown]) =>
    !(keyword === "minimum" && value === Number.MIN_SAFE_INTEGER) &&
    !(keyword === "maximum" && value === Number.MAX_SAFE_INTEGER) &&
    !(keyword === "propertyNames" && JSON.stringify(value) === '{"type":"string"}');
  return Object.fromEntries(Object.entries(schema).filter(says));
}
