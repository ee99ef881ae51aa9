import { z } from "zod";
import type { TokenOperations, TokensReader } from "../../clients/tokens.ts";
import { callOf } from "../../core/call.ts";
import type { Change, Observation } from "../../core/change.ts";
import { Duration, milliseconds } from "../../core/duration.ts";
import type { Kind } from "../../core/kind.ts";
import { ProblemError } from "../../core/problem.ts";
import { Sink, sinkClaims } from "../../core/sink.ts";
import {
  Description,
  declarable,
  endsWithin,
  endWords,
  findToken,
  type Generations,
  type Listed,
  needsSink,
  rotate,
  type TokenCalls,
  unfinished,
} from "../shared/generations.ts";

const call = callOf<TokenOperations>();

const day = 86_400_000;
const Time = z.iso.datetime({ offset: true });

const PersonalToken = z
  .strictObject({
    description: Description,
    validFor: z.int().min(1).max(1200).optional().describe("Months that the token is valid."),
    expiresAt: z
      .string()
      .refine((text) => Time.safeParse(text).success, "expected a time with its offset, such as 2027-03-31T00:00:00Z")
      .optional()
      .describe("When the token ends, such as `2027-03-31T00:00:00Z`; instead of `validFor`."),
    rotateBefore: Duration.optional().describe("Rotate the token when it ends within this time, such as `30d`."),
    user: z.string().min(1).optional().describe("Key of the user whose token it is; the caller unless stated."),
    renamedFrom: Description.optional().describe(
      "The description that the token had; it is changed without a rotation.",
    ),
    deliver: Sink.optional(),
  })
  .refine(({ validFor, expiresAt }) => validFor === undefined || expiresAt === undefined, {
    path: ["expiresAt"],
    message: "expected either validFor or expiresAt",
  })
  .refine(({ rotateBefore, expiresAt }) => rotateBefore === undefined || expiresAt === undefined, {
    path: ["rotateBefore"],
    message: "expected no rotation beside expiresAt: the new token would end at the same time",
  })
  .refine(({ rotateBefore = "1s", validFor = 1200 }) => milliseconds(rotateBefore) < validFor * 28 * day, {
    path: ["rotateBefore"],
    message: "expected less than validFor: every run would rotate the token",
  });
type PersonalToken = z.infer<typeof PersonalToken>;

/** A token as the list has it. `ends` is undefined for ever too; `isTold` is false where the list has no ends. */
interface LiveToken extends Listed {
  readonly created: number;
  readonly isTold: boolean;
}

const otherwise = { operation: "deleteToken", argument: "tokenId", from: "id" } as const;
const calls: TokenCalls<PersonalToken, Listed["id"], TokenOperations> = {
  create({ validFor, expiresAt, user }, description, to, change) {
    const args = {
      tokenDescription: description,
      ...(validFor === undefined ? {} : { tokenValidityTimeInMonths: validFor }),
      ...(expiresAt === undefined ? {} : { tokenExpirationDateTimeMillis: Date.parse(expiresAt) }),
      ...(user === undefined ? {} : { tokenForUserKey: user }),
    };
    return call("createToken", args, [change], { from: "plainTextToken", to, otherwise });
  },
  revoke: (tokenId, change) => call("deleteToken", { tokenId }, [change]),
};

