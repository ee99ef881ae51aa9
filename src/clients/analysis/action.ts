import { ProblemError } from "../../core/problem.ts";
import { send } from "../table.ts";

/** What all rows have in common: an action of the server's one endpoint. */
export function action(name: string) {
  return send("POST", `/review/api action=${name}`, "form");
}

/** Where the server cuts a list when no `limit` is sent. @see docs/facts.md, analysis */
const defaultLimit = 1000;

/** The arguments that decide how many records come. */
interface Counted {
  readonly limit?: number | undefined;
  readonly summary?: boolean | undefined;
}

/**
 * Detects a list that the server might have cut: it has no offset, so there is no next page. A list as long as the
 * `limit` that the caller sent is what the caller requested, and one that is longer than the server's own limit was not cut
 * there. Throws `ProblemError` SP3104 for one as long as the server's; a summary does not count.
 */
export const wholeList = {
  next({ limit, summary = false }: Counted, list: readonly unknown[]): undefined {
    if (limit !== undefined || list.length - Number(summary) !== defaultLimit) return undefined;
    throw new ProblemError({
      code: "SP3104",
      message: `The list was cut at ${defaultLimit} records, the service's limit if none is sent.`,
      hint: "Pass a limit larger than the number of records.",
    });
  },
};
