import type { z } from "zod";
import { once } from "../core/once.ts";
import type { Arguments, BodyForm, Effect, Method, Operation } from "../core/operation.ts";
import { keepingAll } from "./loose.ts";

type Row<Args extends Arguments, Result extends z.ZodType> = Omit<Operation<Args, Result>, "effect" | "body">;

/** A row of effect `read`: sends no body unless `body` says so. */
export function read<Args extends Arguments, Result extends z.ZodType>(
  row: Row<Args, Result> & { readonly body?: BodyForm },
): Operation<Args, Result, "read">;
export function read(row: Row<Arguments, z.ZodType> & { readonly body?: BodyForm }): Operation {
  return rowOf(row, "read", row.body ?? "none");
}

/** A row of effect `write`. */
export function write<Args extends Arguments, Result extends z.ZodType>(
  row: Row<Args, Result> & {
    readonly method: Exclude<Method, "GET">;
    readonly body: BodyForm;
  },
): Operation<Args, Result, "write">;
export function write(row: Row<Arguments, z.ZodType> & { readonly body: BodyForm }): Operation {
  return rowOf(row, "write", row.body);
}

/**
 * A run uses few of all rows: what is derived of a row is made when it is first asked for. So may be its own schemas, which is why
 * no property is read here.
 */
function rowOf(row: Row<Arguments, z.ZodType>, effect: Effect, body: BodyForm): Operation {
  const args = once(() => row.args.strict());
  const result = once(() => keepingAll(row.result));
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
