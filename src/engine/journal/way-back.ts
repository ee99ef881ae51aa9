import type { Kind } from "../../core/kind.ts";
import type { Problem } from "../../core/problem.ts";
import type { Address, Resource } from "../../core/resource.ts";
import type { Service } from "../../core/service.ts";
import { canonicalJson, isObject, member } from "../../core/text/json.ts";
import { rivalProblems } from "../../planner/claims.ts";
import { decide, plainSpec } from "../../planner/decide.ts";
import { type Decided, type Declarations, subjectsOf } from "../../planner/subjects.ts";
import { observeSubjects, scopeReader } from "../observe/observe.ts";
import type { Readers } from "../sessions.ts";
import type { Past } from "./journal.ts";
import { type SeenChange, seenChanges, unrevertedLines } from "./past-runs.ts";

/** How to undo a run. */
export interface WayBack {
  /** The state before the run, in place of what the manifests declare. Nothing else is looked at. */
  readonly declarations: Declarations;
  /** Changes of the run that no plan can undo, each with the reason. */
  readonly left: readonly Problem[];
  /** What the plan undoes. */
  readonly undone: ReadonlySet<Address>;
}

/** A change with the states that it was to leave and that it found, both as if manifests declared them. */
interface Turn {
  readonly address: Address;
  readonly after: Resource;
  readonly before: Resource;
}

interface Known {
  readonly past: Past;
  readonly declared: ReadonlyMap<Address, Resource>;
  readonly kinds: Declarations["kinds"];
  readonly services: readonly Service[];
}

/**
 * Makes the state before a run the desired one, for each resource that is still as the run left it. Reads the services with
 * readers that cannot write. `impossible` says why a resource cannot be as before, for those of which a plan has found out.
 */
export async function wayBack(
  past: Past,
  stated: Declarations,
  services: readonly Service[],
  readers: Readers,
  impossible: ReadonlyMap<Address, string>,
): Promise<WayBack> {
  const left: Problem[] = unrevertedLines(past).map((line) => ({
    code: "SP4007",
    message: `Line ${line} of the journal of ${past.name} is damaged: what it says is not reverted.`,
    hint: "Compare the report of the run, if there is one.",
  }));
  const declared = new Map(stated.desired.map((resource) => [resource.address, resource]));
  const never: Turn[] = [];
  const made: Turn[] = [];
  /** What the run deleted for good. Even if manifests declare it, the way back does not create it, so nothing can refer to it. */
  const gone = new Set<Address>();
  for (const seen of seenChanges(past)) {
    const turn = turnOf(seen, { past, declared, kinds: stated.kinds, services });
    if (typeof turn !== "string") (seen.isUndone ? never : made).push(turn);
    else if (!seen.isUndone) {
      left.push(needsPerson(seen, turn));
      if (seen.action === "delete") gone.add(seen.address);
    }
  }
  const decidedOn = async (turns: readonly Turn[], desired: readonly Resource[], base?: readonly Resource[]) => {
    const own = new Set(turns.map(({ address }) => address));
    const wanted: Declarations = { ...stated, desired, base, selected: ({ address }) => own.has(address) };
    return observeSubjects(wanted, subjectsOf(wanted), scopeReader(readers));
  };
  const asEver = decisionsOf(await decidedOn(never, befores(never)));
  /** What is as before without a plan. It counts as such, because as declared it can refer to what the plan deletes. */
  const settled = never.filter(({ address }) => asEver.get(address) === "in sync");
  const afters = made.map(({ after }) => after);
  const asLeft = await decidedOn(made, afters);
  const turns = withUnmoved(made, asLeft);
  const untouched = insteadOf(stated.desired, settled, turns);
  const asBefore = await decidedOn(made, untouched, afters);
  const found = decisionsOf(asLeft);
  const grown = new Set(asLeft.filter(hasGrown).map(({ address }) => address));
  const wanted = decisionsOf(asBefore);
  // What has changed since is not restored, so it is nobody's rival.
  const rivals = rivalsOf(
    turns,
    asBefore.filter(({ address }) => found.get(address) !== "change"),
  );
  const keeping = new Set(asBefore.filter(keepsSome).map(({ address }) => address));
  // As wanted whatever other resources claim.
  const alone = asBefore.filter((one) => decide(one.kind, one, one.observation).is === "in sync");
  const isBefore = new Set(alone.map(({ address }) => address));
  const back = turns.filter((turn) => {
    const { address, before } = turn;
    // A state can be both: a list that is not exclusive does not show what was removed from it, nor that it is there again.
    const isGrown = before.metadata.state === "absent" && grown.has(address);
    const isAsLeft = found.get(address) === "in sync" && !isBefore.has(address) && !isGrown;
    const needsNothing = wanted.get(address) === "in sync";
    const reason = impossible.get(address) ?? (isAsLeft ? rivals.get(address) : undefined);
    if (reason !== undefined) {
      left.push(needsPerson(before, reason));
      return false;
    }
    // Only a claim can keep what is as the run left it and yet needs nothing.
    if (isAsLeft && (needsNothing || keeping.has(address)))
      left.push(needsPerson(before, "Another resource then manages what the run added here, so it is kept."));
    if (isAsLeft || found.get(address) === "unknown") return true;
    // If it is as before the run, someone has already undone the change, or the call had no effect.
    if (needsNothing) settled.push(turn);
    else left.push(needsPerson(before, "It has changed since the run, so it is not replaced by its former state."));
    return false;
  });
  const addresses = new Set(back.map(({ address }) => address));
  return {
    left,
    undone: addresses,
    declarations: {
      ...stated,
      desired: insteadOf(stated.desired, settled, back).filter(({ address }) => !gone.has(address)),
      // As base, so that what the run added counts as having left the manifests: from a shared object only that is removed.
      base: back.map(({ after }) => after),
      selected: ({ address }) => addresses.has(address),
    },
  };
}

