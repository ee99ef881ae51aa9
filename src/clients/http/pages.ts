import type { Operation, PageList } from "../../core/operation.ts";
import { ProblemError } from "../../core/problem.ts";
import { canonicalJson, type JsonObject } from "../../core/text/json.ts";
import { type Answer, header, largestAnswer } from "./answer.ts";

/** One page of a result, decoded, and the answer that it came in. */
export interface Page {
  readonly result: unknown;
  readonly answer: Answer;
}

/** Far more than any real list has, so that endless pages are noticed. */
const mostPages = 10_000;

/** The largest list, in bytes of all its pages: all of it is in memory at once. */
const largestList = 8 * largestAnswer;

const hasMorePages = "The list has more pages, but this operation reads only one.";

/**
 * Returns the whole result of an operation, read page by page if its answer is paged. A call whose arguments cap the
 * answer gets its first page, unless `pageAll` is set. Throws `ProblemError` SP3104 if the pages repeat or do not end, or
 * if there is another page although the operation has no paging.
 */
export async function readPages(
  { paging }: Pick<Operation, "paging">,
  args: JsonObject,
  readPage: (args: JsonObject) => Promise<Page>,
  pageAll = false,
): Promise<unknown> {
  const first = await readPage(args);
  if (!pageAll && paging?.cap !== undefined && args[paging.cap] !== undefined) return first.result;
  const link = nextLink(first.answer);
  if (paging === undefined) {
    if (link === undefined) return first.result;
    throw incomplete(hasMorePages);
  }
  let next = paging.next(args, first.result, link);
  if (next === undefined) return first.result;
  if (paging.list === undefined) throw incomplete(hasMorePages);
  const list = paging.list(first.result);
  const asked = new Set([canonicalJson(args)]);
  let size = first.answer.body.length;
  while (next !== undefined) {
    const wanted = canonicalJson(next);
    if (asked.has(wanted) || asked.size >= mostPages)
      throw incomplete(`The list does not end: ${asked.size} pages were read.`);
    asked.add(wanted);
    const page = await readPage(next);
    size += page.answer.body.length;
    if (size > largestList) throw incomplete(`The list has more than ${largestList / 2 ** 20} MiB.`);
    const hasMore = list.add(page.result);
    next = paging.next(next, page.result, nextLink(page.answer));
    if (!hasMore && next !== undefined)
      throw incomplete("The list does not end: the service sends the same page again.");
  }
  return list.whole();
}

/** The query of the link to the next page. @see RFC 8288, section 3: a quoted parameter can contain a comma. */
function nextLink(answer: Answer): URLSearchParams | undefined {
  const next = /<([^<>]*)>\s*;(?:[^,"<]|"[^"]*")*?\brel="?(?:[^",;]*\s)?next\b/;
  const target = next.exec(header(answer, "link") ?? "")?.[1];
  return target === undefined ? undefined : new URLSearchParams(target.split("?")[1] ?? "");
}

function incomplete(message: string): ProblemError {
  return new ProblemError({
    code: "SP3104",
    message,
    hint: "Nothing that was read is used, because the rest of the list would look absent. Check for a proxy or cache in between that drops the query.",
  });
}

/** What the pages of a list contain. */
interface Listing<Page, Entry> {
  entries(page: Page): readonly Entry[];
  identify(entry: Entry): string | number;
  /** The result that has all entries. */
  whole(entries: Entry[], last: Page): Page;
}

/**
 * Starts a list with its first page. A list that changes while it is read can contain an entry twice; the first one is
 * kept. Each page costs its own length, however many were read before.
 */
export function pageList<Page, Entry>(first: Page, { entries, identify, whole }: Listing<Page, Entry>): PageList<Page> {
  const known = new Map<string | number, Entry>();
  let last = first;
  const add = (page: Page) => {
    const before = known.size;
    for (const entry of entries(page)) {
      const identity = identify(entry);
      if (!known.has(identity)) known.set(identity, entry);
    }
    last = page;
    return known.size > before;
  };
  add(first);
  return { add, whole: () => whole([...known.values()], last) };
}
