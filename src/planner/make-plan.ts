import type { Change, FieldDifference, ObjectEvent, Observation } from "../core/change.ts";
import type { Kind } from "../core/kind.ts";
import { onceFor } from "../core/once.ts";
import type { Wrong } from "../core/problem.ts";
import type { Address, Resource } from "../core/resource.ts";
import type {
  About,
  Basis,
  Consent,
  Plan,
  PlannedChange,
  PlannedService,
  Trusted,
  UnknownResource,
} from "../core/run/plan.ts";
import { sinkOf } from "../core/sink.ts";
import { canonicalJson, defined, isObject } from "../core/text/json.ts";
import type { StatedTrigger } from "../core/trigger.ts";
import { rivalProblems } from "./claims.ts";
import { compileCalls, fingerprint, type Offered, type PhasedChange, writesIn } from "./compile.ts";
import { asJson, plainSpec, withinReach } from "./decide.ts";
import {
  circleProblem,
  declaredReferences,
  dependenciesOf,
  missingReferences,
  order,
  spreadUnknown,
  withoutExchanges,
} from "./dependencies.ts";
import { execRefusals, type Guards, kindOf, refusals } from "./guards.ts";
import { happenedOf } from "./happened.ts";
import { type Part, shardMembers } from "./parts/part.ts";
import type { Decided, Declarations, Observed } from "./subjects.ts";
import { planTriggers } from "./triggers.ts";

/** Everything a plan depends on. It depends on nothing else: no clock, disk, network or environment. */
export interface PlanInput extends Declarations, Observed {
  /** Returns the operations of a service of the workspace. */
  readonly offeredBy: (service: string) => Offered;
  readonly services: readonly PlannedService[];
  readonly about: About;
  /** The git ref that the base was read from, if any. */
  readonly baseRef: string | undefined;
  /** The rules that the manifests were judged by, if they are not the workspace's own. */
  readonly trusted?: Trusted | undefined;
  /** What is known about the base. */
  readonly basis?: Basis | undefined;
  readonly guards: Guards;
  /** What the user allowed for this run. */
  readonly consent?: Consent;
  /** Resources that the base declares on services no longer in the workspace. */
  readonly orphans?: readonly Address[];
  /** Calls to make after a complete apply. */
  readonly onApplied?: readonly StatedTrigger[];
  /** Kinds whose live objects could not be listed, each as `service/Kind/*`. */
  readonly unlisted: readonly UnknownResource[];
  /** Live objects that no manifest declares, if they were requested. */
  readonly unmanaged: readonly Address[] | undefined;
  /** The part of the declared resources that was looked at. All of them unless given. */
  readonly part?: Part | undefined;
}

/** A plan, or the problems of the input. */
export type PlanResult = { readonly is: "planned"; readonly plan: Plan } | Wrong;

