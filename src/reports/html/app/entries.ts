import type { PageData, PageRow } from "../page-data.ts";
import { type Facet, facets, isUnfiltered, type PageQuery } from "./query.ts";

/** One resource of the page. */
export interface PageEntry {
  readonly id: number;
  readonly address: string;
  readonly service: string;
  readonly kind: string;
  readonly key: string;
  readonly verdict: PageRow["verdict"] | "in sync";
  readonly labels: Readonly<Record<string, string>>;
  /** Left out for resources in sync. */
  readonly row?: PageRow;
}

/** All resources, sorted by address, so that the map looks the same every night. */
export function pageEntries({ rows, inSync, labels }: PageData): readonly PageEntry[] {
  const none = {};
  const found: Omit<PageEntry, "id">[] = rows.map((row) => {
    const [service = "", kind = "", ...key] = row.address.split("/");
    const set = labels[row.labels ?? -1] ?? none;
    return { address: row.address, service, kind, key: key.join("/"), verdict: row.verdict, labels: set, row };
  });
  for (const { service, kind, keys, labels: indexes } of inSync)
    for (const [position, key] of keys.entries()) {
      const set = labels[indexes?.[position] ?? -1] ?? none;
      found.push({ address: `${service}/${kind}/${key}`, service, kind, key, verdict: "in sync", labels: set });
    }
  return found
    .sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0))
    .map((entry, id) => ({ ...entry, id }));
}

/** What a mark stands for: the verdict, unless a person is needed. */
export type Sign = PageEntry["verdict"] | "person";

export function signOf({ verdict, row }: PageEntry): Sign {
  return row?.action === "check" ? "person" : verdict;
}

export const actionWords = {
  create: "create",
  update: "change",
  delete: "delete",
  check: "needs a person",
  none: "",
} as const;

/** The values of a resource for a facet. */
function valuesOf({ verdict, row, service, kind, labels }: PageEntry, facet: Facet): readonly string[] {
  switch (facet) {
    case "verdict":
      return [verdict];
    case "action":
      return row === undefined || row.action === "none" ? [] : [actionWords[row.action]];
    case "result":
      return row?.result === undefined ? [] : [row.result];
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
  const fields = (row?.fields ?? []).flatMap(({ name, before, after }) => [name, before, after]);
  const parts = [
    address,
    ...Object.entries(labels).flat(),
    ...(row?.words ?? []),
    ...(row?.events ?? []),
    row?.where,
    ...fields,
  ];
  const text = parts.filter(Boolean).join("\n").toLowerCase();
  texts.set(entry, text);
  return text;
}

/** A line of the list. */
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
  const isListed = isUnfiltered(query) ? ({ verdict }: PageEntry) => verdict !== "in sync" : () => true;
  const shown = found.filter(isListed);
  const linked = query.at === undefined ? undefined : all.find(({ address }) => address === query.at);
  if (linked !== undefined && !shown.includes(linked)) shown.push(linked);
  const groups = Map.groupBy(shown, (entry) => groupOf(entry, data));
  return [...groups]
    .sort(([a], [b]) => groupOrder.indexOf(a) - groupOrder.indexOf(b))
    .flatMap(([group, inner]) => [
      { is: "heading" as const, title: titleOf(group, data), count: inner.length },
      ...inner
        .toSorted((a, b) => risksOf(b) - risksOf(a) || a.id - b.id)
        .map((entry) => ({ is: "entry" as const, entry })),
    ]);
}

function risksOf({ row }: PageEntry): number {
  return Math.min(1, (row?.risks ?? []).length);
}

const groupOrder = [
  "failed",
  "stale",
  "unknown result",
  "skipped",
  "conflict",
  "drift",
  "pending",
  "unknown",
  "acknowledged",
  "applied",
  "in sync",
];

function groupOf({ verdict, row }: PageEntry, { command }: PageData): string {
  if (command !== "apply" || row?.result === undefined) return verdict;
  return row.result === "unknown" ? "unknown result" : row.result;
}

function titleOf(group: string, { command, hasBase }: PageData): string {
  switch (group) {
    case "failed":
      return "Failed";
    case "stale":
      return "Not applied: changed by someone else meanwhile";
    case "unknown result":
      return "Not known whether it was applied";
    case "skipped":
      return "Skipped";
    case "applied":
      return "Applied";
    case "conflict":
      return "Conflicts: both sides changed";
    case "drift":
      if (command === "drift") return "What happened to the services";
      return hasBase ? "What had drifted before" : "What drifted";
    case "pending":
      if (command === "drift") return "Only the manifests changed: not applied yet";
      return hasBase ? "What this change does" : "What an apply would do";
    case "unknown":
      return "Unknown: the service did not say";
    case "acknowledged":
      return "Acknowledged: left alone until a date";
    default:
      return "In sync";
  }
}
