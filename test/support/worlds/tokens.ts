import fc from "fast-check";
import { declarations, type Part, product } from "./parts.ts";

const descriptions = ["deploy", 'ü, "x" & (1)', "nobody's"];
const day = 86_400;
const roles = ["tracker", "wiki"] as const;

/** The states of a token: missing, about to expire, with time left, valid forever, or left by an interrupted rotation. */
const stands = fc.constantFrom("missing", "ending", "lasting", "eternal", "interrupted");

interface Generated {
  readonly name: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly ends: number | undefined;
}

/** Returns the tokens of a description, with the days left of a life of one year. */
function generations(stand: string, description: string): readonly Generated[] {
  const now = Math.floor(Date.now() / 1000);
  const token = (name: string, left: number) => ({ name, created: now - (365 - left) * day, ends: now + left * day });
  switch (stand) {
    case "missing":
      return [];
    case "ending":
      return [token(description, 5)];
    case "lasting":
      return [token(`${description} (3)`, 200)];
    case "eternal":
      return [{ ...token(description, 200), ends: undefined }];
    default:
      return [token(description, 100), token(`${description} (2)`, 200)];
  }
}

const tokens = fc
  .tuple(stands, stands, stands)
  .map((stored) => descriptions.flatMap((description, index) => generations(stored[index] ?? "", description)));

/** Tokens of the artifact repository, the tracker and the wiki. */
export const accessTokens: Part = {
  world: fc.tuple(tokens, tokens, tokens).map(([artifacts, ...others]) => ({
    artifacts: {
      tokens: artifacts.map(({ name, created, ends }, index) => ({
        token_id: `id-${index}`,
        username: "admin",
        scope: "applied-permissions/user",
        description: name,
        issued: new Date(created * 1000).toISOString(),
        expires_in: ends === undefined ? 0 : ends - created,
      })),
    },
    ...Object.fromEntries(
      roles.map((role, at) => [
        role,
        {
          tokenPlugin: {
            tokens: (others[at] ?? []).map(({ name, created, ends }, index) => ({
              id: index + 1,
              user: "admin",
              description: name,
              created: created * 1000,
              validUntil: ends === undefined ? null : ends * 1000,
              secret: `${role}-${index}`,
            })),
          },
        },
      ]),
    ),
  })),
  declared: fc
    .tuple(
      declarations("AccessToken", product(["description", descriptions.slice(0, 2)]), ({ description }) =>
        fc.record(
          {
            deliver: fc.constant({ dotenv: "access.env", name: description === "deploy" ? "DEPLOY" : "OTHER" }),
            scope: fc.constantFrom("applied-permissions/user", "applied-permissions/admin"),
            expiresIn: fc.constantFrom("365d", "90d", "never"),
            rotateBefore: fc.constant("30d"),
            referenceToken: fc.boolean(),
          },
          { requiredKeys: ["deliver"] },
        ),
      ),
      ...roles.map((role) =>
        declarations("PersonalToken", product(["description", descriptions.slice(0, 2)]), ({ description }) =>
          fc.record(
            {
              deliver: fc.constant({ file: `${role}/${description === "deploy" ? "deploy" : "other"}` }),
              validFor: fc.constantFrom(6, 12),
              rotateBefore: fc.constant("30d"),
            },
            { requiredKeys: ["deliver"] },
          ),
        ).map((all) => all.map((one) => ({ ...one, metadata: { ...one.metadata, service: role } }))),
      ),
    )
    .map((all) => all.flat()),
};
