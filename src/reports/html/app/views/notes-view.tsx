import { grouped } from "../../../../core/text/words.ts";
import type { PageNote } from "../../page-data.ts";
import { Link } from "../links.tsx";

/** What to know first: refusals, risks, rules. */
export function NotesView({ notes }: { readonly notes: readonly PageNote[] }) {
  if (notes.length === 0) return null;
  return (
    <section class="notes" aria-label="Read first">
      {notes.map(({ tone, title, items, more }) => (
        <div class={`note ${tone}`}>
          <h2>{title}</h2>
          {items.length > 0 && (
            <ul>
              {items.map(({ text, address, hint }) => (
                <li>
                  {text && <span>{text}</span>} {address && <Link to={address} />}
                  {hint && <span class="hint">{hint}</span>}
                </li>
              ))}
              {more > 0 && <li>{grouped(more)} more</li>}
            </ul>
          )}
        </div>
      ))}
    </section>
  );
}
