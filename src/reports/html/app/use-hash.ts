import { useEffect, useState } from "preact/hooks";
import { hashOf, type PageQuery, queryOf } from "./query.ts";

/** The query in the page's URL, and a function that writes it there. */
export function useHash(): readonly [PageQuery, (query: PageQuery) => void] {
  const [query, setQuery] = useState(() => queryOf(location.hash));
  useEffect(() => {
    const read = () => setQuery(queryOf(location.hash));
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  const write = (next: PageQuery) => {
    // Replaces the entry, because otherwise each letter of a search would be a step in the browser's history.
    history.replaceState(null, "", hashOf(next) || location.pathname);
    setQuery(next);
  };
  return [query, write];
}
