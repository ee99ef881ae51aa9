/** What the keys do. */
interface KeyActions {
  /** Moves to the next row, or to the previous one. */
  move(step: 1 | -1): void;
  help(): void;
  /** Shows everything again. */
  clear(): void;
}

/** Listens for the keys of the page until the returned function is called. */
export function listenToKeys(actions: KeyActions): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
    const isTyping = event.target instanceof HTMLInputElement;
    if (isTyping && event.key !== "Escape") return;
    if (act(event.key, isTyping, actions)) event.preventDefault();
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}

function act(key: string, isTyping: boolean, { move, help, clear }: KeyActions): boolean {
  switch (key) {
    case "j":
      move(1);
      return true;
    case "k":
      move(-1);
      return true;
    case "/":
      focus("#search");
      return true;
    case "f":
      focus("fieldset button");
      return true;
    case "?":
      help();
      return true;
    case "Escape":
      // The first Escape leaves the search and keeps its result.
      if (isTyping && document.activeElement instanceof HTMLElement) document.activeElement.blur();
      else clear();
      return true;
    default:
      return false;
  }
}

/** Focuses a part of the filters, and unfolds them first on a narrow screen. */
function focus(selector: string): void {
  const folded = document.querySelector<HTMLDetailsElement>("#filters");
  if (folded !== null) folded.open = true;
  document.querySelector<HTMLElement>(selector)?.focus();
}
