import { z } from "zod";
import { areDistinct } from "../lists.ts";

const Time = z.int().describe("Milliseconds since 1970.");

const AccessToken = z.strictObject({
  id: z.int().min(1),
  /** Name of the account that signs in with it. */
  user: z.string(),
  description: z.string().default(""),
  created: Time,
  /** 0 means never. Reads leave the world unchanged, so the sandbox never updates it. */
  lastAccessed: Time.default(0),
  /** Null means forever. */
  validUntil: Time.nullable().default(null),
  /** 0 is no scope, 1 reads only, 2 reads and writes. */
  scope: z.int().min(0).max(2).default(0),
  secret: z.string().min(1),
});
export type AccessToken = z.infer<typeof AccessToken>;

/**
 * The token plugin of one service: its API tokens and its settings. Versions differ: the first lists tokens as a bare
 * array without expiry, later ones as a page, and only newer ones return the id of a token that they create.
 * @see docs/facts.md, tracker and wiki
 */
export const TokenPlugin = z.strictObject({
  tokenList: z.enum(["array", "page"]).default("page"),
  givesId: z.boolean().default(true),
  /** The longest validity, which is also the default for new tokens. */
  longestMonths: z.int().min(1).default(12),
  largestPage: z.int().min(1).default(50),
  /** The highest id that a revoked token can have had: no id is given again. */
  lastId: z.int().min(0).default(0),
  tokens: z
    .array(AccessToken)
    .refine((tokens) => areDistinct(tokens, "id", "secret"), "two tokens have one id or one secret")
    .default([]),
});
export type TokenPlugin = z.infer<typeof TokenPlugin>;
