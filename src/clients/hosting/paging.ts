import { z } from "zod";
import { ProblemError } from "../../core/problem.ts";
import type { WorkflowRunsRecord } from "./records.ts";

/** The mark of an argument that only the product has. */
export const beyond = { ext: "docs/facts.md, hosting: checked against the published OpenAPI document" };

/** Pages as large as the service makes them, since each costs a request of the quota. @see docs/facts.md, hosting */
export const perPage = z.int().min(1).max(100).default(100).describe("Entries on a page; all pages are read.");
export const page = z.int().min(1).optional().describe("The first page to read.").meta(beyond);
export const inPages = { per_page: perPage.meta(beyond), page };

interface Paged {
  readonly page?: number | undefined;
}

/**
 * Reads a list to its end, page by page as the answers' links say. A list that changes while it is read can contain an
 * entry twice; it is kept once. `fields` identify an entry.
 * @see docs/facts.md, hosting
 */
export function linkedPages<Field extends string>(...fields: readonly Field[]) {
  return {
    next: nextPage,
    join: <Entry extends Partial<Record<Field, unknown>>>(earlier: readonly Entry[], page: readonly Entry[]) =>
      joined(earlier, page, (entry) => JSON.stringify(fields.map((field) => entry[field]))),
  };
}

/** Like `linkedPages`, for runs, whose list is inside an object. */
export const runPages = {
  next: nextPage,
  join: (earlier: WorkflowRunsRecord, page: WorkflowRunsRecord): WorkflowRunsRecord => ({
    ...page,
    workflow_runs: joined(earlier.workflow_runs, page.workflow_runs, ({ id }) => id),
  }),
};

function nextPage<Args extends Paged>(args: Args, _page: unknown, link: URLSearchParams | undefined): Args | undefined {
  if (link === undefined) return undefined;
  const number = Number(link.get("page"));
  if (!Number.isSafeInteger(number) || number < 1) throw unreadable("its link to the next page has no page number");
  return { ...args, page: number };
}

function joined<Entry>(
  earlier: readonly Entry[],
  page: readonly Entry[],
  identify: (entry: Entry) => string | number,
): Entry[] {
  const known = new Set(earlier.map(identify));
  const fresh = page.filter((entry) => !known.has(identify(entry)));
  if (fresh.length === 0 && page.length > 0) throw unreadable("the service sends the same page again");
  return [...earlier, ...fresh];
}

function unreadable(reason: string): ProblemError {
  return new ProblemError({
    code: "SP3104",
    message: `The list cannot be read to its end: ${reason}.`,
    hint: "Nothing that was read is used. Check for a proxy or cache in between that drops the query.",
  });
}
