import { useEffect, useState } from "preact/hooks";
import { hashOf, type Query, queryOf } from "./query.ts";

/** The query that the page's address holds, and what writes it there. */
export function useHash(): readonly [Query, (query: Query) => void] {
  const [query, setQuery] = useState(() => queryOf(location.hash));
  useEffect(() => {
    const read = () => setQuery(queryOf(location.hash));
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  const write = (next: Query) => {
    // Each letter of a search would be a step back otherwise.
    history.replaceState(null, "", hashOf(next) || location.pathname);
    setQuery(next);
  };
  return [query, write];
}
