import { z } from "zod";
import { TokenPlugin } from "../tokens/state.ts";

const WikiVersion = z.strictObject({
  number: z.int().min(1),
  message: z.string().default(""),
  /** Name of the account. */
  by: z.string(),
  /** In the service's format: ISO 8601 with an offset. */
  when: z.string().optional(),
  minorEdit: z.boolean().default(false),
});

const WikiPage = z.strictObject({
  space: z.string(),
  title: z.string(),
  /** Markup as the service stores it. */
  body: z.string(),
  /** Ids of the pages above, the topmost first. */
  ancestors: z.array(z.string()).default([]),
  /** Oldest first; the last one is current. */
  versions: z.array(WikiVersion).min(1),
});
export type WikiPage = z.infer<typeof WikiPage>;

/** The wiki: its pages by id, and its API tokens. */
export const WikiState = z
  .strictObject({
    version: z.string().default("8.5.17"),
    pages: z.record(z.string().regex(/^\d+$/), WikiPage).default({}),
    tokenPlugin: TokenPlugin.prefault({}),
  })
  .prefault({});
export type WikiState = z.infer<typeof WikiState>;

export function currentVersion({ versions }: WikiPage): number {
  return versions.at(-1)?.number ?? 0;
}
