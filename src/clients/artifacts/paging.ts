import { ProblemError } from "../../core/problem.ts";
import type { QueryAnswer } from "./records.ts";

/** The most results that a search gives, whatever there is. @see docs/facts.md, artifacts */
const mostResults = 1000;

/** A search cannot be continued: throws `ProblemError` SP3104 where its results may have been cut. */
export function endOfSearch(results: number): undefined {
  if (results >= mostResults) throw trimmed(`The search stops at ${mostResults} results, and gave as many.`);
}

/**
 * Throws `ProblemError` SP3104 where the service trimmed the answer to a query: it says so in one place or the other, or
 * has more results although the query set no limit. @see docs/facts.md, artifacts
 */
export function endOfQuery(query: string, { results, notification, range }: QueryAnswer): undefined {
  const said = notification ?? range?.notification;
  if (said !== undefined) throw trimmed(`The service trimmed the answer: ${said}`);
  const isPart = /\.(offset|limit)\(\d+\)$/.test(query);
  if (!isPart && range !== undefined && (range.start_pos > 0 || range.total > Math.min(range.end_pos, results.length)))
    throw trimmed(`The service gave results ${range.start_pos} to ${range.end_pos} of ${range.total}.`);
}

function trimmed(message: string): ProblemError {
  return new ProblemError({
    code: "SP3104",
    message,
    hint: "Narrow it, or ask a query for one part after the other with offset and limit.",
  });
}

/** Where a registry's list goes on: as the answer's link says, else after the last name of a full page. */
export function nextNames<Args extends { readonly n?: number | undefined; readonly last?: string | undefined }>(
  args: Args,
  names: readonly string[],
  link: URLSearchParams | undefined,
): Args | undefined {
  const last = link?.get("last") ?? names.at(-1);
  const isFull = args.n !== undefined && names.length >= args.n;
  if (last === undefined || (link === undefined && !isFull)) return undefined;
  const n = Number(link?.get("n") ?? args.n);
  return { ...args, last, ...(n > 0 ? { n } : {}) };
}
