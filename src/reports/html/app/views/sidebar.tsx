import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { grouped, inOrder } from "../../../../core/text/words.ts";
import { type FoundEntries, markClass, type PageEntry } from "../entries.ts";
import { Button, More } from "../links.tsx";
import { everything, type Facet, facets, isUnfiltered, type PageQuery, toggled } from "../query.ts";

interface FilterProps {
  readonly query: PageQuery;
  readonly found: FoundEntries;
  /** What an empty query finds. */
  readonly whole: FoundEntries;
  onQuery(query: PageQuery): void;
}

type Verdict = PageEntry["verdict"];
const verdicts: readonly Verdict[] = ["conflict", "drift", "pending", "unknown", "acknowledged", "in sync"];

/** The verdicts that are not shown if no resource has them. */
const rare: readonly Verdict[] = ["conflict", "acknowledged"];

/** The number of resources with each verdict. Each number is a filter. */
export function Numbers(props: FilterProps) {
  const { found, whole } = props;
  return (
    <fieldset class="numbers">
      <legend>Verdicts</legend>
      {verdicts
        .filter((verdict) => !rare.includes(verdict) || whole.counts.get("verdict")?.has(verdict))
        .map((verdict) => (
          <Choice facet="verdict" value={verdict} {...props}>
            <span class={markClass({ verdict })} aria-hidden="true" />
            <strong>{grouped(found.counts.get("verdict")?.get(verdict) ?? 0)}</strong>
            <span class="quiet">{verdict}</span>
          </Choice>
        ))}
    </fieldset>
  );
}

/** The search and the filters with their counts. */
export function Sidebar(props: FilterProps) {
  const { query, onQuery } = props;
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
      {facets.map((facet) => facet !== "verdict" && <FacetView facet={facet} {...props} />)}
      {!isUnfiltered(query) && (
        <Button class="clear" onClick={() => onQuery(everything)}>
          Show everything
        </Button>
      )}
    </search>
  );
}

/** The number of values of a facet to show at first. */
const firstValues = 8;

function FacetView(props: FilterProps & { readonly facet: Facet }) {
  const { facet, query, found, whole } = props;
  const [isWhole, setWhole] = useState(false);
  const chosen = query.chosen.get(facet) ?? [];
  const values = [...(whole.counts.get(facet) ?? [])]
    .sort(([a, first], [b, second]) => second - first || inOrder(a, b))
    .map(([value]) => value);
  // A single value filters nothing, but a single risk or owner is still worth showing.
  if (values.length < (facet === "risk" || facet === "owner" ? 1 : 2) && chosen.length === 0) return null;
  const shown = values.filter((value, index) => isWhole || index < firstValues || chosen.includes(value));
  return (
    <fieldset>
      <legend>{facet}</legend>
      {shown.map((value) => (
        <Choice key={value} value={value} {...props}>
          <span class="text">{value}</span>
          <span class="count">{grouped(found.counts.get(facet)?.get(value) ?? 0)}</span>
        </Choice>
      ))}
      <More count={values.length - shown.length} onClick={() => setWhole(true)} />
    </fieldset>
  );
}

interface ChoiceProps extends Pick<FilterProps, "query" | "onQuery"> {
  readonly facet: Facet;
  readonly value: string;
  readonly children: ComponentChildren;
}

function Choice({ facet, value, query, children, onQuery }: ChoiceProps) {
  return (
    <Button
      class="choice"
      data-facet={facet}
      aria-pressed={(query.chosen.get(facet) ?? []).includes(value)}
      onClick={() => onQuery(toggled(query, facet, value))}
    >
      {children}
    </Button>
  );
}
