import { z } from "zod";
import { isObject } from "../core/text/json.ts";

/** The members of a record that were not understood, by name. */
const Unclear = z.record(z.string(), z.unknown());

/**
 * Decodes a record that carries authority member by member. A member that does not fit the schema is moved to `unclear`,
 * and so is an unknown member if the schema is strict. What is not understood is therefore neither replaced by a default
 * nor lost, and a strange record leaves the others of a list readable. A member that the schema requires is still
 * required.
 * @see docs/decisions/authority.md
 */
export function withUnclear<Shape extends z.ZodRawShape, Config extends z.core.$ZodObjectConfig>(
  schema: z.ZodObject<Shape, Config>,
) {
  return z.preprocess((value) => separate(schema, value), schema.extend({ unclear: Unclear.optional() }));
}

function separate(schema: z.ZodObject, value: unknown): unknown {
  if (!isObject(value)) return value;
  const issues = schema.safeParse(value).error?.issues ?? [];
  if (issues.length === 0 && !Object.hasOwn(value, "unclear")) return value;
  const names = new Set<PropertyKey | undefined>([
    "unclear",
    ...issues.flatMap(({ path, ...issue }) =>
      path.length === 0 && issue.code === "unrecognized_keys" ? issue.keys : path[0],
    ),
  ]);
  for (const [name, member] of Object.entries(schema.shape))
    if (!member.safeParse(undefined).success) names.delete(name);
  const entries = Object.entries(value);
  const strange = entries.filter(([name]) => names.has(name));
  if (strange.length === 0) return value;
  const clear = entries.filter(([name]) => !names.has(name));
  return { ...Object.fromEntries(clear), unclear: Object.fromEntries(strange) };
}
