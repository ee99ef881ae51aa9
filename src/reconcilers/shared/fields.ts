import { z } from "zod";
import { fieldsIn, type Update } from "../../core/change.ts";
import { ProblemError } from "../../core/problem.ts";
import { mistakesOf, unshown } from "../../core/text/issues.ts";

/** A non-empty string. */
export const Text = z.string().min(1);

/** Returns the schema of strings in any order, each once. The error for a duplicate names it by `what`. */
export function distinctTexts(what: string) {
  return z
    .array(Text)
    .refine(...eachOnce(what))
    .optional();
}

/** Returns the arguments of `refine` with which a list of strings has each of them once. */
export function eachOnce(what: string) {
  return [(texts: readonly string[]) => new Set(texts).size === texts.length, `expected each ${what} once`] as const;
}

/** Returns the desired specification with only the fields that an update changes. */
export function changedIn<Spec>(update: Pick<Update<Spec>, "desired" | "fields">): Partial<Spec>;
export function changedIn({ desired, fields }: Pick<Update<object>, "desired" | "fields">): object {
  const names = fieldsIn({ fields });
  return Object.fromEntries(Object.entries(desired).filter(([name]) => names.includes(name)));
}

/** Returns the value of a field that is read from a file. Throws `ProblemError` SP1002 for mistakes, which names the file. */
export function inlined<Value>(field: z.ZodType<Value>, content: unknown, file: string): Value {
  const { data, error } = field.safeParse(content);
  if (error === undefined) return data;
  const mistakes = mistakesOf(
    unshown(content, () => file),
    error.issues,
  );
  throw new ProblemError(...mistakes.map(({ sentence: message }) => ({ code: "SP1002" as const, message })));
}
