import { z } from "zod";

const Time = z.int().describe("Milliseconds since 1970.");

const AccessToken = z.strictObject({
  id: z.int().min(1),
  /** Name of the account that signs in with it. */
  user: z.string(),
  description: z.string().default(""),
  created: Time,
  /** 0 is never. Reads leave no trace in the world, so nothing counts up here. */
  lastAccessed: Time.default(0),
  /** Null for ever. */
  validUntil: Time.nullable().default(null),
  /** 0 no scope, 1 reads only, 2 reads and writes. */
  scope: z.int().min(0).max(2).default(0),
  secret: z.string().min(1),
});
export type AccessToken = z.infer<typeof AccessToken>;

/**
 * The token plugin of one service: its API tokens, and how it is set up. Versions differ: the list is a bare array
 * without expiry in the first, a page later; and only newer ones give the id of a token that they create.
 * @see docs/facts.md, tracker and wiki
 */
export const TokenPlugin = z.strictObject({
  tokenList: z.enum(["array", "page"]).default("page"),
  givesId: z.boolean().default(true),
  /** The longest validity, and that of tokens created without any. */
  longestMonths: z.int().min(1).default(12),
  largestPage: z.int().min(1).default(50),
  tokens: z
    .array(AccessToken)
    .refine(
      (tokens) =>
        new Set(tokens.map(({ id }) => id)).size === tokens.length &&
        new Set(tokens.map(({ secret }) => secret)).size === tokens.length,
      "two tokens have one id or one secret",
    )
    .default([]),
});
export type TokenPlugin = z.infer<typeof TokenPlugin>;
