import { z } from "zod";

type Part = z.core.$ZodType;

/**
 * Returns a schema whose records keep the fields it does not name, at every depth, so that an answer loses none. A record
 * that states what happens to other fields stays as it is, and so does the result of a transformation.
 */
export function keepingAll<Schema extends Part>(schema: Schema): Schema {
  const changed = keepingBelow(schema);
  return changed === undefined ? schema : z.core.clone(schema, { ...schema._zod.def, ...changed });
}

/** What changes in a schema's definition because it contains other schemas; undefined if nothing does. */
function keepingBelow(schema: Part): object | undefined {
  if (schema instanceof z.ZodObject) {
    const { shape, catchall = z.unknown() } = schema.def;
    const parts = Object.entries(shape).map(([name, part]) => [name, keepingAll(part)]);
    return { shape: Object.fromEntries(parts), catchall };
  }
  if (schema instanceof z.ZodArray) return ifChanged(schema.def, "element");
  if (schema instanceof z.ZodRecord) return ifChanged(schema.def, "valueType");
  if (schema instanceof z.ZodUnion) return { options: schema.def.options.map(keepingAll) };
  if (schema instanceof z.ZodPipe) return ifChanged(schema.def, "in", "out");
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return ifChanged(schema.def, "innerType");
  return undefined;
}

function ifChanged<Name extends string>(
  def: Readonly<Record<Name, Part>>,
  ...names: readonly Name[]
): object | undefined {
  const parts = names.map((name) => ({ name, part: def[name], kept: keepingAll(def[name]) }));
  if (parts.every(({ part, kept }) => part === kept)) return undefined;
  return Object.fromEntries(parts.map(({ name, kept }) => [name, kept]));
}
