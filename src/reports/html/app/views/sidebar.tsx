import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { grouped, inOrder } from "../../../../core/text/words.ts";
import type { FoundEntries } from "../entries.ts";
import { Button, More } from "../links.tsx";
import { everything, type Facet, facets, isUnfiltered, type PageQuery, toggled } from "../query.ts";

interface FilterProps {
  readonly query: PageQuery;
  readonly found: FoundEntries;
  /** What an empty query finds. */
  readonly whole: FoundEntries;
  onQuery(query: PageQuery): void;
}

/** What a resource can be, the gravest first, with whether it is shown if no resource is. */
const states = {
  failed: false,
  stale: false,
  "unknown result": false,
  skipped: false,
  conflict: false,
  drift: true,
  pending: true,
  unknown: true,
  acknowledged: false,
  applied: false,
  "in sync": true,
};

/** The facet of the numbers at the top: of an apply, what came of each resource. */
function mainFacet({ whole }: FilterProps): "result" | "verdict" {
  return whole.counts.get("result")?.size ? "result" : "verdict";
}

/** The number of resources with each verdict, or with each result. Each number is a filter. */
export function Numbers(props: FilterProps) {
  const { found, whole } = props;
  const facet = mainFacet(props);
  return (
    <fieldset class="numbers">
      <legend>{facet === "result" ? "Results" : "Verdicts"}</legend>
      {Object.entries(states)
        .filter(([state, always]) => (always && facet === "verdict") || whole.counts.get(facet)?.has(state))
        .map(([state]) => (
          <Choice facet={facet} value={state} {...props}>
            <span class={`mark ${state}`} aria-hidden="true" />
            <strong>{grouped(found.counts.get(facet)?.get(state) ?? 0)}</strong>
            <span class="quiet">{state}</span>
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
      {facets.map((facet) => facet !== mainFacet(props) && <FacetView facet={facet} {...props} />)}
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
  // A single service or kind filters nothing; a single risk, owner or label does.
  const fewest = facet === "risk" || facet === "owner" || facet === "label" ? 1 : 2;
  if (values.length < fewest && chosen.length === 0) return null;
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
