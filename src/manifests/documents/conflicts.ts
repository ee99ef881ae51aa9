import type { Resource } from "../../core/resource.ts";
import { quote } from "../../core/words.ts";
import { compare } from "../yaml/collect.ts";
import { problemAt, type Range, type ReportProblem } from "../yaml/source-text.ts";

/** A resource with where it stands and what it claims. */
export interface Placed {
  readonly resource: Resource;
  readonly claims: readonly string[];
  readonly at: Range;
}

/**
 * The resources by address, each once. Reports SP1006 for two of one address and SP1016 for two resources of one service
 * that claim the same; of two, the later one is the mistake.
 */
export function withoutConflicts(placed: readonly Placed[], report: ReportProblem): readonly Resource[] {
  const first = new Map<string, Placed>();
  const claimed = new Map<string, Placed>();
  for (const one of placed) {
    const { resource, at } = one;
    const twin = first.get(resource.address);
    if (twin !== undefined) {
      const repeated = twin.at.source === at.source && twin.at.start === at.start;
      const message = `${quote(resource.address)} is declared twice${repeated ? " by forEach" : ""}.`;
      report(problemAt(at, "SP1006", message, repeated ? {} : { other: twin.at }));
      continue;
    }
    first.set(resource.address, one);
    const rival = one.claims
      .map((claim) => ({ claim, owner: claimed.get(ownership(resource, claim)) }))
      .find(({ owner }) => owner !== undefined);
    if (rival?.owner !== undefined) {
      const { address } = rival.owner.resource;
      const message = `${quote(address)} and ${quote(resource.address)} both decide ${rival.claim}.`;
      report(problemAt(at, "SP1016", message, { other: rival.owner.at }));
    }
    for (const claim of one.claims)
      if (!claimed.has(ownership(resource, claim))) claimed.set(ownership(resource, claim), one);
  }
  return [...first.values()].map(({ resource }) => resource).sort((a, b) => compare(a.address, b.address));
}

function ownership({ service }: Resource, claim: string): string {
  return `${service}\n${claim}`;
}
