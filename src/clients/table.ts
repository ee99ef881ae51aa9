import { z } from "zod";
import { once } from "../core/once.ts";
import type { Arguments, BodyForm, Effect, Method, Operation } from "../core/operation.ts";

/** The arguments of a row that states none. */
const NoArguments = z.object({});

/** The answer to a write that states none: nothing looks at it. */
const AnyAnswer = z.unknown();

/** What an operation requests. */
type Request = Pick<Operation, "method" | "path" | "body">;

/** A request that can change something. */
type Sending = Request & { readonly method: Exclude<Method, "GET"> };

/** Everything else about an operation. */
type Row<Args extends Arguments, Result extends z.ZodType> = Omit<
  Operation<Args, Result>,
  keyof Request | "effect" | "args" | "result"
> & { readonly args?: Args; readonly result?: Result };

/** A request without a body. */
export function get(path: string): Request {
  return { method: "GET", path, body: "none" };
}

/** Any other request. The arguments that are not in its path become its body, in this form. */
export function send(method: Sending["method"], path: string, body: BodyForm): Sending {
  return { method, path, body };
}

/** A list as an argument: its entries, or the comma list that is sent. */
export function commaList<Entry extends z.ZodType<string | number, string | number>>(entries: z.ZodArray<Entry>) {
  return z.union([z.string(), entries.transform((list) => list.join(","))]);
}

/** A row of effect `read`. */
export function read<Result extends z.ZodType, Args extends Arguments = typeof NoArguments>(
  request: Request,
  row: Row<Args, Result> & { readonly result: Result },
): Operation<Args, Result, "read">;
export function read(request: Request, row: Row<Arguments, z.ZodType>): Operation {
  return rowOf("read", request, row);
}

/** A row of effect `write`. */
export function write<Args extends Arguments = typeof NoArguments, Result extends z.ZodType = typeof AnyAnswer>(
  request: Sending,
  row: Row<Args, Result>,
): Operation<Args, Result, "write">;
export function write(request: Sending, row: Row<Arguments, z.ZodType>): Operation {
  return rowOf("write", request, row);
}

/**
 * Makes a row. A run uses few of all rows, so what is derived from a row is made on first use. A row's own schemas may be
 * made on first use too, so no property is read here.
 */
function rowOf(effect: Effect, request: Request, row: Row<Arguments, z.ZodType>): Operation {
  const args = once(() => (row.args ?? NoArguments).strict());
  const result = once(() => keepingAll(row.result ?? AnyAnswer));
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(row),
    ...Object.getOwnPropertyDescriptors({
      ...request,
      effect,
      get args() {
        return args();
      },
      get result() {
        return result();
      },
    }),
  });
}

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
