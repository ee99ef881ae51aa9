import type { z } from "zod";
import { branchesOf, partAt, type Schema, schemaOf } from "../../core/json-schema.ts";

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
    built ??= schemaOf(schema);
    return built;
  };
  const at = (path: readonly PropertyKey[]) =>
    path.reduce<readonly Schema[]>(
      (schemas, step) => schemas.flatMap((inner) => branchesOf(partAt(inner, step), root())),
      branchesOf(root(), root()),
    );
  return {
    fieldsAt: (path) => [...new Set(at(path).flatMap(({ properties = {} }) => Object.keys(properties)))],
    isSecret: (path) => at(path).some((inner) => inner.secret === true),
    hasSecrets: () => JSON.stringify(root()).includes('"secret":true'),
  };
}
