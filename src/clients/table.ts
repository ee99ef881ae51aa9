import type { z } from "zod";
import type { Arguments, BodyForm, Method, Operation } from "../core/operation.ts";

type Row<Args extends Arguments, Result extends z.ZodType> = Omit<
  Operation<Args, Result>,
  "effect" | "repeatable" | "body"
>;

/** A row of effect `read`: always repeatable; sends no body unless `body` says so. */
export function read<Args extends Arguments, Result extends z.ZodType>(
  row: Row<Args, Result> & { readonly body?: BodyForm },
): Operation<Args, Result, "read">;
export function read(row: Row<Arguments, z.ZodType> & { readonly body?: BodyForm }): Operation {
  return { body: "none", ...row, args: row.args.strict(), effect: "read", repeatable: true };
}

/** A row of effect `write`. `repeatable` says whether sending it twice leaves the same state as sending it once. */
export function write<Args extends Arguments, Result extends z.ZodType>(
  row: Row<Args, Result> & {
    readonly method: Exclude<Method, "GET">;
    readonly body: BodyForm;
    readonly repeatable: boolean;
  },
): Operation<Args, Result, "write">;
export function write(row: Omit<Operation, "effect">): Operation {
  return { ...row, args: row.args.strict(), effect: "write" };
}
