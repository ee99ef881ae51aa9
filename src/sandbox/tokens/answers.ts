import { createHash } from "node:crypto";
import { z } from "zod";
import type { trackerOperations } from "../../clients/tracker/operations.ts";
import type { wikiOperations } from "../../clients/wiki/operations.ts";
import { describeIssues } from "../../core/issues.ts";
import type { Account } from "../accounts.ts";
import type { Answer, Asked, ServiceRequest } from "../exchange.ts";
import { jsonBody, mediaType } from "../json-body.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";
import { fitsFilter } from "./filter.ts";
import type { AccessToken, TokenPlugin } from "./state.ts";

/** A service with the token plugin. */
export type TokenRole = "tracker" | "wiki";

/** What tracker and wiki have in common. */
type TokenOperation = keyof typeof trackerOperations & keyof typeof wikiOperations;

const Description = z.object({ tokenDescription: z.string() });
const Creation = Description.extend({
  tokenValidityTimeInMonths: z.int().min(1).optional(),
  tokenExpirationDateTime: z.iso.datetime({ offset: true }).optional(),
  tokenExpirationDateTimeMillis: z.int().optional(),
  tokenForUserKey: z.string().optional(),
});

/**
 * The operations of the token plugin on one service. `keyOf` gives the key by which the service knows an account.
 * @see facts.md, tracker and wiki
 */
export function tokenAnswers(role: TokenRole, keyOf: (world: World, account: Account) => string) {
  const ownerOf = (world: World, key: string) => world.accounts.find((account) => keyOf(world, account) === key);

  return {
    listTokens(world, { account }) {
      const { tokenList, tokens } = world[role].tokenPlugin;
      const listed = tokens
        .filter(({ user }) => user === account?.username)
        .map((token) => viewToken(token, tokenList));
      return { body: tokenList === "array" ? listed : { content: listed } };
    },

    createToken(world, asked) {
      const plugin = world[role].tokenPlugin;
      const input = readInput(asked, Creation);
      const key = input.tokenForUserKey;
      const owner = key === undefined ? asked.account : ownerOf(world, key);
      if (owner === undefined) throw refused(400, `There is no user with the key ${key}`);
      if (owner.username !== asked.account?.username && asked.account?.rights !== "admin")
        throw refused(403, "Only administrators may create tokens for other users");
      const id = Math.max(0, ...plugin.tokens.map((token) => token.id)) + 1;
      const token: AccessToken = {
        id,
        user: owner.username,
        description: input.tokenDescription,
        created: asked.now,
        lastAccessed: 0,
        validUntil: expiry(input, plugin, asked.now),
        scope: 0,
        secret: createHash("sha256").update(`${role} ${id} ${asked.now}`).digest("base64url"),
      };
      return {
        body: {
          plainTextToken: token.secret,
          tokenDescription: token.description,
          tokenExpirationDateTimeMillis: token.validUntil,
          ...(plugin.givesId ? { id } : {}),
        },
        world: withTokens(world, role, [...plugin.tokens, token]),
      };
    },

    updateToken(world, asked) {
      const { tokens, tokenList } = world[role].tokenPlugin;
      const token = requireToken(world, role, asked);
      const updated = { ...token, description: readInput(asked, Description).tokenDescription };
      return {
        body: viewToken(updated, tokenList),
        world: withTokens(
          world,
          role,
          tokens.map((other) => (other === token ? updated : other)),
        ),
      };
    },

    deleteToken(world, asked) {
      const token = requireToken(world, role, asked);
      const rest = world[role].tokenPlugin.tokens.filter((other) => other !== token);
      return { body: true, world: withTokens(world, role, rest) };
    },

    filterTokens(world, { account, query }) {
      const { tokens, tokenList, largestPage } = world[role].tokenPlugin;
      const names = query.getAll("userFilter").map((key) => ownerOf(world, key)?.username);
      const found = tokens
        .filter(({ user }) => account?.rights === "admin" || user === account?.username)
        .filter(({ user }) => names.length === 0 || names.includes(user))
        .filter((token) => fitsFilter(token, query))
        .map((token) => viewToken(token, tokenList));
      if (tokenList === "array") return { body: found };
      const limit = Math.min(Number(query.get("limit") ?? largestPage), largestPage);
      const first = Number(query.get("page") ?? 0) * limit;
      return { body: { content: found.slice(first, first + limit) } };
    },
  } satisfies Record<TokenOperation, Answer>;
}

/** Accounts with the API tokens that may send a request as their secrets; an expired token signs nobody in. */
export function tokenAccounts(world: World, role: TokenRole, { method, now }: ServiceRequest): readonly Account[] {
  return world[role].tokenPlugin.tokens
    .filter(({ validUntil, scope }) => (validUntil === null || validUntil > now) && (scope !== 1 || method === "GET"))
    .flatMap(({ user, secret }) =>
      world.accounts.filter(({ username }) => username === user).map((account) => ({ ...account, secret })),
    );
}

function requireToken(world: World, role: TokenRole, { params, account }: Asked): AccessToken {
  const token = world[role].tokenPlugin.tokens.find(({ id }) => String(id) === params.tokenId);
  if (token === undefined || (token.user !== account?.username && account?.rights !== "admin"))
    throw refused(404, `There is no token with the id ${params.tokenId}`);
  return token;
}

/** When a token ends: the date goes before the months. Throws `Refusal` for more than the maximum, or a date that is past. */
function expiry(input: z.infer<typeof Creation>, { longestMonths }: TokenPlugin, now: number): number {
  const latest = monthsAfter(now, longestMonths);
  const { tokenExpirationDateTime: date, tokenValidityTimeInMonths: months } = input;
  const asked =
    input.tokenExpirationDateTimeMillis ??
    (date === undefined ? undefined : Date.parse(date)) ??
    monthsAfter(now, months ?? longestMonths);
  if (asked > latest)
    throw refused(
      400,
      `The expiration is later than the maximum that the administrator has set: give one within the next ${longestMonths} months.`,
    );
  if (asked <= now) throw refused(400, "The expiration is in the past.");
  return asked;
}

function monthsAfter(time: number, months: number): number {
  const date = new Date(time);
  return date.setUTCMonth(date.getUTCMonth() + months);
}

function viewToken(token: AccessToken, tokenList: TokenPlugin["tokenList"]) {
  const { id, description, created, lastAccessed, validUntil, scope } = token;
  const common = { id, description, created, lastAccessed };
  return tokenList === "array" ? common : { ...common, validUntil, tokenScope: scope };
}

function withTokens(world: World, role: TokenRole, tokens: AccessToken[]): World {
  return { ...world, [role]: { ...world[role], tokenPlugin: { ...world[role].tokenPlugin, tokens } } };
}

function readInput<Input>(asked: Asked, schema: z.ZodType<Input>): Input {
  if (mediaType(asked) !== "application/json") throw new Refusal(415);
  const input = schema.safeParse(jsonBody(asked)?.json);
  if (input.success) return input.data;
  throw refused(400, describeIssues(input.error.issues, jsonBody(asked)?.json, "the body"));
}

/** A refusal in the plugin's own words, which are not those of the service it lives in. */
function refused(status: number, errorMessage: string): Refusal {
  return new Refusal(status, errorMessage, {}, { errorMessage });
}
