import type { z } from "zod";
import { ProblemError } from "../../core/problem.ts";
import { mistakesOf, unshown } from "../../core/text/issues.ts";

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
