import { z } from "zod";
import { mapSchema, type WrittenSchema } from "../../src/core/text/json-schema.ts";

/**
 * The JSON Schema for the input of `schema`, without what only the program needs. In draft 7, which the YAML language
 * server of editors supports best.
 */
export function jsonSchema(schema: z.ZodType): WrittenSchema {
  const { $schema: _draft, ...derived } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
  });
  return mapSchema(derived, tidy);
}

/** Removes keywords that say nothing to an author. */
function tidy({ readOnly: _readOnly, ...schema }: WrittenSchema): WrittenSchema {
  const says = ([keyword, value]: readonly [string, unknown]) =>
    !(keyword === "minimum" && value === Number.MIN_SAFE_INTEGER) &&
    !(keyword === "maximum" && value === Number.MAX_SAFE_INTEGER) &&
    !(keyword === "propertyNames" && JSON.stringify(value) === '{"type":"string"}');
  return Object.fromEntries(Object.entries(schema).filter(says));
}