function befores(turns: readonly Turn[]): readonly Resource[] {
  return turns.map(({ before }) => before);
}

/** Returns what is declared, with the states before the run where there are turns; `settled` turns need no plan. */
function insteadOf(
  desired: readonly Resource[],
  settled: readonly Turn[],
  turns: readonly Turn[],
): readonly Resource[] {
  const turned = new Set([...settled, ...turns].map(({ address }) => address));
  const there = befores(settled).filter(({ metadata }) => metadata.state === "present");
  return [...desired.filter(({ address }) => !turned.has(address)), ...there, ...befores(turns)];
}

/**
 * Returns turns that also restore what the run did not change, because what a kind sees of one field can depend on another. Only
 * fields that have changed since, or that the service does not report now, stay as they are.
 */
function withUnmoved(turns: readonly Turn[], asLeft: readonly Decided[]): readonly Turn[] {
  const found = new Map(asLeft.map((decided) => [decided.address, decided]));
  return turns.map((turn) => {
    const { before } = turn;
    const ignore = before.metadata.ignore.filter((name) => !isUnmoved(name, before.spec, found.get(turn.address)));
    return { ...turn, before: { ...before, metadata: { ...before.metadata, ignore } } };
  });
}

/** Whether a field is as the run left it: as it was before, or lost because the service keeps none in this state. */
function isUnmoved(name: string, before: unknown, found: Decided | undefined): boolean {
  if (found?.decision.is !== "in sync" || found.observation.is !== "present") return false;
  const { kind, decision, observation } = found;
  if (decision.ignored.includes(name)) return false;
  return name in plainSpec(kind, observation.spec) || hasNoPlace(kind, name, member(before, name), observation.spec);
}

/**
 * Whether an object has more than the run can have created: members that are not declared, or access that it did not give. To
 * delete it would undo what someone else did.
 */
function hasGrown({ kind, now, observation }: Decided): boolean {
  if (now === undefined || observation.is !== "present") return false;
  const { spec, marker } = observation;
  const own = new Set(kind.references?.(now.spec).map((reference) => canonicalJson(reference)));
  if (kind.references?.(spec, marker).some((reference) => !own.has(canonicalJson(reference))) === true) return true;
  const { address, key } = now;
  const back = { address, key, marker, action: "update", verdict: "pending", desired: now.spec, live: spec } as const;
  return kind.risk?.({ ...back, fields: [], kept: [] }).includes("narrows-access") === true;
}

/** Whether a state has no place for a field, such as a choice of actions while no workflow may run. */
function hasNoPlace(kind: Kind, name: string, value: unknown, state: unknown): boolean {
  return isObject(state) && !(name in plainSpec(kind, { ...state, [name]: value }));
}

