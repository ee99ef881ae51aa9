import { z } from "zod";
import { once, onceFor } from "../once.ts";
import { isObject } from "./json.ts";

export type Schema = z.core.JSONSchema.JSONSchema;
/** A schema, or what JSON Schema allows instead of one. */
export type Subschema = Schema | boolean | undefined;

/** A schema of any draft, of which nothing is known. */
export type WrittenSchema = Readonly<Record<string, unknown>>;

/** The keywords that hold one schema, a list of schemas, or schemas by name. */
export const holding = {
  single: new Set([
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
  ]),
  lists: new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]),
  maps: new Set(["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]),
};

/** Rebuilds a schema from the innermost schemas outward. `change` gets each with its subschemas changed, and as it was. */
export function mapSchema(
  schema: WrittenSchema,
  change: (copy: WrittenSchema, original: WrittenSchema) => WrittenSchema,
): WrittenSchema {
  const one = (value: unknown) => (isObject(value) ? mapSchema(value, change) : value);
  const copy = Object.entries(schema).map(([keyword, value]) => {
    if (holding.lists.has(keyword) && Array.isArray(value)) return [keyword, value.map(one)];
    if (holding.single.has(keyword)) return [keyword, one(value)];
    if (!holding.maps.has(keyword) || !isObject(value)) return [keyword, value];
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, one(inner)]))];
  });
  return change(Object.fromEntries(copy), schema);
}

/** The JSON Schema of what may be written where `schema` is expected. */
export function schemaOf(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

/** Returns a schema merged with what it refers to within `root`; its own members take precedence. */
export function resolved(schema: Subschema, root: Schema): Schema {
  if (typeof schema !== "object") return {};
  if (schema.$ref === undefined) return schema;
  const { $ref, ...own } = schema;
  return { ...($ref === "#" ? root : root.$defs?.[$ref.replace("#/$defs/", "")]), ...own };
}

/**
 * Returns the alternatives of a schema, and its parts that must all match, each fully expanded and merged with what the
 * schema itself says.
 */
export function alternativesOf(schema: Subschema, root: Schema): readonly Schema[] {
  const whole = resolved(schema, root);
  const { anyOf, oneOf, allOf } = whole;
  if (anyOf === undefined && oneOf === undefined && allOf === undefined) return [whole];
  const { anyOf: _any, oneOf: _one, allOf: _all, ...own } = whole;
  return [anyOf, oneOf, allOf]
    .flatMap((branches = []) => branches)
    .flatMap((branch) => alternativesOf(branch, root).map((inner) => ({ ...inner, ...own })));
}

/** The schema of a list's entries, whatever their place; undefined if there is none. */
export function itemSchema({ items }: Schema): Schema | undefined {
  return typeof items === "object" && !Array.isArray(items) ? items : undefined;
}

/** The schema of a mapping's values under unknown names; undefined if there is none. */
export function otherOf({ additionalProperties: other }: Schema): Schema | undefined {
  return typeof other === "object" ? other : undefined;
}

/** The schema of a field, by its name, or of an entry, by its number. */
export function partAt(schema: Schema, step: PropertyKey): Subschema {
  if (typeof step === "number") return schema.prefixItems?.[step] ?? itemSchema(schema);
  const { properties = {} } = schema;
  return Object.hasOwn(properties, step) ? properties[String(step)] : otherOf(schema);
}

/** What a schema says about places in a value. */
export interface SpecShape {
  /** Names that a mapping at a path can have; none if any name is allowed. */
  fieldsAt(path: readonly PropertyKey[]): readonly string[];
  /** Whether a place is marked `.meta({ secret: true })`. */
  isSecret(path: readonly PropertyKey[]): boolean;
  hasSecrets(): boolean;
}

/** The shape of a schema; its JSON Schema is built on first use. */
export const shapeOf: (schema: z.ZodType) => SpecShape = onceFor((schema) => {
  const root = once(() => schemaOf(schema));
  const at = (path: readonly PropertyKey[]) =>
    path.reduce<readonly Schema[]>(
      (schemas, step) => schemas.flatMap((inner) => alternativesOf(partAt(inner, step), root())),
      alternativesOf(root(), root()),
    );
  return {
    fieldsAt: (path) => [...new Set(at(path).flatMap(({ properties = {} }) => Object.keys(properties)))],
    isSecret: (path) => at(path).some((inner) => inner.secret === true),
    hasSecrets: once(() => isMarked(schema, new Set())),
  };
});

/** Whether a schema or a part of it is marked secret. Asked of every kind, most of which never need their JSON Schema. */
function isMarked(value: unknown, seen: Set<object>): boolean {
  if (typeof value !== "object" || value === null || seen.has(value)) return false;
  seen.add(value);
  if (value instanceof z.ZodLazy) return isMarked(value.unwrap(), seen);
  if (!(value instanceof z.ZodType)) return Object.values(value).some((inner) => isMarked(inner, seen));
  const { checks: _checks, ...def } = value.def;
  return z.globalRegistry.get(value)?.secret === true || isMarked(def, seen);
}
