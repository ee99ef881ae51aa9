import { z } from "zod";

/** A non-empty string. */
export const Text = z.string().min(1);

/** Returns the schema of strings in any order, each once. The error for a duplicate names it by `what`. */
export function distinctTexts(what: string) {
  return z
    .array(Text)
    .refine((texts) => new Set(texts).size === texts.length, `expected each ${what} once`)
    .optional();
}
