import { holdsAt } from "../core/acknowledgement.ts";
import type { ObjectEvent, Observation } from "../core/change.ts";
import type { Kind } from "../core/kind.ts";
import { once } from "../core/once.ts";
import { type Address, formatAddress, type Resource } from "../core/resource.ts";
import { groupsBy } from "../core/text/groups.ts";
import { inOrder } from "../core/text/words.ts";
import { type Decision, decide } from "./decide.ts";
import type { Selectable } from "./selection.ts";

/** What the manifests declare now, and what they declared at the base. */
export interface Declarations {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly desired: readonly Resource[];
  /** Without a base nothing is pruned. */
  readonly base: readonly Resource[] | undefined;
  /** Whether this run includes a resource. A resource that it leaves out still counts as declared. */
  readonly selected: (resource: Selectable) => boolean;
  /** The time of the run. */
  readonly now: Date;
  /** Resources whose new secret an earlier run requested and may not have delivered. */
  readonly undelivered?: ReadonlySet<Address>;
}

/** A resource to look at: declared now, at the base, or both. */
export interface Subject {
  readonly address: Address;
  readonly service: string;
  readonly kind: Kind;
  readonly scope: string;
  /** The name of its remote object. Calls of one lane run in order. */
  readonly lane: string;
  readonly now: Resource | undefined;
  readonly base: Resource | undefined;
}

/** A subject with its observation and the decision about it. */
export interface Decided extends Subject {
  readonly observation: Observation;
  readonly decision: Decision;
  /** The object's history according to the service, if it was requested. */
  readonly events?: readonly ObjectEvent[];
}

/** The observations of a run and the decisions about them. */
export interface Observed {
  readonly decided: readonly Decided[];
  /** Observations of resources that changes refer to and that are undeclared or not selected. */
  readonly undeclared: ReadonlyMap<Address, Observation>;
}

/** A resource to observe, with all specifications under which it is or was declared, the current one first. */
export interface Target extends Pick<Subject, "address" | "service" | "kind" | "scope"> {
  readonly specs: readonly unknown[];
}

/**
 * Returns all selected resources, sorted by address. A resource that has left the manifests is included only if it was present
 * at the base and its kind is not permanent.
 */
export function subjectsOf(declarations: Declarations): readonly Subject[] {
  return [...eachSubject(declarations)].sort((a, b) => inOrder(a.address, b.address));
}

/** Yields all selected resources in the order of the manifests, so that callers need not hold all of them in memory. */
export function* eachSubject({ kinds, desired, base = [], selected }: Declarations): Generator<Subject, void> {
  // The label that selects a resource, or its name, can be new since the base.
  const before = new Map(base.map((resource) => [resource.address, resource]));
  const formerly = (kind: Kind, { service, spec, metadata }: Resource) => {
    const key = metadata.state === "present" ? kind.formerKey?.(spec) : undefined;
    return key === undefined ? undefined : before.get(formatAddress(service, kind.kind, key));
  };
  const subjectOf = (kind: Kind, { address, service, scope }: Resource, now: Resource | undefined): Subject => ({
    address,
    service,
    kind,
    scope,
    lane: laneOf(service, scope),
    now,
    base: before.get(address) ?? (now && formerly(kind, now)),
  });
  for (const resource of desired) {
    const kind = selected(resource) ? kinds.get(resource.kind) : undefined;
    if (kind !== undefined) yield subjectOf(kind, resource, resource);
  }
  if (before.size === 0) return;
  const declared = new Set(desired.map(({ address }) => address));
  for (const resource of before.values()) {
    const isLeft = selected(resource) && resource.metadata.state === "present" && !declared.has(resource.address);
    const kind = isLeft ? kinds.get(resource.kind) : undefined;
    if (kind !== undefined && kind.permanent !== true) yield subjectOf(kind, resource, undefined);
  }
}

/** Returns the lane of a resource: the name of its remote object. Calls of one lane run in order. */
export function laneOf(service: string, scope: string): string {
  return `${service} ${scope}`;
}

/** Returns what to observe for the subjects. */
export function targetsOf(subjects: readonly Subject[]): readonly Target[] {
  return subjects.map(({ address, service, kind, scope, now, base }) => {
    // A resource that was declared absent at the base leaves nothing to delete; one of a former name is a subject of its own.
    const before = base?.metadata.state === "present" && base.address === address ? base : undefined;
    return {
      address,
      service,
      kind,
      scope,
      specs: [now, before].flatMap((resource) => (resource === undefined ? [] : [resource.spec])),
    };
  });
}

/** Targets of one kind on one service that a single reading answers together. */
export interface Scope extends Pick<Target, "service" | "kind" | "scope"> {
  readonly targets: readonly Target[];
}

/** Groups targets into scopes, in the order of their first targets. */
export function scopesOf(targets: readonly Target[]): readonly Scope[] {
  const groups = groupsBy(targets, ({ service, kind, scope }) => [service, kind.kind, scope]);
  return groups.map(({ first: { service, kind, scope }, all }) => ({ service, kind, scope, targets: all }));
}

/**
 * Returns the resources that changes refer to and that were not looked at, because they are undeclared or not selected: they may be
 * live. They are observed in a second step, because the references of resources in sync need not be observed.
 */
export function undeclaredTargets({ kinds }: Declarations, decided: readonly Decided[]): readonly Target[] {
  const targets = decided.flatMap((subject) => wantedReferences(kinds, subject));
  if (targets.length === 0) return [];
  const known = new Set(decided.map(({ address }) => address));
  return [...new Map(targets.map((target) => [target.address, target])).values()].filter(
    ({ address }) => !known.has(address),
  );
}

