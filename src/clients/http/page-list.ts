import type { PageList } from "../../core/operation.ts";

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
