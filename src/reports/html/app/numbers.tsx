import { grouped } from "../../../core/text/words.ts";
import type { PageEntry } from "./entries.ts";
import { Mark } from "./icons.tsx";
import { toggled } from "./query.ts";
import type { SidebarProps } from "./views/sidebar.tsx";

const verdicts: readonly PageEntry["verdict"][] = [
  "conflict",
  "drift",
  "pending",
  "unknown",
  "acknowledged",
  "in sync",
];

/** The verdicts that are shown even if no resource has them. */
const always: readonly PageEntry["verdict"][] = ["drift", "pending", "unknown", "in sync"];

/** The number of resources with each verdict. Each number is a filter. */
export function Numbers({ query, found, everything, onQuery }: SidebarProps) {
  const chosen = query.chosen.get("verdict") ?? [];
  const total = everything.counts.get("verdict");
  return (
    <fieldset class="numbers">
      <legend>Verdicts</legend>
      {verdicts
        .filter((verdict) => always.includes(verdict) || total?.has(verdict))
        .map((verdict) => (
          <button
            type="button"
            key={verdict}
            data-facet="verdict"
            aria-pressed={chosen.includes(verdict)}
            onClick={() => onQuery(toggled(query, "verdict", verdict))}
          >
            <Mark sign={verdict} />
            <strong>{grouped(found.counts.get("verdict")?.get(verdict) ?? 0)}</strong>
            <span class="text">{verdict}</span>
          </button>
        ))}
    </fieldset>
  );
}
