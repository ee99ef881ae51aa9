import { grouped } from "../../../../core/text/words.ts";
import type { PageNote } from "../../page-data.ts";

interface NotesProps {
  readonly notes: readonly PageNote[];
  onGo(address: string): void;
}

/** What to know first: refusals, risks, rules. */
export function NotesView({ notes, onGo }: NotesProps) {
  if (notes.length === 0) return null;
  return (
    <section class="notes" aria-label="Read first">
      {notes.map(({ tone, title, items, more }) => (
        <div class={`note ${tone}`} key={title}>
          <h2>{title}</h2>
          {items.length === 0 ? null : (
            <ul>
              {items.map(({ text, address, hint }, index) => (
                <li key={index}>
                  {text === "" ? null : <span>{text}</span>}{" "}
                  {address === undefined ? null : (
                    <button type="button" class="link" onClick={() => onGo(address)}>
                      {address}
                    </button>
                  )}
                  {hint === undefined ? null : <span class="hint">{hint}</span>}
                </li>
              ))}
              {more > 0 ? <li>{grouped(more)} more</li> : null}
            </ul>
          )}
        </div>
      ))}
    </section>
  );
}
