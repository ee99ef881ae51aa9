import { useEffect, useState } from "preact/hooks";
import { hashOf, type PageQuery, queryOf } from "./query.ts";

/** Listens for an event anywhere on the page. */
function useEvent<Type extends keyof WindowEventMap>(
  type: Type,
  listener: (event: WindowEventMap[Type]) => void,
): void {
  useEffect(() => {
    addEventListener(type, listener);
    return () => removeEventListener(type, listener);
  });
}

/** Whether the screen matches a media query, updated whenever that changes. */
export function useMatches(media: string): boolean {
  const [matches, set] = useState(() => matchMedia(media).matches);
  useEffect(() => matchMedia(media).addEventListener("change", (event) => set(event.matches)), [media]);
  return matches;
}

/** The query in the page's URL, and a function that writes it there. */
export function useHash(): readonly [PageQuery, (query: PageQuery) => void] {
  const [query, setQuery] = useState(() => queryOf(location.hash));
  const write = (next: PageQuery) => {
    // Replaces the entry, because otherwise each letter of a search would be a step in the browser's history.
    history.replaceState(null, "", hashOf(next) || location.pathname + location.search);
    setQuery(next);
  };
  useEvent("hashchange", () => setQuery(queryOf(location.hash)));
  // All links lead to resources. They leave the filters as they are.
  useEvent("click", (event) => {
    if (!(event.target instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    write({ ...query, at: queryOf(event.target.hash).at });
  });
  return [query, write];
}

/** Obeys the keys of the page: the given ones, and those of the filters. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  useEvent("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
    const isTyping = target instanceof HTMLInputElement;
    if (isTyping && key !== "Escape") return;
    // The first Escape leaves the search and keeps its result.
    const act = isTyping ? () => target.blur() : { "/": search, f: filter, ...actions }[key];
    if (act === undefined) return;
    act();
    event.preventDefault();
  });
}

const search = () => focus("#search");
const filter = () => focus("fieldset button");

/** Focuses a part of the filters, and unfolds them first on a narrow screen. */
function focus(selector: string): void {
  const folded = document.querySelector<HTMLDetailsElement>("#filters");
  if (folded !== null) folded.open = true;
  document.querySelector<HTMLElement>(selector)?.focus();
}
