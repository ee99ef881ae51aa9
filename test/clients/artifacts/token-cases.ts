import { expect } from "vitest";
import { Secret } from "../../../src/core/secret.ts";
import type { Case } from "./case.ts";

/** Calls of the token service. */
export const tokenCases = {
  createToken: {
    args: {
      grant_type: "client_credentials",
      username: "admin",
      scope: "applied-permissions/user",
      expires_in: 86_400,
      refreshable: false,
      description: "nightly",
      audience: "*",
      include_reference_token: "true",
    },
    gives: {
      token_id: expect.any(String),
      access_token: expect.any(Secret),
      reference_token: expect.any(Secret),
      expires_in: 86_400,
      scope: "applied-permissions/user",
      token_type: "Bearer",
      description: "nightly",
    },
    leaves: [({ tokens }) => tokens.map(({ description }) => description), ["release pipeline", "nightly"]],
  },
  listTokens: {
    args: { description: "release*" },
    gives: {
      tokens: [
        {
          token_id: "5d2f8c1e",
          subject: "users/admin",
          scope: "applied-permissions/admin",
          description: "release pipeline",
          issued_at: Date.UTC(2026, 5, 1, 9, 30) / 1000,
          refreshable: false,
        },
      ],
    },
  },
  getToken: { args: { tokenId: "5d2f8c1e" }, gives: { token_id: "5d2f8c1e" } },
  revokeToken: { args: { tokenId: "5d2f8c1e" }, gives: "Token revoked", leaves: [({ tokens }) => tokens, []] },
} satisfies Readonly<Record<string, Case>>;
