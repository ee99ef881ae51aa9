import { mapSchema, type WrittenSchema } from "../../src/core/text/json-schema.ts";

/** Accepts a placeholder such as `${var.name}` in place of anything but free text. */
export function withPlaceholders(schema: WrittenSchema): WrittenSchema {
  return mapSchema(schema, acceptPlaceholder);
}

const constraints = ["enum", "const", "pattern", "format", "maxLength"];

function acceptPlaceholder({ secret: _programOnly, ...schema }: WrittenSchema): WrittenSchema {
  const { type } = schema;
  const isConstrained = constraints.some((keyword) => keyword in schema);
  if (typeof type !== "string" || type === "null" || (type === "string" && !isConstrained)) return schema;
  if (type === "string" || isConstrained) {
    const { description, default: value, ...rest } = schema;
    const outer = Object.entries({ description, default: value }).filter(([, part]) => part !== undefined);
    return { ...Object.fromEntries(outer), anyOf: [rest, { $ref: "#/definitions/Placeholder" }] };
  }
  return {
    ...schema,
    type: [type, "string"],
    pattern: "^\\$\\{[^}]+\\}$",
    // Not a standard keyword: editors show it instead of the pattern.
    patternErrorMessage: `Expected ${words[type] ?? type}, or one placeholder such as \${var.name}.`,
  };
}

const words: Readonly<Record<string, string>> = {
  boolean: "true or false",
  number: "a number",
  integer: "a whole number",
  array: "a list",
  object: "a mapping",
};

/** The definition that `withPlaceholders` refers to. */
export const placeholderDefinition: WrittenSchema = {
  type: "string",
  pattern: "\\$\\{",
  description: "Text with a placeholder, such as `${var.name}` or `${each.name}`.",
};
