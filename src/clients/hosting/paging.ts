import { z } from "zod";
import { ProblemError } from "../../core/problem.ts";
import { grouped } from "../../core/text/words.ts";
import { pageList } from "../http/pages.ts";
import type { WorkflowRunsRecord } from "./records.ts";

/** The mark of an argument that only the product has. */
export const beyond = { ext: "docs/facts.md, hosting: checked against the published OpenAPI document" };

/** Pages as large as the service makes them, since each costs a request of the quota. @see docs/facts.md, hosting */
export const perPage = z.int().min(1).max(100).default(100).describe("Entries on a page; all pages are read.");
export const page = z.int().min(1).optional().describe("The first page to read.").meta(beyond);
export const inPages = { per_page: perPage.meta(beyond), page };

interface Paged {
  readonly page?: number | undefined;
  readonly per_page?: number | undefined;
}

/**
 * Reads a list to its end, page by page as the answers' links say. `fields` identify an entry. A full page without a link
 * can also be one whose link was dropped on the way, so the page after it is read.
 * @see docs/facts.md, hosting
 */
export function linkedPages<Field extends string>(...fields: readonly Field[]) {
  return {
    next: <Args extends Paged>(args: Args, entries: readonly unknown[], link: URLSearchParams | undefined) =>
      link === undefined && entries.length === args.per_page
        ? { ...args, page: (args.page ?? 1) + 1 }
        : nextPage(args, entries, link),
    list: <Entry extends Partial<Record<Field, unknown>>>(first: Entry[]) =>
      pageList(first, {
        entries: (page) => page,
        identify: (entry) => JSON.stringify(fields.map((field) => entry[field])),
        whole: (entries) => entries,
      }),
  };
}

/** The most runs that a search returns. @see docs/facts.md, hosting: a search for runs */
const mostFound = 1000;

/** Like `linkedPages`, for runs, whose list is inside an object. Throws `ProblemError` SP3104 for a search that was cut. */
export const runPages = {
  next: nextPage,
  list: (first: WorkflowRunsRecord) =>
    pageList(first, {
      entries: ({ workflow_runs }) => workflow_runs,
      identify: ({ id }) => id,
      whole(workflow_runs, last) {
        if (workflow_runs.length !== mostFound || last.total_count <= mostFound) return { ...last, workflow_runs };
        throw new ProblemError({
          code: "SP3104",
          message: `The service returns only ${grouped(mostFound)} of the ${grouped(last.total_count)} runs that it found.`,
          hint: "Narrow the search, for example by branch or status.",
        });
      },
    }),
};

function nextPage<Args extends Paged>(args: Args, _page: unknown, link: URLSearchParams | undefined): Args | undefined {
  if (link === undefined) return undefined;
  const number = Number(link.get("page"));
  if (Number.isSafeInteger(number) && number >= 1) return { ...args, page: number };
  throw new ProblemError({
    code: "SP3104",
    message: "The list cannot be read to its end: its link to the next page has no page number.",
    hint: "Nothing that was read is used. Check for a proxy or cache in between that drops the query.",
  });
}
