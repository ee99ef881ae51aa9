import type { Target } from "./subjects.ts";

/** Targets of one kind on one service that a single reading answers together. */
export interface Scope extends Pick<Target, "service" | "kind" | "scope"> {
  readonly targets: readonly Target[];
}

/** Groups targets into scopes, in the order of their first targets. */
export function scopesOf(targets: readonly Target[]): readonly Scope[] {
  const groups = Map.groupBy(targets, ({ service, kind, scope }) => JSON.stringify([service, kind.kind, scope]));
  return [...groups.values()].flatMap((targets) => {
    const [first] = targets;
    return first === undefined ? [] : [{ service: first.service, kind: first.kind, scope: first.scope, targets }];
  });
}
