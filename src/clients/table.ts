import { z } from "zod";
import { once } from "../core/once.ts";
import type { Arguments, BodyForm, Effect, Method, Operation } from "../core/operation.ts";
import { keepingAll } from "./loose.ts";

type WritingMethod = Exclude<Method, "GET">;

/** The arguments of a row that states none. */
const NoArguments = z.object({});

/** The answer to a write that states none: nothing looks at it. */
const AnyAnswer = z.unknown();

type Row<Args extends Arguments, Result extends z.ZodType> = Omit<
  Operation<Args, Result>,
  "effect" | "body" | "args" | "result"
> & { readonly args?: Args; readonly result?: Result };

/** The request of a row without a body. */
export function get(path: string) {
  return { method: "GET", path } as const;
}

/** The request of a row that is not a GET. The arguments that are not in its path become its body, in this form. */
export function send<M extends WritingMethod, Body extends BodyForm>(method: M, path: string, body: Body) {
  return { method, path, body } as const;
}

/** A list as an argument: its entries, or the comma list that is sent. */
export function commaList<Entry extends z.ZodType<string | number, string | number>>(entries: z.ZodArray<Entry>) {
  return z.union([z.string(), entries.transform((list) => list.join(","))]);
}

/** A row of effect `read`: sends no body unless `body` says so. */
export function read<Result extends z.ZodType, Args extends Arguments = typeof NoArguments>(
  row: Row<Args, Result> & { readonly body?: BodyForm; readonly result: Result },
): Operation<Args, Result, "read">;
export function read(row: Row<Arguments, z.ZodType> & { readonly body?: BodyForm }): Operation {
  return rowOf(row, "read", row.body ?? "none");
}

/** A row of effect `write`. */
export function write<Args extends Arguments = typeof NoArguments, Result extends z.ZodType = typeof AnyAnswer>(
  row: Row<Args, Result> & { readonly method: WritingMethod; readonly body: BodyForm },
): Operation<Args, Result, "write">;
export function write(row: Row<Arguments, z.ZodType> & { readonly body: BodyForm }): Operation {
  return rowOf(row, "write", row.body);
}

/**
 * Makes a row. A run uses few of all rows, so what is derived from a row is made on first use. A row's own schemas may be
 * made on first use too, so no property is read here.
 */
function rowOf(row: Row<Arguments, z.ZodType>, effect: Effect, body: BodyForm): Operation {
  const args = once(() => (row.args ?? NoArguments).strict());
  const result = once(() => keepingAll(row.result ?? AnyAnswer));
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(row),
    ...Object.getOwnPropertyDescriptors({
      effect,
      body,
      get args() {
        return args();
      },
      get result() {
        return result();
      },
    }),
  });
}