/** Makes the plan. Pure: the same input gives the same plan, regardless of the order of the resources. */
export function makePlan(input: PlanInput): PlanResult {
  // A resource that refers to nothing cannot be part of a circle.
  const referring = input.desired.filter(({ kind }) => input.kinds.get(kind)?.references !== undefined);
  const circle = order(declaredReferences({ ...input, desired: referring }));
  if (circle.is === "circle") return { is: "wrong", problems: [circleProblem(circle, input.desired)] };
  const reachable = input.decided.map((subject) => {
    const { kind, scope, service } = subject;
    const decision = withinReach(kind, subject.decision, scope, input.offeredBy(service));
    return decision === subject.decision ? subject : { ...subject, decision };
  });
  // What someone has removed from a service is what a drift reports, and it makes no call that would need it.
  const isTold = (is: Observation["is"]) => input.about.command !== "drift" || is !== "absent";
  const undeclared = new Map([...input.undeclared].filter(([, { is }]) => isTold(is)));
  const observed = { decided: withoutExchanges(reachable), undeclared };
  const mistakes = [...missingReferences(input, observed), ...rivalProblems(reachable)];
  if (mistakes.length > 0) return { is: "wrong", problems: mistakes };

  const decided = spreadUnknown(input, observed);
  const dependencies = dependenciesOf(input, decided);
  const ordered = order(dependencies);
  if (ordered.is === "circle") return { is: "wrong", problems: [circleProblem(ordered, input.desired)] };
  const phased = decided.flatMap((subject): readonly ShownChange[] => {
    const { decision, address, observation } = subject;
    if (decision.is !== "change") return [];
    // A side effect of closing the difference. `drift` closes nothing.
    const ahead = input.about.command === "plan" && "ahead" in observation ? observation.ahead : undefined;
    return [
      {
        ...subject,
        change: decision.change,
        note: subject.now?.because ?? decision.note ?? ahead,
        events: subject.events ?? ("events" in observation ? observation.events : undefined),
        phase: ordered.phases.get(address) ?? 0,
      },
    ];
  });
  const changes = phased.map((change) => plannedChange(change, dependencies.get(change.change.address) ?? []));
  const { calls, problems } = compileCalls(phased, input);
  if (problems.length > 0) return { is: "wrong", problems };
  const { triggers, problems: unsendable } = planTriggers(input.onApplied ?? [], calls, phased.length, input);
  if (unsendable.length > 0) return { is: "wrong", problems: unsendable };
  const lanes = new Set(calls.map(({ lane }) => lane));
  const touched = new Set(phased.map(({ lane }) => lane));
  const { part, guards } = input;
  const live = liveCounts(decided, part);
  const isProtected = protectedAmong(decided);
  const plan: Plan = {
    version: 1,
    about: input.about,
    ...defined({ base: input.baseRef, trusted: input.trusted, basis: input.basis }),
    services: input.services,
    changes,
    // A resource with an acknowledged difference is not in sync.
    inSync: decided.flatMap(({ decision, now, address }) =>
      decision.is === "in sync" && decision.acknowledged === undefined && now ? [address] : [],
    ),
    unknown: [
      ...decided.flatMap(({ decision, address, service }): readonly UnknownResource[] =>
        decision.is === "unknown" ? [{ address, service, problem: decision.problem }] : [],
      ),
      ...input.unlisted,
    ],
    ignored: decided.flatMap(ignoredIn),
    ...newlyAcknowledged(decided, input),
    ...newlyDelivered(decided, calls, input),
    ...(input.unmanaged === undefined ? {} : { unmanaged: input.unmanaged }),
    ...(input.orphans === undefined || input.orphans.length === 0 ? {} : { orphans: input.orphans }),
    ...(input.consent === undefined || Object.keys(input.consent).length === 0 ? {} : { consented: input.consent }),
    // The guards apply to the whole plan, so shards are judged when they are merged.
    refusals:
      part?.is === "shard"
        ? []
        : [...refusals(changes, live, isProtected, guards, input.consent), ...execRefusals(calls, guards)],
    ...labelsOf(decided),
    calls,
    ...(triggers.length === 0 ? {} : { triggers }),
    forecast: { writes: writesIn(calls), verifyScopes: lanes.size },
    fingerprints: fingerprintsOf(decided.filter(({ lane }) => touched.has(lane))),
    ...(part?.is === "affected" ? { affected: part.affected } : {}),
    ...(part?.is === "shard" ? { shard: shardMembers(part, changes, live, isProtected, guards) } : {}),
  };
  return { is: "planned", plan };
}

function ignoredIn({ decision, address }: Decided): Plan["ignored"] {
  if (decision.is === "unknown") return [];
  return [
    ...decision.ignored.map((field) => ({ address, field })),
    ...(decision.acknowledged ?? []).map(({ fields: _all, field, ...said }) => ({ address, field, ...said })),
  ];
}

/** Returns what the base does not leave alone, for good or until a day, so that no one can silence a difference unnoticed. */
function newlyAcknowledged(decided: readonly Decided[], { base: bases }: PlanInput): Pick<Plan, "newlyAcknowledged"> {
  if (bases === undefined) return {};
  const added = decided.flatMap(({ address, now, base }) => {
    const known = new Set(base?.metadata.acknowledged?.map((one) => canonicalJson(one)));
    const { acknowledged = [], ignore = [] } = now?.metadata ?? {};
    const fields = ignore.filter((field) => base?.metadata.ignore.includes(field) !== true);
    return [
      ...acknowledged.filter((one) => !known.has(canonicalJson(one))).map((one) => ({ address, ...one })),
      ...(fields.length === 0 ? [] : [{ address, fields }]),
    ];
  });
  return added.length === 0 ? {} : { newlyAcknowledged: added };
}

/** Returns the sinks that the base does not have and no call shows: a changed sink is no difference, and gets the next secret. */
function newlyDelivered(
  decided: readonly Decided[],
  calls: Plan["calls"],
  { base: bases }: PlanInput,
): Pick<Plan, "newlyDelivered"> {
  if (bases === undefined) return {};
  const shown = new Set(calls.flatMap(({ deliver, carries }) => (deliver === undefined ? [] : carries)));
  const added = decided.flatMap(({ address, now, base }) => {
    const [to, before] = [sinkOf(now?.spec), sinkOf(base?.spec)];
    if (to === undefined || shown.has(address)) return [];
    return before !== undefined && canonicalJson(to) === canonicalJson(before) ? [] : [{ address, to }];
  });
  return added.length === 0 ? {} : { newlyDelivered: added };
}