/** An API token of the token plugin, rotated before it ends. @see docs/decisions/token-rotation.md */
export const personalToken: Kind<PersonalToken, TokenOperations, Generations<Listed["id"]>> = {
  kind: "PersonalToken",
  role: "tracker",
  alsoRoles: ["wiki"],
  summary: "An API token of the issue tracker or the wiki, delivered when it is made and rotated before it ends.",
  spec: PersonalToken,
  budget: {
    reads: "1 listTokens for the caller's, 1 filterTokens (all pages) for each other user's",
    writes:
      "1 createToken a new token, then 1 deleteToken for each that it replaces; 1 updateToken to rename one; 1 deleteToken to delete one",
  },
  notes: `The token plugin is the same on both services, so \`metadata.service\` says which one is meant where the workspace
has both. Only the description of a token can be changed: with \`renamedFrom\` the token keeps its secret and gets the new
description. Every other difference is a rotation: the new token is created as the next number (\`deploy (2)\`), delivered,
read back from its sink, and only then the old one is deleted. The next run finishes a rotation that was interrupted.

Older versions of the plugin do not tell when a token ends; then it is taken to be as declared, and nothing is rotated for
its age. Without \`deliver\` a token that exists is compared and can be deleted, and what takes a new token needs a person. Two
live tokens of one description are a problem to report. An import finds the caller's own tokens, because lists do not say
whose a token is, and leaves out what is ambiguous.`,
  key: ({ user, description }) => (user === undefined ? description : `${user}: ${description}`),
  scope: ({ user }) => (user === undefined ? "tokens" : `tokens of ${user}`),
  claims: ({ deliver }) => sinkClaims(deliver),
  normalize: ({ renamedFrom: _before, expiresAt, ...spec }) => ({
    ...spec,
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  }),

  async observe(read, _scope, wanted, now) {
    const tokens = await listedTokens(read, wanted[0]?.user);
    // The first one of a key is the current one, so it is set last.
    return new Map(wanted.toReversed().map((spec) => [personalToken.key(spec), observed(tokens, spec, now)]));
  },

  async list(read, now) {
    return declarable(await listedTokens(read, undefined), now).map(({ base, ...token }) => {
      const validFor = monthsOf(token);
      return { description: base, ...(validFor === undefined ? {} : { validFor }) };
    });
  },

  needsPerson: (change) => (isRename(change) ? undefined : needsSink(change)),
  compile: (changes) =>
    changes.flatMap((change) => {
      const { current } = change.marker;
      if (!isRename(change) || current === undefined) return rotate(change, calls);
      return [call("updateToken", { tokenId: current, tokenDescription: change.desired.description }, [change])];
    }),
  risk: (change) => {
    if (change.action === "delete") return ["irreversible", "narrows-access"];
    if (change.action === "create") return ["widens-access"];
    return isRename(change) ? [] : ["secret-rotates"];
  },
};

async function listedTokens(read: TokensReader, user: string | undefined): Promise<readonly LiveToken[]> {
  const { content, last } =
    user === undefined ? await read.listTokens({}) : await read.filterTokens({ userFilter: [user] });
  // The caller's own list is not asked for page by page.
  if (user === undefined && last === false)
    throw new ProblemError({
      code: "SP3104",
      message: "The list of tokens has more pages, and this operation gives only the first one.",
      hint: "State user, the key of the account: then all pages are read.",
    });
  return content.map(({ id, description, created, validUntil }) => ({
    id,
    description: description ?? "",
    created,
    ends: validUntil ?? undefined,
    isTold: validUntil !== undefined,
  }));
}

function observed(
  tokens: readonly LiveToken[],
  wanted: PersonalToken,
  now: Date,
): Observation<PersonalToken, Generations<Listed["id"]>> {
  const { description, renamedFrom, rotateBefore, validFor, expiresAt, deliver } = wanted;
  const own = findToken(tokens, description, now);
  const before = own.is === "absent" && renamedFrom !== undefined ? findToken(tokens, renamedFrom, now) : own;
  const found = before.is === "absent" ? own : before;
  if (found.is !== "present") return found;
  const { token, marker, isInterrupted } = found;
  if (isInterrupted && deliver === undefined) return { is: "unknown", problem: unfinished(description) };
  const isDue = rotateBefore !== undefined && endsWithin(token, milliseconds(rotateBefore), now);
  const spec = {
    ...wanted,
    description: found === own ? description : token.description,
    rotateBefore: isDue ? endWords(token) : rotateBefore,
    deliver: isInterrupted ? undefined : deliver,
    // Of the two the one that the manifest does not state would contradict the other in the next token.
    ...(expiresAt === undefined
      ? { validFor: token.isTold ? monthsOf(token) : validFor }
      : { expiresAt: token.isTold ? endOf(token, expiresAt) : expiresAt }),
  };
  return { is: "present", spec, marker, ...(isInterrupted ? { note: "a rotation was interrupted" } : {}) };
}

/** The months between creation and end, of whatever length; undefined for ever. */
function monthsOf({ created, ends }: LiveToken): number | undefined {
  return ends === undefined ? undefined : Math.max(1, Math.round((ends - created) / (30.4375 * day)));
}

/** The wanted time where the token ends in the same minute: servers cut seconds off. */
function endOf({ ends }: LiveToken, wanted: string): string | undefined {
  if (ends === undefined) return undefined;
  return Math.abs(ends - Date.parse(wanted)) < 60_000 ? wanted : new Date(ends).toISOString();
}

/** A change that concerns the description alone. */
function isRename(
  change: Change<PersonalToken, Generations<Listed["id"]>>,
): change is Extract<Change<PersonalToken, Generations<Listed["id"]>>, { readonly action: "update" }> {
  return change.action === "update" && change.fields.every(({ path: [name] }) => name === "description");
}
