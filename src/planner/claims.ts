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
    const claims = claimsOf(kind, now, observation);
    const ownerOf = (claim: string) => owners.get(`${service} ${claim}`);
    const claim = claims.find(ownerOf);
    const other = claim === undefined ? undefined : ownerOf(claim);
    for (const name of claims) if (ownerOf(name) === undefined) owners.set(`${service} ${name}`, now);
    if (other === undefined) return [];
    const message = `${quote(other.address)} and ${quote(address)} both manage ${claim}.`;
    return [{ code: "SP1016", address, message, place: now.place, other: other.place }];
  });
}
