import type { TokensReader } from "../../../clients/tokens.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { Listed } from "../../shared/generations.ts";

/** A token as listed. `ends` is also undefined if it never expires; `isTold` is false if the list does not report expiry. */
export interface LiveToken extends Listed {
  readonly isTold: boolean;
}

/** Returns the caller's tokens, or those of another user. Throws `ProblemError` SP3104 if the list is incomplete. */
export async function listedTokens(read: TokensReader, user: string | undefined): Promise<readonly LiveToken[]> {
  const { content, last } =
    user === undefined ? await read.listTokens({}) : await read.filterTokens({ userFilter: [user] });
  // The caller's own list has no paging.
  if (user === undefined && last === false)
    throw new ProblemError({
      code: "SP3104",
      message: "The list of tokens has more pages, and this operation returns only the first.",
      hint: "Set user to the key of the account: then all pages are read.",
    });
  return content.map(({ id, description, created, lastAccessed, validUntil, unclear }) => ({
    id,
    description: description ?? "",
    created,
    used: typeof lastAccessed === "number" && lastAccessed > 0 ? lastAccessed : undefined,
    ends: validUntil ?? undefined,
    isTold: validUntil !== undefined,
    unclear: created === undefined ? { created, ...unclear } : unclear,
  }));
}
