import { z } from "zod";
import type { ArtifactsOperations } from "../../clients/artifacts/operations.ts";
import { callOf } from "../../core/call.ts";
import type { Observation } from "../../core/change.ts";
import type { Kind, SignIn } from "../../core/kind.ts";
import { Sink } from "../../core/sink.ts";
import { Duration, milliseconds } from "../../core/text/duration.ts";
import { quote } from "../../core/text/words.ts";
import { Text } from "../shared/fields.ts";
import {
  askHeld,
  Description,
  declarable,
  eventsOf,
  findToken,
  type Generations,
  isTidying,
  liveRotation,
  needsLonger,
  needsSink,
  rotate,
  type TokenCalls,
} from "../shared/generations.ts";
import { observeAll, unclearIn } from "../shared/told.ts";
import { Life, type LiveToken, lifeText, listedTokens, never, secondsOf } from "./shared/listed-tokens.ts";

const call = callOf<ArtifactsOperations>();

const AccessToken = z
  .strictObject({
    description: Description,
    scope: Text.max(500)
      .optional()
      .describe(
        "Permissions of the token, such as `applied-permissions/user`; several with spaces between, in any order.",
      ),
    username: Text.optional().describe("User that the token authenticates; defaults to the caller."),
    expiresIn: Life.optional().describe("Lifetime of the token: 6h or more, such as `90d`, or `never`."),
    referenceToken: z
      .boolean()
      .default(false)
      .describe(
        "Whether the short reference token is delivered instead of the access token; applies to new tokens only.",
      ),
    rotateBefore: Duration.optional().describe("Rotate the token if it expires within this time, such as `30d`."),
    deliver: Sink.optional(),
  })
  .refine(
    ({ expiresIn = never, rotateBefore }) =>
      expiresIn === never || rotateBefore === undefined || secondsOf(rotateBefore) < secondsOf(expiresIn),
    { path: ["rotateBefore"], message: "expected less than expiresIn: every run would rotate the token" },
  );
type AccessToken = z.infer<typeof AccessToken>;

const otherwise = { operation: "revokeToken", argument: "tokenId", from: "token_id" } as const;
const calls: TokenCalls<AccessToken, string, ArtifactsOperations> = {
  create({ scope, username, expiresIn, referenceToken }, description, to, change) {
    const args = {
      description,
      scope,
      username: username?.toLowerCase(),
      expires_in: expiresIn === undefined ? undefined : secondsOf(expiresIn),
      include_reference_token: referenceToken || undefined,
    };
    const from = referenceToken ? "reference_token" : "access_token";
    return call("createToken", args, [change], { from, to, otherwise });
  },
  revoke: (tokenId, change) => call("revokeToken", { tokenId }, [change]),
};