function decisionsOf(decided: readonly Decided[]): ReadonlyMap<Address, Decided["decision"]["is"]> {
  return new Map(decided.map(({ address, decision }) => [address, decision.is]));
}

/** Whether a change leaves something in place only because another resource claims it. */
function keepsSome({ kind, scope, decision }: Decided): boolean {
  const change = decision.is === "change" ? decision.change : undefined;
  if (change?.action !== "delete" || change.kept.length === 0) return false;
  const callsOf = (kept: readonly string[]) => canonicalJson(kind.compile?.([{ ...change, kept }], scope));
  return callsOf(change.kept) !== callsOf([]);
}

/**
 * Returns what is wrong with restoring a resource that manages the same as another one: if a run replaced a lock with a rule,
 * both of them saw the lock's blocks. The one that the run deleted is restored.
 */
function rivalsOf(turns: readonly Turn[], asBefore: readonly Decided[]): ReadonlyMap<Address | undefined, string> {
  const deleted = new Set(turns.filter(({ after }) => after.metadata.state === "absent").map(({ address }) => address));
  const [first, second] = [true, false].map((is) => asBefore.filter(({ address }) => deleted.has(address) === is));
  return new Map(
    rivalProblems([...(first ?? []), ...(second ?? [])]).map(({ address, message }) => [
      address,
      `${message} Only one of them is restored.`,
    ]),
  );
}

function needsPerson({ address, service }: Pick<SeenChange, "address" | "service">, why: string): Problem {
  return { code: "SP4007", service, address, message: why, hint: "Only a person can revert it, if at all." };
}

/** Returns both ends of a change, or why no plan can undo it. */
function turnOf(seen: SeenChange, { past, declared, kinds, services }: Known): Turn | string {
  const { address, action, needsPerson: reason, live, desired, fields } = seen;
  const kind = kinds.get(seen.kind);
  const service = services.find(({ name }) => name === seen.service);
  if (reason !== undefined) return reason;
  if (kind === undefined || service === undefined) return "Its kind or its service is no longer in the workspace.";
  // With the values of another environment, the same names are other objects.
  if (seen.url !== undefined && seen.url !== service.url)
    return `The run changed it at ${seen.url}, and ${service.name} is ${service.url} here.`;
  const gone = fields.filter(
    (name) => live?.[name] === undefined && !hasNoPlace(kind, name, member(desired, name), live),
  );
  if (action === "update" && gone.length > 0)
    return `It had no ${gone.join(", ")} before, which no manifest can express.`;
  if (action === "create" && kind.permanent === true) return "It cannot be deleted.";
  const known = kind.spec.safeParse(action === "create" ? desired : live);
  const left = kind.spec.safeParse(action === "delete" ? live : desired);
  if (!known.success) return "What was there before cannot be declared: the service does not report all of it.";
  // The kind of an earlier version may have had other fields.
  if (!left.success) return "What the run left there cannot be declared now, so it cannot be compared.";
  if (kind.key(known.data) !== kind.key(left.data))
    return "It was renamed, and nothing says how to find it by its former name.";
  const now = declared.get(address);
  // Fields that the update did not change may have changed since. They stay as they are, unless they are as the run left them.
  const ignore = action === "update" ? others(kind, known.data, fields) : [];
  const resource = (spec: unknown, isAbsent: boolean): Resource => ({
    address,
    service: service.name,
    role: service.role,
    kind: kind.kind,
    key: kind.key(spec),
    scope: kind.scope(spec),
    spec,
    // A resource that a manifest protects is also protected from a way back.
    metadata: { labels: {}, protect: now?.metadata.protect ?? false, ignore, state: isAbsent ? "absent" : "present" },
    because: isAbsent ? `did not exist before the run ${past.name}` : `as before the run ${past.name}`,
    place: now?.place ?? { file: `.setpoint/runs/${past.name}.jsonl`, line: seen.line, column: 1 },
  });
  return {
    address,
    after: resource(left.data, action === "delete"),
    before: resource(known.data, action === "create"),
  };
}

function others(kind: Kind, spec: unknown, fields: readonly string[]): readonly string[] {
  const names = Object.keys({ ...(isObject(spec) ? spec : {}), ...plainSpec(kind, spec) });
  return names.filter((name) => !fields.includes(name));
}
