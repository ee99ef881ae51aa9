import { z } from "zod";
import type { Reader } from "../../core/operation.ts";
import { get, read, send, write } from "../table.ts";
import { pluginTokenOperations } from "../tokens.ts";

/** A page with its body and version. @see docs/facts.md, wiki: without `expand` there is no body */
export const WikiPageRecord = z.object({
  id: z.string(),
  type: z.string(),
  title: z.string(),
  space: z.object({ key: z.string() }),
  version: z.object({
    number: z.int(),
    message: z.string().nullish(),
    when: z.string().nullish(),
    by: z.object({ username: z.string().optional(), displayName: z.string().optional() }).optional(),
  }),
  body: z.object({ storage: z.object({ value: z.string(), representation: z.string() }) }),
  ancestors: z.array(z.object({ id: z.string() })).optional(),
});
export type WikiPageRecord = z.infer<typeof WikiPageRecord>;

/** The documents name no field of a user; one who is not signed in is `anonymous`. */
const WikiUserRecord = z.object({
  type: z.string(),
  username: z.string().optional(),
  userKey: z.string().optional(),
  displayName: z.string(),
});

/** The parts of a page to request. @see docs/facts.md, wiki */
const pageParts = "body.storage,version,space,ancestors";

/** Operations of the wiki (Confluence) and its token plugin. @see docs/api/wiki.md */
export const wikiOperations = {
  getCurrentUser: read(get("/rest/api/user/current"), {
    summary: "The user of the credentials.",
    result: WikiUserRecord,
  }),
  getServerManifest: read(get("/rest/applinks/1.0/manifest"), {
    summary: "The server's application manifest, with its version.",
    result: z.looseObject({ version: z.string().min(1) }),
    ext: "docs/decisions/versions.md: the product's own reference",
  }),
  getPage: read(get("/rest/api/content/{page-id}"), {
    summary: "A page with its body, version, space and ancestors.",
    args: z.object({
      pageId: z.string(),
      expand: z
        .string()
        .default(pageParts)
        .describe("The parts to return: names separated by commas.")
        .meta({ ext: "docs/facts.md, wiki: without expand the answer has no body" }),
    }),
    selection: { by: "expand", whole: [pageParts] },
    result: WikiPageRecord,
  }),
  updatePage: write(send("PUT", "/rest/api/content/{page-id}", "json"), {
    summary: "Replaces the title and body of a page; `version.number` must be the current one plus 1.",
    args: z.object({
      pageId: z.string(),
      id: z.string().optional(),
      type: z.literal("page"),
      title: z.string(),
      space: z.object({ key: z.string() }).optional(),
      version: z.object({ number: z.int(), message: z.string().optional(), minorEdit: z.boolean().optional() }),
      body: z.object({ storage: z.object({ value: z.string(), representation: z.literal("storage") }) }),
      ancestors: z
        .array(z.object({ id: z.string() }))
        .optional()
        .meta({ ext: "docs/facts.md, wiki: an update echoes the ancestors" }),
    }),
    result: z.object({ id: z.string(), version: z.object({ number: z.int() }) }),
  }),
  ...pluginTokenOperations,
} as const;
export type WikiOperations = typeof wikiOperations;

/** The reading half of the wiki client. */
export type WikiReader = Reader<WikiOperations>;