/** A change with everything that a plan shows about it. */
interface ShownChange extends PhasedChange {
  /** What the manifests or the service say about the object. */
  readonly note: string | undefined;
  /** The resource as the manifests declare it. */
  readonly now: Resource | undefined;
  readonly events: readonly ObjectEvent[] | undefined;
}

function plannedChange(
  { change, kind, service, note, events = [], now, phase }: ShownChange,
  dependsOn: readonly Address[],
): PlannedChange {
  const place = now?.statedAt?.([]);
  const happened = happenedOf(kind, change);
  return {
    address: change.address,
    service,
    kind: kind.kind,
    key: change.key,
    ...(place === undefined ? {} : { place }),
    ...(now?.repeated === undefined ? {} : { repeated: true }),
    action: change.action,
    verdict: change.verdict,
    ...(happened === undefined ? {} : { happened }),
    fields: fieldsOf(kind, change).map((field) => {
      const stated = now?.statedAt?.(field.path);
      return stated === undefined ? field : { ...field, place: stated };
    }),
    risks: change.action === "check" ? [] : (kind.risk?.(change) ?? []),
    ...(note === undefined ? {} : { note }),
    ...(events.length === 0 ? {} : { events }),
    ...(change.action === "check" ? { instruction: change.instruction } : {}),
    dependsOn,
    phase,
  };
}

/**
 * Returns the fields that differ. For a create or a delete, returns all declared fields, including those that cannot be read
 * back. Undeclared fields are left out, because a kind may have read only some of them.
 */
function fieldsOf(kind: Kind, change: Change): readonly FieldDifference[] {
  const { action, verdict } = change;
  if (action === "update" || action === "check") return change.fields;
  const [spec, declared] = action === "create" ? [change.desired, change.desired] : [change.live, change.declared];
  const names = Object.keys({ ...asJson(declared), ...plainSpec(kind, declared) });
  const all = Object.entries({ ...asJson(spec), ...plainSpec(kind, spec) }).filter(([name]) => names.includes(name));
  return all.map(([name, value]) => ({
    path: [name],
    live: action === "create" ? undefined : value,
    desired: action === "create" ? value : undefined,
    verdict,
  }));
}

function labelsOf(decided: readonly Decided[]): Pick<Plan, "labels"> {
  const labelled = decided.flatMap(({ now, address }) =>
    now !== undefined && Object.keys(now.metadata.labels).length > 0 ? [[address, now.metadata.labels] as const] : [],
  );
  return labelled.length === 0 ? {} : { labels: Object.fromEntries(labelled) };
}

/** Counts live resources by service and kind. In a run of a part, every declared resource that was left out counts as live. */
function liveCounts(decided: readonly Decided[], part: Part | undefined): ReadonlyMap<string, number> {
  const counts = new Map(part?.is === "affected" ? part.unseen : []);
  for (const { observation, service, kind } of decided) {
    if (observation.is !== "present") continue;
    const group = kindOf({ service, kind: kind.kind });
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return counts;
}

/** Protection still counts if the commit that removes the resource also removes its protection: the base has it. */
function protectedAmong(decided: readonly Decided[]): (address: Address) => boolean {
  const isProtected = decided.filter(({ now, base }) => [now, base].some((one) => one?.metadata.protect === true));
  const addresses = new Set(isProtected.map(({ address }) => address));
  return (address) => addresses.has(address);
}

/**
 * Returns one hash for each lane of what was observed in it. Unknown resources are left out, and so are events, which are not
 * state: a token that was used is still the same token.
 */
export function fingerprintsOf(decided: readonly Decided[]): Readonly<Record<string, string>> {
  const seen = decided.filter(({ observation }) => observation.is !== "unknown");
  return Object.fromEntries(
    [...Map.groupBy(seen, ({ lane }) => lane)].map(([lane, all]) => [
      lane,
      // Each has its own: the text of a whole list could be longer than a string can be.
      fingerprint(all.map(({ address, observation }) => [address, fingerprint(stateOf(observation))])),
    ]),
  );
}

/** Many resources of a project have all of its access in their markers: each part is written out once. */
const partFingerprint = onceFor((part: object) => fingerprint(part));

function stateOf(observation: Observation): object {
  const marker = observation.is === "unknown" ? undefined : observation.marker;
  return { ...observation, events: undefined, ...(isObject(marker) ? { marker: partsOf(marker) } : {}) };
}

function partsOf(marker: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(marker).map(([name, part]) => [name, isObject(part) ? partFingerprint(part) : part]),
  );
}