/** Returns what a created or updated resource refers to. */
export function wantedReferences(kinds: ReadonlyMap<string, Kind>, subject: Decided): readonly Target[] {
  const change = subject.decision.is === "change" ? subject.decision.change : undefined;
  if (change?.action !== "create" && change?.action !== "update") return [];
  return referencesOf(kinds, subject, change.desired);
}

/** Returns what a specification refers to on the same service. References to kinds that do not exist are left out. */
export function referencesOf(
  kinds: ReadonlyMap<string, Kind>,
  { service, kind }: Pick<Subject, "service" | "kind">,
  spec: unknown,
  marker?: unknown,
): readonly Target[] {
  return (kind.references?.(spec, marker) ?? []).flatMap((reference) => {
    const target = kinds.get(reference.kind);
    if (target === undefined) return [];
    const address = formatAddress(service, target.kind, target.key(reference.identity));
    return [{ address, service, kind: target, scope: target.scope(reference.identity), specs: [reference.identity] }];
  });
}

/** Decides about the subjects. A claim that another declared resource of the service now has is kept. */
export function decideAll(
  declarations: Declarations,
  subjects: readonly Subject[],
  observations: ReadonlyMap<Address, Observation>,
): readonly Decided[] {
  const claimed = once(() => claimsByService(declarations, observations));
  const hasBase = declarations.base !== undefined;
  return subjects.map((subject) => {
    const observation = observations.get(subject.address) ?? notObserved(subject);
    const claims = (resource: Resource | undefined) => claimsOf(subject.kind, resource, observation);
    const now = claims(subject.now);
    const isPresent = subject.now?.metadata.state === "present";
    const given = [...(isPresent ? [] : now), ...claims(subject.base)];
    const own = new Set(isPresent && given.length > 0 ? now : []);
    const kept = given.filter((claim) => !own.has(claim) && claimed().get(subject.service)?.has(claim) === true);
    return { ...subject, observation, decision: decide(subject.kind, { ...subject, hasBase }, observation, kept) };
  });
}

/** Returns what a resource claims, under the names that its manifest and, if the resource was read, its service use. */
export function claimsOf(
  kind: Kind | undefined,
  resource: Resource | undefined,
  observation: Observation | undefined,
): readonly string[] {
  const marker = observation === undefined || observation.is === "unknown" ? undefined : observation.marker;
  return resource === undefined ? [] : (kind?.claims?.(resource.spec, marker) ?? []);
}

function claimsByService(
  { kinds, desired }: Declarations,
  observations: ReadonlyMap<Address, Observation>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const present = desired.filter(
    ({ kind, metadata }) => metadata.state === "present" && kinds.get(kind)?.claims !== undefined,
  );
  const byService = Map.groupBy(present, ({ service }) => service);
  const claims = (all: readonly Resource[]) =>
    new Set(all.flatMap((one) => claimsOf(kinds.get(one.kind), one, observations.get(one.address))));
  return new Map([...byService].map(([service, all]) => [service, claims(all)]));
}

function notObserved({ address, service }: Subject): Observation {
  return {
    is: "unknown",
    problem: { code: "SP3104", service, address, message: "The service's answer does not include the resource." },
  };
}

/**
 * Returns the desired resources at a moment. An expired resource is absent from the start of its expiry day in UTC; a permanent
 * resource cannot be absent, so it is no longer managed. Acknowledgements hold through their last day, or until their resource
 * expires.
 */
export function asOf(declared: readonly Resource[], kinds: ReadonlyMap<string, Kind>, now: Date): readonly Resource[] {
  const today = now.toISOString().slice(0, 10);
  return declared.flatMap((stated): readonly Resource[] => {
    const resource = withHolding(stated, now);
    const { kind, metadata } = resource;
    if (metadata.expires === undefined || metadata.expires > today || metadata.state === "absent") return [resource];
    if (kinds.get(kind)?.permanent === true) return [];
    const because = `expired on ${metadata.expires}`;
    const { acknowledged: _ended, ...rest } = metadata;
    return [{ ...resource, metadata: { ...rest, state: "absent" }, because }];
  });
}

/** Returns a resource without its expired acknowledgements. */
function withHolding(resource: Resource, now: Date): Resource {
  const { acknowledged: stated = [], ...metadata } = resource.metadata;
  const acknowledged = stated.filter((one) => holdsAt(one, now));
  if (acknowledged.length === stated.length) return resource;
  return { ...resource, metadata: { ...metadata, ...(acknowledged.length === 0 ? {} : { acknowledged }) } };
}

/** What planning one resource requires knowing about others, as far as declarations show. */
export interface Tie {
  readonly subject: Subject;
  /** What the resource refers to, declared or not, now or at the base. */
  readonly leadsTo: readonly Target[];
}

/** Yields the ties of all that is declared now or at the base, selected or not; one at a time, so that none need be kept. */
export function* tiesOf(declarations: Declarations): Generator<Tie, void> {
  for (const subject of eachSubject({ ...declarations, selected: () => true })) {
    const stated = [subject.now, subject.base].flatMap((one) => (one?.metadata.state === "present" ? [one.spec] : []));
    yield { subject, leadsTo: stated.flatMap((spec) => referencesOf(declarations.kinds, subject, spec)) };
  }
}

/** Whether its kind has references: the live object may refer to something that no manifest states. */
export function refers({ kind }: Subject): boolean {
  return kind.references !== undefined;
}

/** Whether it may be deleted: changes of what refers to it must then come first. */
export function mayGo({ now }: Subject): boolean {
  return now === undefined || now.metadata.state === "absent";
}