/** A token of the artifact repository, rotated before it expires. @see docs/decisions/token-rotation.md */
export const accessToken: Kind<AccessToken, ArtifactsOperations, Generations<string>> = {
  kind: "AccessToken",
  role: "artifacts",
  summary: "An access token of the artifact repository, delivered when it is created and rotated before it expires.",
  spec: AccessToken,
  budget: {
    reads: "1 listTokens for all, and 1 getToken for each live one whose sink can be read",
    writes: "1 createToken per new token, then 1 revokeToken per token that it replaces; 1 revokeToken to delete one",
  },
  notes: `The token service accepts a token, not a password: \`SETPOINT_<SERVICE>_TOKEN\`. It shows an account that is not an
administrator only its own tokens: those of others look absent. A token cannot be changed, so every difference is
a rotation: the new token is created with the next number (\`deploy (2)\`), delivered and read back from its sink; only then
is the old one revoked. The next run finishes an interrupted rotation. From 7.53.1 on, the service is asked whose secret the sink
holds: of several live tokens that one stays and the others are revoked, and a secret that is not the live token's is a
difference. Otherwise a new token replaces them all. Fields that the service does not report are assumed to be as declared. The
product does not report scopes: a changed \`scope\`, \`referenceToken\` and a changed \`deliver\` take effect at the next rotation, or once
the token is revoked.

Without \`deliver\` an existing token is compared and can be deleted, and a change that needs a new token needs a person.
Several live tokens are then reported as a problem. So is a token about which the service says something that
setpoint does not understand; an import leaves both out. Under \`wire: documented\` tokens can be created; a change that needs
\`revokeToken\`, which is not in the API documents, needs a person.`,
  ofAccount: true,
  key: ({ description }) => description,
  scope: () => "tokens",
  /** @see docs/facts.md, Artifacts: A user's name is in lower case; docs/facts.md, Artifacts: the order of scopes */
  normalize: ({ referenceToken: _forNewTokens, username, scope, expiresIn, ...spec }) => ({
    ...spec,
    username: username?.toLowerCase(),
    scope: scope && scopesOf(scope).join(" "),
    ...(expiresIn === undefined ? {} : { expiresIn: lifeText(secondsOf(expiresIn)) }),
  }),

  async observe(read, _scope, wanted, now, signIn) {
    const tokens = await listedTokens(read);
    return observeAll(wanted, accessToken, (spec) => observed(tokens, spec, now, signIn));
  },

  async list(read, now) {
    return declarable(await listedTokens(read), now).map(({ base, scope, username, expiresIn }) => ({
      description: base,
      referenceToken: false,
      ...(scope === undefined ? {} : { scope }),
      ...(username === undefined ? {} : { username }),
      // That a token never expires is not stated, but inferred from what the record leaves out.
      ...(expiresIn !== never && Life.safeParse(expiresIn).success ? { expiresIn } : {}),
    }));
  },

  needsPerson: (change) => needsSink(change) ?? needsLonger(change, "expiresIn", lifetime),
  compile: (changes) => changes.flatMap((change) => rotate(change, calls)),
  risk: (change) => {
    if (change.action === "delete") return ["irreversible", "narrows-access"];
    if (change.action === "create") return ["widens-access"];
    if (isTidying(change)) return ["narrows-access"];
    const isOther = change.fields.some(({ path: [name] }) => name === "scope" || name === "username");
    return isOther ? ["secret-rotates", "widens-access", "narrows-access"] : ["secret-rotates"];
  },
};

async function observed(
  tokens: readonly LiveToken[],
  wanted: AccessToken,
  now: Date,
  signIn: SignIn<ArtifactsOperations> | undefined,
): Promise<Observation<AccessToken, Generations<string>>> {
  const { scope, username, expiresIn, deliver } = wanted;
  const found = await findToken(tokens, wanted, now, () =>
    askHeld(deliver, signIn, async (read) => ({
      is: "generation",
      id: (await read.getToken({ tokenId: "me" })).token_id,
    })),
  );
  if (found.is !== "present") return found;
  const { token, ...told } = found;
  const { subject } = token;
  const stranger = username !== undefined && subject !== undefined && token.username === undefined ? { subject } : {};
  const problem = unclearIn(`the token ${quote(token.description)}`, "listTokens", stranger);
  if (problem !== undefined) return { is: "unknown", problem };
  const spec = {
    ...wanted,
    scope: token.scope ?? scope,
    username: token.username ?? username,
    expiresIn: token.expiresIn ?? expiresIn,
    ...liveRotation(found, wanted, now),
  };
  return { ...told, spec, events: eventsOf(token) };
}

/** Returns the scopes of a token, sorted and each once; the name of a group in quotes can contain spaces. */
function scopesOf(scope: string): readonly string[] {
  return [...new Set(scope.match(/(?:"[^"]*"|\S)+/g))].sort();
}

function lifetime({ expiresIn = never }: AccessToken): number {
  return expiresIn === never ? Number.POSITIVE_INFINITY : milliseconds(expiresIn);
}
