import { hash } from "node:crypto";
import type { z } from "zod";
import { wikiOperations } from "../../clients/wiki/operations.ts";
import { type Account, authorized, isAdmin } from "../accounts.ts";
import type { Answered, Answers, Asked, Reply, ServiceRequest } from "../exchange.ts";
import { nextId, replace, without } from "../lists.ts";
import { Refusal } from "../refusal.ts";
import { countIn, readJsonBody } from "../request.ts";
import type { AccessToken, TokenPlugin } from "./state.ts";

/** The part of a service's state that belongs to the token plugin. */
interface WithPlugin {
  readonly tokenPlugin: TokenPlugin;
}

/** The plugin ignores fields that it does not know. */
const Creation = wikiOperations.createToken.args.strip();
const Description = Creation.pick({ tokenDescription: true });

/**
 * Returns the operations of the token plugin on one service. `keyOf` returns the service's key of an account.
 * @see docs/facts.md, tracker and wiki
 */
export function pluginTokenAnswers(keyOf: (account: Account, accounts: readonly Account[]) => string) {
  const ownerOf = ({ accounts }: Asked, key: string) => accounts.find((account) => keyOf(account, accounts) === key);

  return {
    listTokens({ state: { tokenPlugin }, account }) {
      const listed = tokenPlugin.tokens
        .filter(({ user }) => user === account?.username)
        .map((token) => viewToken(token, tokenPlugin));
      return { body: tokenPlugin.tokenList === "array" ? listed : { content: listed } };
    },

    createToken(asked) {
      const { tokenPlugin } = asked.state;
      const input = readJsonBody(asked, Creation, wrong);
      const key = input.tokenForUserKey;
      const owner = key === undefined ? asked.account : ownerOf(asked, key);
      if (owner === undefined) throw wrong(`There is no user with the key ${key}`);
      if (owner.username !== asked.account?.username && !isAdmin(asked.account))
        throw wrong("Only administrators may create tokens for other users", 403);
      const id = nextId(tokenPlugin.tokens, tokenPlugin.lastId);
      const token: AccessToken = {
        id,
        user: owner.username,
        description: input.tokenDescription,
        created: asked.now,
        lastAccessed: 0,
        validUntil: expiry(input, tokenPlugin, asked.now),
        scope: 0,
        secret: hash("sha256", `${asked.base} ${id} ${asked.now}`, "base64url"),
      };
      return {
        body: {
          plainTextToken: token.secret,
          tokenDescription: token.description,
          tokenExpirationDateTimeMillis: token.validUntil,
          id: tokenPlugin.givesId ? id : undefined,
        },
        changes: { tokenPlugin: { ...tokenPlugin, tokens: [...tokenPlugin.tokens, token] } },
      };
    },

    updateToken(asked) {
      const { tokenPlugin } = asked.state;
      const token = requireToken(asked);
      const updated = { ...token, description: readJsonBody(asked, Description, wrong).tokenDescription };
      const tokens = replace(tokenPlugin.tokens, token, updated);
      return { body: viewToken(updated, tokenPlugin), changes: { tokenPlugin: { ...tokenPlugin, tokens } } };
    },

    deleteToken(asked) {
      const { tokenPlugin } = asked.state;
      const tokens = without(tokenPlugin.tokens, requireToken(asked));
      const lastId = nextId(tokenPlugin.tokens, tokenPlugin.lastId) - 1;
      return { body: true, changes: { tokenPlugin: { ...tokenPlugin, tokens, lastId } } };
    },

    filterTokens(asked) {
      const { account, query, state } = asked;
      const { tokens, tokenList, largestPage } = state.tokenPlugin;
      const names = query.getAll("userFilter").map((key) => ownerOf(asked, key)?.username);
      const listed = tokens
        .filter(({ user }) => isAdmin(account) || user === account?.username)
        .filter(({ user }) => names.length === 0 || names.includes(user))
        .filter(fitting(asked))
        .map((token) => viewToken(token, state.tokenPlugin));
      if (tokenList === "array") return { body: listed };
      const limit = Math.min(numberIn(asked, "limit", largestPage), largestPage);
      const first = numberIn(asked, "page", 0) * limit;
      return { body: { content: listed.slice(first, first + limit) } };
    },
  } satisfies Answers<WithPlugin>;
}

/** Returns the caller, identified by a password or by an API token that allows the request and has not expired. */
export function signedIn({ accounts, state, method, now, headers }: ServiceRequest<WithPlugin>): Account | undefined {
  const usable = state.tokenPlugin.tokens
    .filter(({ validUntil, scope }) => (validUntil === null || validUntil > now) && (scope !== 1 || method === "GET"))
    .flatMap(({ user, secret }) =>
      accounts.filter(({ username }) => username === user).map((account) => ({ ...account, secret })),
    );
  return authorized([...accounts, ...usable], headers.authorization, ["basic", "bearer"]);
}

