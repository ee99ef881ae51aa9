import type { Kind } from "../core/kind.ts";
import type { Resource } from "../core/resource.ts";

/**
 * What is desired at a moment: from the first moment of its day on, in UTC, what expires should not exist any more.
 * What is always there cannot be absent, so that it is no longer managed.
 */
export function asOf(declared: readonly Resource[], kinds: ReadonlyMap<string, Kind>, now: Date): readonly Resource[] {
  const today = now.toISOString().slice(0, 10);
  return declared.flatMap((resource): readonly Resource[] => {
    const { kind, metadata } = resource;
    if (metadata.expires === undefined || metadata.expires > today || metadata.state === "absent") return [resource];
    if (kinds.get(kind)?.permanent === true) return [];
    const because = `expired on ${metadata.expires}`;
    return [{ ...resource, metadata: { ...metadata, state: "absent" }, because }];
  });
}
