import { z } from "zod";
import { isObject } from "../../core/json.ts";

type Schema = Readonly<Record<string, unknown>>;

/** What a schema tells of the places in a value. */
export interface SpecShape {
  /** Names that a mapping at a path may have; none where any name may stand. */
  fieldsAt(path: readonly PropertyKey[]): readonly string[];
  /** Whether a place is marked `.meta({ secret: true })`. */
  isSecret(path: readonly PropertyKey[]): boolean;
  hasSecrets(): boolean;
}

/** The shape of a schema; its JSON Schema is built when first asked for. */
export function shapeOf(schema: z.ZodType): SpecShape {
  let built: Schema | undefined;
  const root = () => {
    built ??= asSchema(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
    return built;
  };
  const at = (path: readonly PropertyKey[]) =>
    path.reduce<readonly Schema[]>(
      (schemas, step) => schemas.flatMap((inner) => branches(root(), [below(inner, step)])),
      branches(root(), [root()]),
    );
  return {
    fieldsAt: (path) => [...new Set(at(path).flatMap((inner) => Object.keys(asSchema(inner.properties))))],
    isSecret: (path) => at(path).some((inner) => inner.secret === true),
    hasSecrets: () => JSON.stringify(root()).includes('"secret":true'),
  };
}

/** The schemas themselves and what they refer to or offer as alternatives. */
function branches(root: Schema, schemas: readonly Schema[]): readonly Schema[] {
  const found = new Set(schemas);
  // A set's iteration visits what is added meanwhile.
  for (const schema of found) {
    for (const branch of [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) =>
      Array.isArray(list) ? list : [],
    ))
      found.add(asSchema(branch));
    if (typeof schema.$ref === "string") found.add(resolve(root, schema.$ref));
  }
  return [...found];
}

function below(schema: Schema, step: PropertyKey): Schema {
  if (typeof step === "number") {
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems[step] : undefined;
    return asSchema(first ?? schema.items);
  }
  const properties = asSchema(schema.properties);
  const name = String(step);
  return asSchema(Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties);
}

/** Follows `#/$defs/name`. */
function resolve(root: Schema, reference: string): Schema {
  return reference
    .split("/")
    .slice(1)
    .reduce<Schema>((schema, name) => asSchema(schema[name]), root);
}

function asSchema(value: unknown): Schema {
  return isObject(value) ? value : {};
}
