import { groupsBy } from "../core/text/groups.ts";
import type { Target } from "./subjects.ts";

/** Targets of one kind on one service that a single reading answers together. */
export interface Scope extends Pick<Target, "service" | "kind" | "scope"> {
  readonly targets: readonly Target[];
}

/** Groups targets into scopes, in the order of their first targets. */
export function scopesOf(targets: readonly Target[]): readonly Scope[] {
  const groups = groupsBy(targets, ({ service, kind, scope }) => [service, kind.kind, scope]);
  return groups.map(({ first: { service, kind, scope }, all }) => ({ service, kind, scope, targets: all }));
}
