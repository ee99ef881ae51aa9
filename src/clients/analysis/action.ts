import { ProblemError } from "../../core/problem.ts";
import { send } from "../table.ts";

/** What all rows have in common: an action of the server's one endpoint. */
export function action(name: string) {
  return send("POST", `/review/api action=${name}`, "form");
}

/** Where the server cuts a list when no `limit` is sent. @see docs/facts.md, analysis */
const defaultLimit = 1000;

/**
 * Detects a list that the server might have cut: it has no offset, so there is no next page. A list as long as the
 * `limit` that the caller sent is what the caller requested. Throws `ProblemError` SP3104 for one as long as the server's.
 */
export const wholeList = {
  next({ limit }: { readonly limit?: number | undefined }, list: readonly unknown[]): undefined {
    if (limit !== undefined || list.length < defaultLimit) return undefined;
    throw new ProblemError({
      code: "SP3104",
      message: `The list was cut at ${defaultLimit} records, the service's limit if none is sent.`,
      hint: "Pass a limit larger than the number of records.",
    });
  },
};
