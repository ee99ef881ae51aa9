import type { z } from "zod";
import type { BodyForm, Method, Operation } from "../core/operation.ts";

type Row<Args extends z.ZodObject, Result extends z.ZodType> = Omit<
  Operation<Args, Result>,
  "effect" | "repeatable" | "body"
>;

/** A row of effect `read`: always repeatable; sends no body unless `body` says so. */
export function read<Args extends z.ZodObject, Result extends z.ZodType>(
  row: Row<Args, Result> & { readonly body?: BodyForm },
): Operation<Args, Result, "read"> {
  return { body: "none", ...row, effect: "read", repeatable: true };
}

/** A row of effect `write`. `repeatable` says whether sending it twice leaves the same state as sending it once. */
export function write<Args extends z.ZodObject, Result extends z.ZodType>(
  row: Row<Args, Result> & {
    readonly method: Exclude<Method, "GET">;
    readonly body: BodyForm;
    readonly repeatable: boolean;
  },
): Operation<Args, Result, "write"> {
  return { ...row, effect: "write" };
}