function requireToken({ state, params, account }: Asked<WithPlugin>): AccessToken {
  const token = state.tokenPlugin.tokens.find(({ id }) => String(id) === params.tokenId);
  if (token === undefined || (token.user !== account?.username && !isAdmin(account)))
    throw wrong(`There is no token with the id ${params.tokenId}`, 404);
  return token;
}

/** Returns when a token expires; a date overrides months. Throws `Refusal` for a date in the past or beyond the maximum. */
function expiry(input: z.infer<typeof Creation>, { longestMonths }: TokenPlugin, now: number): number {
  const { tokenExpirationDateTime: date, tokenValidityTimeInMonths: months } = input;
  const asked =
    input.tokenExpirationDateTimeMillis ??
    (date === undefined ? undefined : Date.parse(date)) ??
    monthsAfter(now, months ?? longestMonths);
  // Too many months for a date give NaN, which fails this comparison.
  if (!(asked <= monthsAfter(now, longestMonths)))
    throw wrong(
      `The expiration is later than the maximum that the administrator has set: give one within the next ${longestMonths} months.`,
    );
  if (asked <= now) throw wrong("The expiration is in the past.");
  return asked;
}

function monthsAfter(time: number, months: number): number {
  const date = new Date(time);
  return date.setUTCMonth(date.getUTCMonth() + months);
}

/** Returns a token as lists show it. Lists that are arrays omit the expiry and the scope. */
function viewToken(token: AccessToken, { tokenList }: TokenPlugin) {
  const { id, description, created, lastAccessed, validUntil, scope } = token;
  const common = { id, description, created, lastAccessed };
  return tokenList === "array" ? common : { ...common, validUntil, tokenScope: scope };
}

/** Returns a test of whether a token matches all filters of a query except the user filter. Ranges include their bounds. */
function fitting(asked: Asked): (token: AccessToken) => boolean {
  const text = asked.query.get("descriptionFilter")?.toLowerCase() ?? "";
  const scope = numberIn(asked, "tokenScope", Number.NaN);
  const within = (from: string, until: string) => {
    const [first, last] = [numberIn(asked, from, -Infinity), numberIn(asked, until, Infinity)];
    return (time: number) => time >= first && time <= last;
  };
  const isCreated = within("fromCreated", "untilCreated");
  const isUsed = within("fromLastUsed", "untilLastUsed");
  const expires = within("fromExpiresDuring", "untilExpiresDuring");
  const latest = numberIn(asked, "notValidAfter", Infinity);
  return (token) => {
    const validUntil = token.validUntil ?? Infinity;
    return (
      token.description.toLowerCase().includes(text) &&
      (Number.isNaN(scope) || token.scope === scope) &&
      validUntil <= latest &&
      isCreated(token.created) &&
      isUsed(token.lastAccessed) &&
      expires(validUntil)
    );
  };
}

/** Reads a number from the query of a request to the plugin. */
function numberIn(asked: Asked, name: string, unless: number): number {
  return countIn(asked, name, unless, (text) => wrong(`${name} is not a number: ${text}`));
}

/** Returns a refusal in the plugin's own words, which differ from those of its service. */
function wrong(errorMessage: string, status = 400): Refusal {
  return new Refusal(status, errorMessage, {}, { errorMessage });
}

/** What the server around a service says of a request that reaches none of its operations. */
const aroundWords: Readonly<Record<number, (uri: string) => string>> = {
  404: (uri) => `null for uri: ${uri}`,
  405: () => "HTTP 405 Method Not Allowed",
};

/** Returns how a service that has the token plugin encodes answers, and refusals in its own form, which `view` returns. */
export function encodings(contentType: string, view: (message: string, status: number) => object) {
  return {
    /** Each success carries `Retry-After: 0`. Text with its own header fields is not encoded. @see docs/facts.md, Across services */
    encode: ({ status = 200, headers, body = "" }: Answered): Reply => ({
      status,
      headers: { "retry-after": "0", "content-type": contentType, ...headers },
      body: status === 204 || (typeof body === "string" && headers !== undefined) ? String(body) : JSON.stringify(body),
    }),

    /**
     * Errors of the plugin come as details, in the plugin's own words, and those of the server around both are neither's.
     * @see docs/facts.md, tracker and wiki: null for uri
     */
    refuse({ status, said, message, headers, details }: Refusal, { base, path }: ServiceRequest): Reply {
      const around = said === undefined ? aroundWords[status]?.(`${base}${path}`) : undefined;
      const body =
        around === undefined ? (details ?? view(message, status)) : { message: around, "status-code": status };
      return { status, headers: { ...headers, "content-type": contentType }, body: JSON.stringify(body) };
    },
  };
}
