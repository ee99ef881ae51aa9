import { inOrder } from "../../../core/text/words.ts";
import { resultTitles, verdictTitles } from "../../verdict-titles.ts";
import type { PageData, PageRow } from "../page-data.ts";
import { type Facet, facets, isUnfiltered, type PageQuery } from "./query.ts";

export interface PageEntry {
  readonly id: number;
  readonly address: string;
  readonly service: string;
  readonly kind: string;
  readonly key: string;
  readonly verdict: PageRow["verdict"] | "in sync";
  /** What came of it, or the verdict if nothing was to be done; only in an apply. */
  readonly result?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** Left out for resources in sync. */
  readonly row?: PageRow;
}

/** All resources, sorted by address, so that the map looks the same every night. */
export function pageEntries({ command, rows, inSync, labels }: PageData): readonly PageEntry[] {
  const setOf = (index = -1) => labels[index] ?? {};
  const resultOf = (verdict: PageEntry["verdict"], result?: string) => {
    if (command !== "apply") return undefined;
    return result === "unknown" ? "unknown result" : (result ?? verdict);
  };
  const changed = rows.map((row) => {
    const [service = "", kind = "", ...key] = row.address.split("/");
    const { address, verdict } = row;
    const result = resultOf(verdict, row.result);
    return { address, service, kind, key: key.join("/"), verdict, result, labels: setOf(row.labels), row };
  });
  const unchanged = inSync.flatMap(({ service, kind, keys, labels: indexes }) =>
    keys.map((key, position) => {
      const address = `${service}/${kind}/${key}`;
      const verdict = "in sync";
      const result = resultOf(verdict);
      return { address, service, kind, key, verdict, result, labels: setOf(indexes?.[position]) } as const;
    }),
  );
  return [...changed, ...unchanged]
    .sort((a, b) => inOrder(a.address, b.address))
    .map((entry, id) => ({ ...entry, id }));
}

/** The CSS classes of a resource's mark, for its shape and colour. Words next to it say the same. */
export function markClass(entry: PageEntry): string {
  return `mark ${entry.row?.action === "check" ? "person" : stateOf(entry)}`;
}

function stateOf({ verdict, result = verdict }: PageEntry): string {
  return result;
}

export const actionWords = {
  create: "create",
  update: "change",
  delete: "delete",
  check: "needs a person",
  none: "",
} as const;

function valuesOf({ verdict, result, row, service, kind, labels }: PageEntry, facet: Facet): readonly string[] {
  switch (facet) {
    case "verdict":
      return [verdict];
    case "action":
      return row === undefined || row.action === "none" ? [] : [actionWords[row.action]];
    case "result":
      return result === undefined ? [] : [result];
    case "risk":
      return row?.risks ?? [];
    case "service":
      return [service];
    case "kind":
      return [kind];
    case "owner":
      return labels.owner === undefined ? [] : [labels.owner];
    case "label":
      return Object.entries(labels)
        .filter(([name]) => name !== "owner")
        .map(([name, value]) => `${name}=${value}`);
  }
}

/** The resources that are found, and how many there would be for each value of a facet. */
export interface FoundEntries {
  readonly entries: readonly PageEntry[];
  readonly counts: ReadonlyMap<Facet, ReadonlyMap<string, number>>;
}

/** Finds the resources of a query. The count of a value includes what all other facets leave. */
export function findEntries(entries: readonly PageEntry[], query: PageQuery): FoundEntries {
  const words = query.search.toLowerCase().split(/\s+/).filter(Boolean);
  const counts = new Map<Facet, Map<string, number>>(facets.map((facet) => [facet, new Map()]));
  const found: PageEntry[] = [];
  for (const entry of entries) {
    if (words.length > 0 && !words.every((word) => textOf(entry).includes(word))) continue;
    const failed = [...query.chosen].filter(
      ([facet, chosen]) => !valuesOf(entry, facet).some((one) => chosen.includes(one)),
    );
    const [first, second] = failed;
    if (first === undefined) found.push(entry);
    if (second !== undefined) continue;
    for (const facet of first === undefined ? facets : [first[0]]) {
      const inner = counts.get(facet);
      for (const value of valuesOf(entry, facet)) inner?.set(value, (inner.get(value) ?? 0) + 1);
    }
  }
  return { entries: found, counts };
}

const texts = new WeakMap<PageEntry, string>();

/** The text that a search looks in. */
function textOf(entry: PageEntry): string {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  const { address, labels, row } = entry;
  const fields = row?.fields.flatMap(({ name, before, after }) => [name, before, after]) ?? [];
  const parts = [address, Object.entries(labels), row?.words, row?.events, row?.where, fields].flat(2);
  const text = parts.filter(Boolean).join("\n").toLowerCase();
  texts.set(entry, text);
  return text;
}

export type ListLine =
  | { readonly is: "heading"; readonly title: string; readonly count: number }
  | { readonly is: "entry"; readonly entry: PageEntry };

/**
 * The lines of the list, the most serious first. Resources in sync are listed only if a query asks for them. The resource that
 * a link leads to is always listed.
 */
export function tableLines(
  data: PageData,
  found: readonly PageEntry[],
  all: readonly PageEntry[],
  query: PageQuery,
): readonly ListLine[] {
  const shown = isUnfiltered(query) ? found.filter(({ verdict }) => verdict !== "in sync") : [...found];
  const linked = all.find(({ address }) => address === query.at);
  if (linked !== undefined && !shown.includes(linked)) shown.push(linked);
  const groups = Map.groupBy(shown, stateOf);
  return Object.entries(titlesOf(data)).flatMap(([group, title]): readonly ListLine[] => {
    const entries = groups.get(group) ?? [];
    if (entries.length === 0) return [];
    const sorted = entries.toSorted((a, b) => Number(isRisky(b)) - Number(isRisky(a)) || a.id - b.id);
    return [
      { is: "heading", title, count: entries.length },
      ...sorted.map((entry) => ({ is: "entry" as const, entry })),
    ];
  });
}

/** As in `text/risks.ts`: narrower access is not to be reviewed first. */
function isRisky({ row }: PageEntry): boolean {
  return row?.risks.some((risk) => risk !== "narrows access") ?? false;
}

/** The titles of the groups in the list, the gravest first. */
function titlesOf(data: PageData): Readonly<Record<string, string>> {
  const { applied, ...left } = resultTitles;
  return {
    ...left,
    ...verdictTitles(data),
    acknowledged: "Acknowledged: left alone until a date",
    applied,
    "in sync": "In sync",
  };
}
