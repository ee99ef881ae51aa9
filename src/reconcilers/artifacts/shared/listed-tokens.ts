import { z } from "zod";
import type { ArtifactsReader } from "../../../clients/artifacts/operations.ts";
import { Duration, durationText, milliseconds } from "../../../core/text/duration.ts";
import type { Listed } from "../../shared/generations.ts";

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
    username: /(?:^|\/)users\/(.+)$/s.exec(subject ?? "")?.[1],
    expiresIn: issued_at == null ? undefined : lifeText(expiry === undefined ? 0 : expiry - issued_at),
    created: issued_at == null ? undefined : issued_at * 1000,
    unclear,
  }));
}

/** Lifetimes in seconds below which, by default, a token is not listed or not revocable. @see docs/facts.md, artifacts */
const listedFrom = 3 * 3600;
const revocableFrom = 6 * 3600;

/** The lifetime of a token that does not expire. */
export const never = "never";

/** The lifetime of a token, as a manifest states it. */
export const Life = z.union([
  z.literal(never),
  Duration.refine(
    (life) => secondsOf(life) >= listedFrom,
    "expected 6h or more: the service does not list a token that lives less than 3h, so it would be recreated on every run",
  ).refine(
    (life) => secondsOf(life) < listedFrom || secondsOf(life) >= revocableFrom,
    "expected 6h or more: the service cannot revoke a token that lives less, so a rotation would leave it behind",
  ),
]);

/** Returns a lifetime in whole seconds, as the service counts it; 0 means that the token never expires. */
export function secondsOf(life: string): number {
  return life === never ? 0 : Math.ceil(milliseconds(life) / 1000);
}

/** Returns a lifetime in seconds as a manifest states it. */
export function lifeText(seconds: number): string {
  return seconds <= 0 ? never : durationText(seconds * 1000);
}
