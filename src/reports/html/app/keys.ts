import { useEvent } from "./hooks.ts";

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
