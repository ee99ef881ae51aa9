/** What resources are filtered by. */
export const facets = ["verdict", "action", "result", "risk", "service", "kind", "owner", "label"] as const;
export type Facet = (typeof facets)[number];

/** What is looked for: the part of the page's state that its address holds. */
export interface Query {
  readonly search: string;
  /** Values of a facet, of which a resource has to have one. */
  readonly chosen: ReadonlyMap<Facet, readonly string[]>;
  /** The address of the resource that a link leads to. */
  readonly at: string | undefined;
}

export const everything: Query = { search: "", chosen: new Map(), at: undefined };

/** Whether nothing is left out on request. */
export function isUnfiltered({ search, chosen }: Query): boolean {
  return search.trim() === "" && chosen.size === 0;
}

/** Reads the hash of an address, such as `#verdict=drift&service=review`. What is not known is ignored. */
export function queryOf(hash: string): Query {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const chosen = new Map(
    facets
      .map((facet) => [facet, [...new Set(parameters.getAll(facet))]] as const)
      .filter(([, values]) => values.length > 0),
  );
  return { search: parameters.get("search") ?? "", chosen, at: parameters.get("at") ?? undefined };
}

/** Writes the hash of an address; empty if there is nothing to say. */
export function hashOf({ search, chosen, at }: Query): string {
  const parameters = new URLSearchParams();
  if (search !== "") parameters.set("search", search);
  for (const facet of facets) for (const value of chosen.get(facet) ?? []) parameters.append(facet, value);
  if (at !== undefined) parameters.set("at", at);
  const text = parameters.toString();
  return text === "" ? "" : `#${text}`;
}

/** The query with a value of a facet chosen, or not any more. */
export function toggled(query: Query, facet: Facet, value: string): Query {
  const before = query.chosen.get(facet) ?? [];
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  const chosen = new Map(query.chosen);
  if (after.length === 0) chosen.delete(facet);
  else chosen.set(facet, after);
  return { ...query, chosen, at: undefined };
}
