import { z } from "zod";
import type { TokenOperations } from "../../clients/tokens.ts";
import { callOf } from "../../core/call.ts";
import type { Change, Observation } from "../../core/change.ts";
import type { Kind, SignIn } from "../../core/kind.ts";
import { Sink } from "../../core/sink.ts";
import { Duration, milliseconds } from "../../core/text/duration.ts";
import { Text } from "../shared/fields.ts";
import {
  askHeld,
  Description,
  declarable,
  eventsOf,
  findToken,
  type Generations,
  type Listed,
  liveRotation,
  needsLonger,
  needsSink,
  rotate,
  type TokenCalls,
} from "../shared/generations.ts";
import { renames } from "../shared/renames.ts";
import { observeAll } from "../shared/told.ts";
import { type LiveToken, listedTokens } from "./shared/listed-tokens.ts";

const call = callOf<TokenOperations>();
const day = 86_400_000;
const month = 30.4375 * day;
const idClaim = (id: Listed["id"]) => `the token id ${id}`;
const Time = z.iso.datetime({ offset: true });

const PersonalToken = z
  .strictObject({
    description: Description,
    validFor: z.int().min(1).max(1200).optional().describe("How many months the token is valid."),
    expiresAt: z
      .string()
      .refine((text) => Time.safeParse(text).success, "expected a time with an offset, such as 2027-03-31T00:00:00Z")
      .optional()
      .describe("When the token expires, such as `2027-03-31T00:00:00Z`; instead of `validFor`."),
    rotateBefore: Duration.optional().describe("Rotate the token if it expires within this time, such as `30d`."),
    user: Text.optional().describe("Key of the user who owns the token; defaults to the caller."),
    renamedFrom: Description.optional().describe("The token's former description; it is changed without a rotation."),
    deliver: Sink.optional(),
  })
  .refine(({ validFor, expiresAt }) => validFor === undefined || expiresAt === undefined, {
    path: ["expiresAt"],
    message: "expected either validFor or expiresAt",
  })
  .refine(({ rotateBefore, expiresAt }) => rotateBefore === undefined || expiresAt === undefined, {
    path: ["rotateBefore"],
    message: "expected no rotateBefore with expiresAt: the new token would expire at the same time",
  })
  .refine(({ rotateBefore = "1s", validFor = 1200 }) => milliseconds(rotateBefore) < validFor * 28 * day, {
    path: ["rotateBefore"],
    message: "expected less than validFor: every run would rotate the token",
  });
type PersonalToken = z.infer<typeof PersonalToken>;

const renamed = renames("token", "description", (spec: PersonalToken) => personalToken.key(spec));

const otherwise = { operation: "deleteToken", argument: "tokenId", from: "id" } as const;
const calls: TokenCalls<PersonalToken, Listed["id"], TokenOperations> = {
  create({ validFor, expiresAt, user }, description, to, change) {
    const args = {
      tokenDescription: description,
      tokenValidityTimeInMonths: validFor,
      tokenExpirationDateTimeMillis: expiresAt === undefined ? undefined : Date.parse(expiresAt),
      tokenForUserKey: user,
    };
    return call("createToken", args, [change], { from: "plainTextToken", to, otherwise });
  },
  revoke: (tokenId, change) => call("deleteToken", { tokenId }, [change]),
};

