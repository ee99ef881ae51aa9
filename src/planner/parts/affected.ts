import type { Address, Resource } from "../../core/resource.ts";
import { canonicalJson } from "../../core/text/json.ts";
import { asOf, type Declarations } from "../subjects.ts";
import type { Tie } from "./ties.ts";

/** Returns the resources that differ between the manifests and the base: added, removed, or with changed spec or metadata. */
export function changedSince({ kinds, desired, base = [], now }: Declarations): ReadonlySet<Address> {
  const before = new Map(asOf(base, kinds, now).map((resource) => [resource.address, resource]));
  const after = new Set(desired.map(({ address }) => address));
  return new Set([
    ...desired.filter((resource) => !isSame(resource, before.get(resource.address))).map(({ address }) => address),
    ...[...before.keys()].filter((address) => !after.has(address)),
  ]);
}

function isSame(after: Resource, before: Resource | undefined): boolean {
  if (before === undefined) return false;
  const said = ({ role, scope, spec, metadata }: Resource) => canonicalJson({ role, scope, spec, metadata });
  return said(after) === said(before);
}

/**
 * Returns the resources to look at in order to plan the roots, and everything that depends on them, as a full plan would. These
 * also include what they refer to, what may decide parts of the same remote object, and what must come before a delete.
 */
export function affectedBy(ties: readonly Tie[], isRoot: (tie: Tie) => boolean): ReadonlySet<Address> {
  const byAddress = new Map(ties.map((tie) => [tie.subject.address, tie]));
  const references = ties.flatMap(({ subject, leadsTo }) => leadsTo.map((to) => ({ from: subject.address, to })));
  const referrers = Map.groupBy(references, ({ to }) => to.address);
  const roots = new Set(ties.filter(isRoot).map(({ subject }) => subject.address));
  // Both `roots` and `needed` grow during their loops.
  for (const address of roots) for (const { from } of referrers.get(address) ?? []) roots.add(from);
  const claimants = ties.filter(({ subject }) => subject.kind.claims !== undefined);
  const claiming = Map.groupBy(claimants, ({ lane }) => lane);
  const referrals = ties.filter(({ refers }) => refers);
  const referring = Map.groupBy(referrals, ({ subject }) => subject.service);
  const needed = new Set(roots);
  for (const address of needed) {
    const tie = byAddress.get(address);
    if (tie === undefined) continue;
    const { subject, lane, leadsTo, mayGo } = tie;
    for (const target of leadsTo) if (byAddress.has(target.address)) needed.add(target.address);
    if (subject.kind.claims !== undefined)
      for (const mate of claiming.get(lane) ?? []) needed.add(mate.subject.address);
    if (mayGo) for (const other of referring.get(subject.service) ?? []) needed.add(other.subject.address);
  }
  return needed;
}
