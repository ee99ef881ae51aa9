import { z } from "zod";

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
