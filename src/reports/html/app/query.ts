/** The facets to filter resources by. */
export const facets = ["verdict", "action", "result", "risk", "service", "kind", "owner", "label"] as const;
export type Facet = (typeof facets)[number];

/** What to look for: the part of the page's state that is kept in its URL. */
export interface PageQuery {
  readonly search: string;
  /** The chosen values of each facet. A resource has to have one of them. */
  readonly chosen: ReadonlyMap<Facet, readonly string[]>;
  /** The address of the resource that a link leads to. */
  readonly at: string | undefined;
}

export const everything: PageQuery = { search: "", chosen: new Map(), at: undefined };

export function isUnfiltered({ search, chosen }: PageQuery): boolean {
  return search.trim() === "" && chosen.size === 0;
}

/** Reads the hash of a URL, such as `#verdict=drift&service=review`. Unknown parameters are ignored. */
export function queryOf(hash: string): PageQuery {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const chosen = new Map(
    facets
      .map((facet) => [facet, [...new Set(parameters.getAll(facet))]] as const)
      .filter(([, values]) => values.length > 0),
  );
  return { search: parameters.get("search") ?? "", chosen, at: parameters.get("at") ?? undefined };
}

/** Writes the hash of a URL; empty if the query is empty. */
export function hashOf({ search, chosen, at }: PageQuery): string {
  const parameters = new URLSearchParams();
  if (search !== "") parameters.set("search", search);
  for (const facet of facets) for (const value of chosen.get(facet) ?? []) parameters.append(facet, value);
  if (at !== undefined) parameters.set("at", at);
  return parameters.size === 0 ? "" : `#${parameters}`;
}

/** The query with a value of a facet chosen, or no longer chosen if it was. */
export function toggled(query: PageQuery, facet: Facet, value: string): PageQuery {
  const before = query.chosen.get(facet) ?? [];
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  const chosen = new Map(query.chosen);
  if (after.length === 0) chosen.delete(facet);
  else chosen.set(facet, after);
  return { ...query, chosen, at: undefined };
}

/** The hash of a URL that leads to a resource. */
export function linkTo(address: string): string {
  return `#at=${encodeURIComponent(address)}`;
}
