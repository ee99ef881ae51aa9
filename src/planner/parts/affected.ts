import type { Address, Resource } from "../../core/resource.ts";
import { canonicalJson } from "../../core/text/json.ts";
import { asOf, type Declarations, mayGo, refers, type Tie } from "../subjects.ts";

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
  const claiming = Map.groupBy(claimants, ({ subject }) => subject.lane);
  const referrals = ties.filter(({ subject }) => refers(subject));
  const referringIn = Map.groupBy(referrals, ({ subject }) => subject.service);
  const neededBy = ({ subject, leadsTo }: Tie): readonly Address[] => {
    const mates = subject.kind.claims === undefined ? [] : takeGroup(claiming, subject.lane);
    const referring = mayGo(subject) ? takeGroup(referringIn, subject.service) : [];
    const others = [...mates, ...referring].map((other) => other.subject.address);
    return [...leadsTo.map(({ address }) => address).filter((address) => byAddress.has(address)), ...others];
  };
  const needed = new Set(roots);
  for (const address of needed) {
    const tie = byAddress.get(address);
    for (const other of tie === undefined ? [] : neededBy(tie)) needed.add(other);
  }
  return needed;
}

/** Returns a group the first time only: all of it is needed from then on. */
function takeGroup(groups: Map<string, readonly Tie[]>, key: string): readonly Tie[] {
  const group = groups.get(key) ?? [];
  groups.delete(key);
  return group;
}
