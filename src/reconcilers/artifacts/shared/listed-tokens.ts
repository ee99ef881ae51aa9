import type { ArtifactsReader } from "../../../clients/artifacts/operations.ts";
import type { Listed } from "../../shared/generations.ts";
import { lifeText } from "./token-life.ts";

/** A token as listed, with the fields of a specification; undefined if the service does not report a field. */
export interface LiveToken extends Listed {
  readonly id: string;
  readonly scope: string | undefined;
  readonly subject: string | undefined;
  readonly username: string | undefined;
  readonly expiresIn: string | undefined;
}

/** Returns the tokens that the service lists. */
export async function listedTokens(read: ArtifactsReader): Promise<readonly LiveToken[]> {
  const { tokens } = await read.listTokens({});
  return tokens.map(({ token_id, description, scope, subject, issued_at, expiry, unclear }) => ({
    id: token_id,
    description: description ?? "",
    ends: expiry === undefined ? undefined : expiry * 1000,
    scope: scope ?? undefined,
    subject: subject ?? undefined,
    username: /(?:^|\/)users\/(.+)$/.exec(subject ?? "")?.[1],
    expiresIn: issued_at == null ? undefined : lifeText(expiry === undefined ? 0 : expiry - issued_at),
    created: issued_at == null ? undefined : issued_at * 1000,
    unclear,
  }));
}
