import { hash } from "node:crypto";
import { z } from "zod";
import { type Account, isAdmin } from "../accounts.ts";
import type { Answers, ServiceRequest } from "../exchange.ts";
import { wildcard, without } from "../lists.ts";
import { found, Refusal } from "../refusal.ts";
import { readJsonBody } from "../request.ts";
import { requireAdmin, timestamp } from "./items.ts";
import type { ArtifactsState, Token } from "./state.ts";

/** The shortest lifetimes, in seconds, of tokens that are listed and that can be revoked. @see docs/facts.md, artifacts */
const listedFrom = 3 * 3600;
const revocableFrom = 6 * 3600;
const defaultLife = 365 * 24 * 3600;

const TokenInput = z.object({
  token_id: z.string().exactOptional(),
  token_type: z.literal("access_token").optional(),
  username: z.string().exactOptional(),
  scope: z.string().max(500).default("applied-permissions/user"),
  description: z.string().max(1024).exactOptional(),
  expires_in: z.int().min(0).default(defaultLife),
  refreshable: z.boolean().default(false),
  include_reference_token: z.union([z.boolean(), z.literal("true").transform(() => true)]).default(false),
});

export const tokenAnswers = {
  createToken(asked) {
    const { tokens } = asked.state;
    const { token_type: _type, include_reference_token, ...stated } = readJsonBody(asked, TokenInput);
    const issued = timestamp(asked);
    const token: Token = {
      token_id: hash("sha256", `token ${tokens.length} ${issued}`).slice(0, 32),
      username: asked.account?.username ?? "",
      ...stated,
      issued,
    };
    const { token_id, username, scope, description, expires_in } = token;
    if (username !== asked.account?.username || scope !== "applied-permissions/user")
      requireAdmin(asked, "manage tokens of others");
    if (!asked.accounts.some((account) => account.username === username))
      throw new Refusal(400, `There is no user ${username}`);
    if (tokens.some((other) => other.token_id === token_id)) throw new Refusal(400, "The token id is taken");
    return {
      body: {
        token_id,
        access_token: accessToken(token_id),
        expires_in,
        scope,
        token_type: "Bearer",
        reference_token: include_reference_token ? referenceToken(token_id) : undefined,
        description,
      },
      changes: { tokens: [...tokens, token] },
    };
  },

  listTokens(asked) {
    const pattern = asked.query.get("description");
    const matches = pattern === null ? undefined : wildcard(pattern);
    return {
      body: {
        tokens: asked.state.tokens
          .filter(({ username }) => isAdmin(asked.account) || username === asked.account?.username)
          .filter(({ expires_in }) => expires_in === 0 || expires_in >= listedFrom)
          .filter(({ description = "" }) => matches === undefined || matches(description))
          .map(viewToken),
      },
    };
  },

  getToken(asked) {
    const { tokens } = asked.state;
    const { tokenId } = asked.params;
    const isMe = tokenId === "me";
    const named = isMe ? signingIn(asked) : tokens.find(({ token_id }) => token_id === tokenId);
    const token = found(named, "Token not found");
    if (!isMe && token.username !== asked.account?.username) requireAdmin(asked, "manage tokens of others");
    return { body: viewToken(token) };
  },

  revokeToken(asked) {
    const { tokens } = asked.state;
    const token = tokens.find(({ token_id }) => token_id === asked.params.tokenId);
    // Also the answer for a token that is already revoked. @see docs/facts.md, Artifacts: A token cannot be changed
    if (token === undefined) return { status: 204 };
    if (token.username !== asked.account?.username) requireAdmin(asked, "manage tokens of others");
    if (token.expires_in > 0 && token.expires_in < revocableFrom) throw new Refusal(400, "Token not revocable");
    return { body: "Token revoked", changes: { tokens: without(tokens, token) } };
  },
} satisfies Answers<ArtifactsState>;

/** Returns the account of an issued token; undefined if the token is unknown or expired. */
export function accountOfToken(request: ServiceRequest<ArtifactsState>): Account | undefined {
  const token = signingIn(request);
  return token && request.accounts.find(({ username }) => username === token.username);
}

/** Returns the issued token that a request sends, unless it has expired. */
function signingIn(request: ServiceRequest<ArtifactsState>): Token | undefined {
  const text = /^Bearer +(.*)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
  const now = seconds(timestamp(request));
  const token = request.state.tokens.find(({ token_id }) =>
    [accessToken(token_id), referenceToken(token_id)].includes(text),
  );
  if (token === undefined || (token.expires_in > 0 && seconds(token.issued) + token.expires_in <= now))
    return undefined;
  return token;
}

function viewToken(token: Token) {
  return {
    token_id: token.token_id,
    subject: `users/${token.username}`,
    scope: token.scope,
    description: token.description,
    issued_at: seconds(token.issued),
    expiry: token.expires_in === 0 ? undefined : seconds(token.issued) + token.expires_in,
    refreshable: token.refreshable,
  };
}

/** Derives a token's secret from its id, so that a world contains no secret. */
function accessToken(id: string): string {
  return `access-${hash("sha256", `access ${id}`)}`;
}

function referenceToken(id: string): string {
  return `ref-${hash("sha256", `reference ${id}`).slice(0, 40)}`;
}

function seconds(timestamp: string): number {
  return Math.floor(Date.parse(timestamp) / 1000);
}
