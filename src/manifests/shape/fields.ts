import type { z } from "zod";
import {
  alternativesOf,
  itemSchema,
  otherOf,
  resolved,
  type Schema,
  type Subschema,
  schemaOf,
} from "../../core/text/json-schema.ts";

/** What an author needs to know about one field. */
export interface FieldRow {
  /** The path from the top of the specification: `rules[].group`, `limits.timeout`, `labels.*`. */
  readonly name: string;
  /** Markdown. */
  readonly type: string;
  readonly required: boolean;
  /** Whether its mapping has several forms, and only some of them have the field. */
  readonly oneForm?: true;
  /** The default of the field; undefined if the field is not managed when it is omitted. */
  readonly default?: unknown;
  /** Markdown. */
  readonly description: string;
}

/** Returns the fields of a specification and of the mappings in it, in the order in which they are written. */
export function fieldRows(spec: z.ZodType): readonly FieldRow[] {
  const root = schemaOf(spec);
  return rowsOf(root, root, "");
}

/** Returns the rows of a schema. A recursive mapping is described once: a reference to another place has no rows. */
function rowsOf(schema: Subschema, root: Schema, name: string): readonly FieldRow[] {
  if (typeof schema !== "object" || schema.$ref !== undefined) return [];
  const forms = alternativesOf(schema, root);
  return forms.flatMap((branch) => {
    const { properties = {}, required = [] } = branch;
    const own = Object.entries(properties).flatMap(([key, property]) => {
      const field = resolved(property, root);
      const row = {
        name: name === "" ? key : `${name}.${key}`,
        type: typeText(field, root),
        required: required.includes(key),
        ...(forms.some((form) => form.properties && !(key in form.properties)) ? { oneForm: true as const } : {}),
        ...(field.default === undefined ? {} : { default: field.default }),
        description: field.description ?? "",
      };
      return [row, ...rowsOf(property, root, row.name)];
    });
    return [...own, ...rowsOf(itemSchema(branch), root, `${name}[]`), ...rowsOf(otherOf(branch), root, `${name}.*`)];
  });
}

/** Returns whether the field is required, and its default, as Markdown. */
export function presenceOf({ required, oneForm, default: value }: FieldRow): string {
  if (required) return oneForm ? "required in this form" : "required";
  return value === undefined ? "optional" : `default ${code(value)}`;
}

function typeText(schema: Subschema, root: Schema): string {
  if (typeof schema !== "object" || schema.$ref !== undefined) return "anything";
  const [branch = {}, ...others] = alternativesOf(schema, root);
  if (branch.secret === true) return "reference to a secret: `${env:NAME}`, `${file:path}`";
  if (others.length > 0) return [...new Set([branch, ...others].map((one) => typeText(one, root)))].join(" or ");
  if (branch.enum !== undefined) return branch.enum.map(code).join(", ");
  if (branch.const !== undefined) return code(branch.const);
  const other = otherOf(branch);
  switch (branch.type) {
    case "array":
      return `list of ${typeText(itemSchema(branch), root).replace(/^mapping$/, "mappings")}`;
    case "object":
      return other === undefined ? "mapping" : `mapping to ${typeText(other, root)}`;
    case "integer":
      return "whole number";
    case "boolean":
      return "true, false";
    case "string":
      return "text";
    case "number":
    case "null":
      return branch.type;
    default:
      return "anything";
  }
}

function code(value: unknown): string {
  return `\`${typeof value === "string" && value !== "" ? value : JSON.stringify(value).replaceAll(",", ", ")}\``;
}