/** An API token of the token plugin, rotated before it expires. @see docs/decisions/token-rotation.md */
export const personalToken: Kind<PersonalToken, TokenOperations, Generations<Listed["id"]>> = {
  kind: "PersonalToken",
  role: "tracker",
  alsoRoles: ["wiki"],
  summary: "An API token of the issue tracker or the wiki, delivered when it is created and rotated before it expires.",
  spec: PersonalToken,
  budget: {
    reads:
      "1 listTokens for the caller's, and 1 more for each live one whose sink can be read; 1 filterTokens (all pages) for each other user's",
    writes:
      "1 createToken per new token, then 1 deleteToken per token that it replaces; 1 updateToken to rename one; 1 deleteToken to delete one",
  },
  notes: `The token plugin is the same on both services, so \`metadata.service\` selects one if the workspace has both. Only
the description of a token can be changed: with \`renamedFrom\` it keeps its secret and gets the new description. Every other
difference is a rotation: a token is created with the next number (\`deploy (2)\`), delivered and read back from its sink;
only then is the old one deleted. The next run finishes an interrupted rotation. The service is asked whether the sink's secret
signs the caller in; one that does not is a difference. A refusal counts against the account, so no further secret is tried
after the first. The plugin does not say which of several tokens signs in, so a new one replaces all of them.

Older versions of the plugin do not report when a token expires; the expiry is then assumed to be as declared, and no token
is rotated because of its age. Without \`deliver\` an existing token is compared and can be deleted, a change that needs a new
one needs a person, and several live tokens are a problem. So is one about which the service says something that setpoint
does not understand. An import finds only the caller's own tokens, because lists name no owner, and leaves out ambiguous ones.`,
  ofAccount: true,
  key: ({ user, description }) => (user === undefined ? description : `${user}: ${description}`),
  scope: ({ user }) => (user === undefined ? "tokens" : `tokens of ${user}`),
  // The caller's key and no user at all name the same tokens, which only their ids show.
  formerKey: renamed.formerKey,
  claims: (spec, marker) => [...renamed.claims(spec), ...(marker?.ids ?? []).map(idClaim)],
  normalize: ({ renamedFrom: _before, expiresAt, ...spec }) => ({
    ...spec,
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  }),

  async observe(read, _scope, wanted, now, signIn) {
    const tokens = await listedTokens(read, wanted[0]?.user);
    return observeAll(wanted, personalToken, (spec) => observed(tokens, spec, now, signIn));
  },

  list: async (read, now) =>
    declarable(await listedTokens(read, undefined), now).map(({ base, ...token }) => {
      const validFor = monthsOf(token);
      return { description: base, ...(validFor === undefined ? {} : { validFor }) };
    }),

  needsPerson: (change) =>
    isRename(change) ? undefined : (needsSink(change) ?? needsLonger(change, "validFor", lifetime)),
  compile: (changes) =>
    changes.flatMap((change) => {
      const { current, ids } = change.marker;
      if (change.action === "delete") {
        const isOthers = ids.some((id) => change.kept.includes(idClaim(id)));
        return isOthers || !renamed.isGone(change) ? [] : rotate(change, calls);
      }
      const { description: tokenDescription } = change.desired;
      const isRenamed = change.action === "update" && change.live.description !== tokenDescription;
      // First, so that no token keeps the former description if the rotation is interrupted.
      const rename = (isRenamed ? [current ?? []].flat() : []).map((tokenId) =>
        call("updateToken", { tokenId, tokenDescription }, [change]),
      );
      return isRename(change) ? rename : [...rename, ...rotate(change, calls)];
    }),
  risk: (change) => {
    if (change.action === "delete") return ["irreversible", "narrows-access"];
    if (change.action === "create") return ["widens-access"];
    return isRename(change) ? [] : ["secret-rotates"];
  },
};

async function observed(
  tokens: readonly LiveToken[],
  wanted: PersonalToken,
  now: Date,
  signIn: SignIn<TokenOperations> | undefined,
): Promise<Observation<PersonalToken, Generations<Listed["id"]>>> {
  const { description, renamedFrom, validFor, expiresAt, deliver, user } = wanted;
  // The name of another user is unknown, and a sign-in might need it.
  const sink = user === undefined ? deliver : undefined;
  const find = (name: string) =>
    findToken(tokens, { description: name, deliver }, now, (live) =>
      // The plugin lists an owner's tokens, but not which of them signs in.
      askHeld(sink, signIn, async (read) => {
        const { content, last } = await read.listTokens({});
        return { is: last === false || content.some(({ id }) => live.includes(id)) ? "untold" : "stranger" };
      }),
    );
  const own = await find(description);
  const before = own.is === "absent" && renamedFrom !== undefined ? await find(renamedFrom) : own;
  const found = before.is === "absent" ? own : before;
  if (found.is !== "present") return found;
  const { token, ...told } = found;
  const spec = {
    ...wanted,
    description: found === own ? description : token.description,
    ...liveRotation(found, wanted, now),
    // A new token takes only one of the two, so the one that the manifest does not set is left out.
    ...(expiresAt === undefined
      ? { validFor: token.isTold ? monthsOf(token) : validFor }
      : { expiresAt: token.isTold ? endOf(token, expiresAt) : expiresAt }),
  };
  return { ...told, spec, events: eventsOf(token) };
}

/** Returns the months between creation and expiry, rounded; undefined if the token never expires. */
function monthsOf({ created, ends }: LiveToken): number | undefined {
  return ends === undefined || created === undefined ? undefined : Math.max(1, Math.round((ends - created) / month));
}

/** Returns the wanted time if the token expires within a minute of it, because servers drop the seconds. */
function endOf({ ends }: LiveToken, wanted: string): string | undefined {
  if (ends === undefined) return undefined;
  return Math.abs(ends - Date.parse(wanted)) < 60_000 ? wanted : new Date(ends).toISOString();
}

const lifetime = ({ validFor = Number.POSITIVE_INFINITY }: PersonalToken) => validFor * month;

/** Whether only the description changes. */
function isRename(change: Change<PersonalToken>): boolean {
  return change.action === "update" && change.fields.every(({ path: [name] }) => name === "description");
}
