import { z } from "zod";
import type { ArtifactsOperations, ArtifactsReader } from "../../clients/artifacts/operations.ts";
import { callOf } from "../../core/call.ts";
import type { Observation } from "../../core/change.ts";
import { Duration, durationText, milliseconds } from "../../core/duration.ts";
import type { Kind } from "../../core/kind.ts";
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

const call = callOf<ArtifactsOperations>();

/** Seconds below which a server does not list, or cannot revoke, by default. @see docs/facts.md, artifacts */
const listedFrom = 3 * 3600;
const revocableFrom = 6 * 3600;

const never = "never";

const Life = z.union([
  z.literal(never),
  Duration.refine(
    (life) => secondsOf(life) >= listedFrom,
    "expected 6h or more: the service does not list a token that lives less than 3h, so it would be created for ever",
  ).refine(
    (life) => secondsOf(life) < listedFrom || secondsOf(life) >= revocableFrom,
    "expected 6h or more: the service cannot revoke a token that lives less, so a rotation would leave it behind",
  ),
]);

const AccessToken = z
  .strictObject({
    description: Description,
    scope: z.string().min(1).max(500).optional().describe("What the token may do, such as `applied-permissions/user`."),
    username: z.string().min(1).optional().describe("Whom the token signs in; the caller unless stated."),
    expiresIn: Life.optional().describe("How long the token lives: 6h or more, such as `90d`, or `never`."),
    referenceToken: z
      .boolean()
      .default(false)
      .describe("Whether the short reference token is delivered instead of the access token; counts for new tokens."),
    rotateBefore: Duration.optional().describe("Rotate the token when it ends within this time, such as `30d`."),
    deliver: Sink.optional(),
  })
  .refine(
    ({ expiresIn = never, rotateBefore }) =>
      expiresIn === never || rotateBefore === undefined || secondsOf(rotateBefore) < secondsOf(expiresIn),
    { path: ["rotateBefore"], message: "expected less than expiresIn: every run would rotate the token" },
  );
type AccessToken = z.infer<typeof AccessToken>;

/** A token as the list has it, in the words of a specification; undefined is what the service does not tell. */
interface LiveToken extends Listed {
  readonly id: string;
  readonly scope: string | undefined;
  readonly username: string | undefined;
  readonly expiresIn: string | undefined;
}

const otherwise = { operation: "revokeToken", argument: "tokenId", from: "token_id" } as const;
const calls: TokenCalls<AccessToken, string, ArtifactsOperations> = {
  create({ scope, username, expiresIn, referenceToken }, description, to, change) {
    const args = {
      description,
      ...(scope === undefined ? {} : { scope }),
      ...(username === undefined ? {} : { username }),
      ...(expiresIn === undefined ? {} : { expires_in: secondsOf(expiresIn) }),
      ...(referenceToken ? { include_reference_token: true } : {}),
    };
    const from = referenceToken ? "reference_token" : "access_token";
    return call("createToken", args, [change], { from, to, otherwise });
  },
  revoke: (tokenId, change) => call("revokeToken", { tokenId }, [change]),
};

/** A token of the artifact repository, rotated before it ends. @see docs/decisions/token-rotation.md */
export const accessToken: Kind<AccessToken, ArtifactsOperations, Generations<string>> = {
  kind: "AccessToken",
  role: "artifacts",
  summary: "An access token of the artifact repository, delivered when it is made and rotated before it ends.",
  spec: AccessToken,
  budget: {
    reads: "1 listTokens for all",
    writes: "1 createToken a new token, then 1 revokeToken for each that it replaces; 1 revokeToken to delete one",
  },
  notes: `The token service takes a token and no password: \`SETPOINT_<SERVICE>_TOKEN\`. A token cannot be changed, so every difference is a rotation: the new token is created as the next number
(\`deploy (2)\`), delivered, read back from its sink, and only then the old one is revoked. The next run finishes a
rotation that was interrupted. What the service does not tell of a token is taken to be as declared; \`referenceToken\`
and a changed \`deliver\` count from the next rotation.

Without \`deliver\` a token that exists is compared and can be deleted, and what takes a new token needs a person. Two live
tokens with one description are a problem to report; an import leaves them out. Under \`wire: documented\` tokens can be
created; what takes \`revokeToken\`, which the API documents leave out, needs a person there.`,
  key: ({ description }) => description,
  scope: () => "tokens",
  claims: ({ deliver }) => sinkClaims(deliver),
  normalize: ({ referenceToken: _forNewTokens, expiresIn, ...spec }) => ({
    ...spec,
    ...(expiresIn === undefined ? {} : { expiresIn: lifeText(secondsOf(expiresIn)) }),
  }),

  async observe(read, _scope, wanted, now) {
    const tokens = await listedTokens(read);
    // The first one of a key is the current one, so it is set last.
    return new Map(wanted.toReversed().map((spec) => [spec.description, observed(tokens, spec, now)]));
  },

  async list(read, now) {
    return declarable(await listedTokens(read), now).map(({ base, scope, username, expiresIn }) => ({
      description: base,
      referenceToken: false,
      ...(scope === undefined ? {} : { scope }),
      ...(username === undefined ? {} : { username }),
      ...(expiresIn !== undefined && Life.safeParse(expiresIn).success ? { expiresIn } : {}),
    }));
  },

  needsPerson: needsSink,
  compile: (changes) => changes.flatMap((change) => rotate(change, calls)),
  risk: (change) => {
    if (change.action === "delete") return ["irreversible", "narrows-access"];
    if (change.action === "create") return ["widens-access"];
    const isOther = change.fields.some(({ path: [name] }) => name === "scope" || name === "username");
    return isOther ? ["secret-rotates", "widens-access", "narrows-access"] : ["secret-rotates"];
  },
};

async function listedTokens(read: ArtifactsReader): Promise<readonly LiveToken[]> {
  const { tokens } = await read.listTokens({});
  return tokens.map(({ token_id, description = "", scope, subject = "", issued_at, expiry }) => ({
    id: token_id,
    description,
    ends: expiry === undefined ? undefined : expiry * 1000,
    scope,
    username: /(?:^|\/)users\/(.+)$/.exec(subject)?.[1],
    expiresIn: issued_at === undefined ? undefined : lifeText(expiry === undefined ? 0 : expiry - issued_at),
  }));
}

function observed(
  tokens: readonly LiveToken[],
  wanted: AccessToken,
  now: Date,
): Observation<AccessToken, Generations<string>> {
  const found = findToken(tokens, wanted.description, now);
  if (found.is !== "present") return found;
  const { token, marker, isInterrupted } = found;
  const { scope, username, expiresIn, rotateBefore, deliver } = wanted;
  if (isInterrupted && deliver === undefined) return { is: "unknown", problem: unfinished(wanted.description) };
  const isDue = rotateBefore !== undefined && endsWithin(token, milliseconds(rotateBefore), now);
  const spec = {
    ...wanted,
    scope: token.scope ?? scope,
    username: token.username ?? username,
    expiresIn: token.expiresIn ?? expiresIn,
    rotateBefore: isDue ? endWords(token) : rotateBefore,
    deliver: isInterrupted ? undefined : deliver,
  };
  return { is: "present", spec, marker, ...(isInterrupted ? { note: "a rotation was interrupted" } : {}) };
}

/** The service counts whole seconds, and 0 is for ever. */
function secondsOf(life: string): number {
  return life === never ? 0 : Math.ceil(milliseconds(life) / 1000);
}

function lifeText(seconds: number): string {
  return seconds <= 0 ? never : durationText(seconds * 1000);
}
