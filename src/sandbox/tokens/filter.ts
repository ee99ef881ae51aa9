import type { AccessToken } from "./state.ts";

/** Whether a token fits all filters of a query but the one by user. Bounds belong to their ranges. */
export function fitsFilter(token: AccessToken, query: URLSearchParams): boolean {
  const text = query.get("descriptionFilter")?.toLowerCase() ?? "";
  const scope = query.get("tokenScope");
  const validUntil = token.validUntil ?? Number.POSITIVE_INFINITY;
  const within = (time: number, from: string, until: string) =>
    time >= bound(query, from, Number.NEGATIVE_INFINITY) && time <= bound(query, until, Number.POSITIVE_INFINITY);
  return (
    token.description.toLowerCase().includes(text) &&
    (scope === null || token.scope === Number(scope)) &&
    validUntil <= bound(query, "notValidAfter", Number.POSITIVE_INFINITY) &&
    within(token.created, "fromCreated", "untilCreated") &&
    within(token.lastAccessed, "fromLastUsed", "untilLastUsed") &&
    within(validUntil, "fromExpiresDuring", "untilExpiresDuring")
  );
}

function bound(query: URLSearchParams, name: string, unless: number): number {
  const value = query.get(name);
  return value === null ? unless : Number(value);
}
