import type { z } from "zod";
import { isObject } from "../../core/json.ts";
import { jsonSchema, type Schema } from "./json-schema.ts";

/** What an author needs to know of one field. */
export interface FieldRow {
  /** From the top of the specification down: `rules[].group`, `limits.timeout`, `labels.*`. */
  readonly name: string;
  /** Markdown. */
  readonly type: string;
  readonly required: boolean;
  /** What stands for the field where it is left out; undefined where it is not managed then. */
  readonly default?: unknown;
  /** Markdown. */
  readonly description: string;
}

/** The fields of a specification and of the mappings in it, in the order in which they are written. */
export function fieldRows(spec: z.ZodType): readonly FieldRow[] {
  return rowsOf(jsonSchema(spec), "");
}

function rowsOf(schema: Schema, prefix: string): readonly FieldRow[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const own = Object.entries(asSchema(schema.properties)).flatMap(([name, value]) => {
    const field = asSchema(value);
    const row = {
      name: `${prefix}${name}`,
      type: typeText(field),
      required: required.includes(name),
      ...(field.default === undefined ? {} : { default: field.default }),
      description: typeof field.description === "string" ? field.description : "",
    };
    return [row, ...below(field, row.name)];
  });
  return [...own, ...alternatives(schema).flatMap((branch) => rowsOf(branch, prefix))];
}

/** The fields of mappings within a field. */
function below(field: Schema, name: string): readonly FieldRow[] {
  return [
    ...rowsOf(field, `${name}.`),
    ...("items" in field ? below(asSchema(field.items), `${name}[]`) : []),
    ...(isObject(field.additionalProperties) ? below(field.additionalProperties, `${name}.*`) : []),
  ];
}

/** Whether the field must be there, and what stands for it if not; Markdown. */
export function presenceOf({ required, default: value }: FieldRow): string {
  if (required) return "required";
  return value === undefined ? "optional" : `default ${code(value)}`;
}

function typeText(schema: Schema): string {
  if (schema.secret === true) return "reference to a secret: `${env:NAME}`, `${file:path}`";
  const branches = alternatives(schema);
  if (branches.length > 0) return [...new Set(branches.map(typeText))].join(" or ");
  if (Array.isArray(schema.enum)) return schema.enum.map(code).join(", ");
  if ("const" in schema) return code(schema.const);
  switch (schema.type) {
    case "array":
      return `list of ${typeText(asSchema(schema.items)).replace(/^mapping$/, "mappings")}`;
    case "object":
      return isObject(schema.additionalProperties) ? `mapping to ${typeText(schema.additionalProperties)}` : "mapping";
    case "integer":
      return "whole number";
    case "boolean":
      return "true, false";
    case "string":
      return "text";
    case "number":
    case "null":
      return schema.type;
    default:
      return "anything";
  }
}

function alternatives(schema: Schema): readonly Schema[] {
  const branches = [schema.anyOf, schema.oneOf].find(Array.isArray);
  return (branches ?? []).map(asSchema);
}

function code(value: unknown): string {
  return `\`${typeof value === "string" && value !== "" ? value : JSON.stringify(value).replaceAll(",", ", ")}\``;
}

function asSchema(value: unknown): Schema {
  return isObject(value) ? value : {};
}
