import type { Change } from "../core/change.ts";
import type { Problem } from "../core/problem.ts";
import type { Resource } from "../core/resource.ts";
import { quote } from "../core/text/words.ts";
import { claimsOf, type Decided } from "./subjects.ts";

/** A resource as it was declared and observed. */
type Seen = Pick<Decided, "address" | "service" | "kind" | "now" | "observation">;

/**
 * Returns an SP1016 problem for each resource that manages what an earlier one manages, if only reading shows it: for example,
 * two rules that name one group in two ways. What the manifests alone show is refused before anything is read.
 */
export function rivalProblems(seen: readonly Seen[]): readonly Problem[] {
  /** The first resource with each claim, by the claim on its service. */
  const owners = new Map<string, Resource>();
  return seen.flatMap(({ address, service, kind, now, observation }): readonly Problem[] => {
    if (now?.metadata.state !== "present") return [];
    let rival: { readonly claim: string; readonly owner: Resource } | undefined;
    for (const claim of claimsOf(kind, now, observation)) {
      const name = `${service} ${claim}`;
      const owner = owners.get(name);
      if (owner === undefined) owners.set(name, now);
      else if (owner !== now) rival ??= { claim, owner };
    }
    if (rival === undefined) return [];
    const message = `${quote(rival.owner.address)} and ${quote(address)} both manage ${rival.claim}.`;
    return [{ code: "SP1016", address, message, place: now.place, other: rival.owner.place }];
  });
}

/**
 * Returns the parts, such as a title, that an update takes and the live object of another one still has; within a lane calls run
 * in order anyway.
 * @see docs/facts.md, Wiki: an update to the title of another page is 400
 */
export function handovers(decided: readonly Decided[]) {
  const updates = decided.flatMap(({ decision, kind, service, lane, address }) => {
    const change: Change | undefined = decision.is === "change" ? decision.change : undefined;
    if (change?.action !== "update" || kind.claims === undefined) return [];
    const has = kind.claims(change.live, change.marker);
    const takes = kind.claims(change.desired, change.marker).filter((claim) => !has.includes(claim));
    return [{ service, lane, address, has, takes }];
  });
  // Most updates keep what they have, so that nothing changes hands.
  const taken = new Set(updates.flatMap(({ takes }) => takes));
  if (taken.size === 0) return [];
  const owners = new Map(
    updates.flatMap((owner) =>
      owner.has
        .filter((claim) => taken.has(claim))
        .map((claim) => [JSON.stringify([owner.service, claim]), owner] as const),
    ),
  );
  return updates.flatMap(({ service, lane, address: taker, takes }) =>
    takes.flatMap((claim) => {
      const owner = owners.get(JSON.stringify([service, claim]));
      return owner === undefined || owner.lane === lane ? [] : [{ taker, owner: owner.address, claim }];
    }),
  );
}
