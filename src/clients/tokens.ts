import { z } from "zod";
import type { Paging, Reader } from "../core/operation.ts";
import { Secret } from "../core/secret.ts";
import { pageList } from "./http/pages.ts";
import { get, read, send, write } from "./table.ts";
import { withUnclear } from "./unclear.ts";

/** The token plugin, which tracker and wiki share. @see docs/facts.md, tracker and wiki */
const documented = "/rest/<token_plugin>/latest/user";
const product = "/rest/de.resolution.apitokenauth/latest/user";

const TokenId = z.union([z.int(), z.string().min(1)]);

/** Milliseconds since 1970. A number above the bound is not a date. */
const Time = z.int().max(8.64e15);

/** A `lastAccessed` of 0 means never. Older versions of the plugin leave `validUntil` out. */
const TokenRecord = z.looseObject({
  id: TokenId,
  description: z.string().nullish(),
  created: Time.optional(),
  validUntil: Time.nullish(),
});

/** In version 1 of the plugin, which has no pages, a bare array; later a page. @see docs/facts.md, tracker and wiki */
const TokenList = z.preprocess(
  (value) => (Array.isArray(value) ? { content: value, ...(value.length > 0 ? { last: true } : {}) } : value),
  z.object({
    content: z.array(withUnclear(TokenRecord)),
    /** Whether this is the last page, if the answer says so. */
    last: z.boolean().optional(),
  }),
);
type TokenList = z.infer<typeof TokenList>;

const TokenFilter = z.object({
  userFilter: z.array(z.string()).optional().describe("Keys of users."),
  descriptionFilter: z.string().optional().describe("Part of the description."),
  notValidAfter: z.int().optional().describe("Not valid after this time, in milliseconds since 1970."),
  tokenScope: z.int().min(0).max(2).optional().describe("0 no scope, 1 reads only, 2 reads and writes."),
  fromCreated: z.int().optional(),
  untilCreated: z.int().optional(),
  fromLastUsed: z.int().optional(),
  untilLastUsed: z.int().optional(),
  fromExpiresDuring: z.int().optional(),
  untilExpiresDuring: z.int().optional(),
  page: z.int().min(0).default(0).describe("The first page to read, counted from 0."),
  limit: z.int().min(1).optional().describe("The maximum number of tokens; default: all."),
});
const filters = Object.keys(TokenFilter.shape).join("&");

/** Reads until a page is empty or says that it is the last, since the length of a page is not documented. */
const tokenPages: Paging<z.output<typeof TokenFilter>, TokenList> = {
  cap: "limit",
  next: (args, { content, last }) =>
    last === true || content.length === 0 ? undefined : { ...args, page: args.page + 1 },
  list: (first) =>
    pageList(first, {
      entries: ({ content }) => content,
      identify: ({ id }) => id,
      whole: (content, last) => ({ ...last, content }),
    }),
};

/** Operations of the token plugin. @see docs/api/tracker.md, token plugin */
export const pluginTokenOperations = {
  listTokens: read(get(`${documented}/token`), {
    summary: "The caller's API tokens, without their values.",
    product: `${product}/token`,
    result: TokenList,
  }),
  createToken: write(send("POST", `${documented}/token`, "json"), {
    summary: "Creates an API token. Its value is shown only once; older versions of the plugin return no id.",
    product: `${product}/token`,
    args: z.object({
      tokenDescription: z.string(),
      tokenValidityTimeInMonths: z.int().min(1).optional(),
      tokenExpirationDateTime: z.iso.datetime({ offset: true }).optional(),
      tokenExpirationDateTimeMillis: z.int().optional().describe("Milliseconds since 1970."),
      tokenForUserKey: z.string().optional().describe("Key of the token's user; default: the caller."),
    }),
    result: z.object({
      plainTextToken: z
        .string()
        .min(1)
        .transform((text) => new Secret(text)),
      id: TokenId.nullish(),
    }),
    yields: ["plainTextToken"],
  }),
  updateToken: write(send("PATCH", `${documented}/token/{token-id}`, "json"), {
    summary: "Changes the description of an API token.",
    product: `${product}/token/{token-id}`,
    args: z.object({ tokenId: TokenId, tokenDescription: z.string() }),
    result: TokenRecord.partial(),
  }),
  deleteToken: write(send("DELETE", `${documented}/token/{token-id}`, "none"), {
    summary: "Revokes an API token.",
    product: `${product}/token/{token-id}`,
    args: z.object({ tokenId: TokenId }),
    result: z.literal(true),
  }),
  filterTokens: read(get(`${documented}/tokensByFilter?${filters}`), {
    summary:
      "API tokens that match all filters, including other users' if the account may see them. Times in milliseconds.",
    product: `${product}/tokensByFilter?${filters}`,
    args: TokenFilter,
    result: TokenList,
    paging: tokenPages,
  }),
} as const;
export type TokenOperations = typeof pluginTokenOperations;

/** The reading half of the token plugin's client, on either service. */
export type TokensReader = Reader<TokenOperations>;
