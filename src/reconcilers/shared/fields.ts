import { z } from "zod";

/** A text that says something. */
export const Text = z.string().min(1);

/** Texts in any order, each once; `what` they are is said of one that comes twice. */
export function distinctTexts(what: string) {
  return z
    .array(Text)
    .refine((texts) => new Set(texts).size === texts.length, `expected each ${what} once`)
    .optional();
}
