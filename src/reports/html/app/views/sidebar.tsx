import { useState } from "preact/hooks";
import { grouped } from "../../../../core/text/words.ts";
import type { FoundEntries } from "../entries.ts";
import { type Facet, facets, isUnfiltered, type PageQuery, toggled } from "../query.ts";

/** The facets without the verdicts, which are the numbers above. */
const others = facets.filter((facet) => facet !== "verdict");

export interface SidebarProps {
  readonly query: PageQuery;
  readonly found: FoundEntries;
  readonly everything: FoundEntries;
  onQuery(query: PageQuery): void;
}

/** The search and the filters with their counts. */
export function Sidebar({ query, found, everything, onQuery }: SidebarProps) {
  return (
    <search class="sidebar">
      <input
        type="search"
        id="search"
        aria-label="Search resources, people and values"
        placeholder="Search  /"
        value={query.search}
        onInput={({ currentTarget }) => onQuery({ ...query, search: currentTarget.value, at: undefined })}
      />
      {others.map((facet) => (
        <FacetView
          key={facet}
          facet={facet}
          all={everything.counts.get(facet) ?? new Map()}
          counts={found.counts.get(facet) ?? new Map()}
          query={query}
          onQuery={onQuery}
        />
      ))}
      {isUnfiltered(query) ? null : (
        <button type="button" class="clear" onClick={() => onQuery({ search: "", chosen: new Map(), at: undefined })}>
          Show everything
        </button>
      )}
    </search>
  );
}

interface FacetProps extends Pick<SidebarProps, "query" | "onQuery"> {
  readonly facet: Facet;
  readonly all: ReadonlyMap<string, number>;
  readonly counts: ReadonlyMap<string, number>;
}

/** The number of values of a facet to show at first. */
const firstValues = 8;

function FacetView({ facet, all, counts, query, onQuery }: FacetProps) {
  const [isWhole, setWhole] = useState(false);
  const chosen = query.chosen.get(facet) ?? [];
  const values = [...all].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1)).map(([value]) => value);
  // A single value filters nothing, but a single risk or owner is still worth showing.
  if (values.length < (facet === "risk" || facet === "owner" ? 1 : 2) && chosen.length === 0) return null;
  const shown = isWhole ? values : values.filter((value, index) => index < firstValues || chosen.includes(value));
  const more = values.length - shown.length;
  return (
    <fieldset>
      <legend>{facet}</legend>
      {shown.map((value) => (
        <button
          type="button"
          key={value}
          class="value"
          aria-pressed={chosen.includes(value)}
          data-facet={facet}
          onClick={() => onQuery(toggled(query, facet, value))}
        >
          <span class="text">{value}</span>
          <span class="count">{grouped(counts.get(value) ?? 0)}</span>
        </button>
      ))}
      {more > 0 ? (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {grouped(more)} more
        </button>
      ) : null}
    </fieldset>
  );
}
