import { once } from "../core/once.ts";
import type { Problem } from "../core/problem.ts";
import type { Address } from "../core/resource.ts";
import { defined } from "../core/text/json.ts";
import { shellWord } from "../core/text/words.ts";
import { handovers } from "./claims.ts";
import { asCheck } from "./decide.ts";
import { type Decided, type Declarations, type Observed, referencesOf, wantedReferences } from "./subjects.ts";

type Circle = Extract<Ordered, { readonly is: "circle" }>;

/** Returns the graph of references between declared resources. */
export function declaredReferences({ kinds, desired }: Pick<Declarations, "kinds" | "desired">): Edges {
  return new Map(
    desired.map(({ service, kind: name, address, spec }) => {
      const kind = kinds.get(name);
      const references = kind === undefined ? [] : referencesOf(kinds, { service, kind }, spec);
      return [address, references.map((one) => one.address)];
    }),
  );
}

/** Returns the problem for a circle; its message names the edges. */
export function circleProblem({ edges }: Circle, desired: Declarations["desired"]): Problem {
  const place = desired.find(({ address }) => address === edges[0]?.from)?.place;
  return {
    code: "SP2001",
    message: `These resources need each other: ${edges.map(({ from, to }) => `${from} needs ${to}`).join(", ")}.`,
    hint: "Remove one of the references.",
    ...defined({ place }),
  };
}

/**
 * Returns a problem for each change that refers to something neither declared nor live, and for each declared resource that
 * refers to something that should not exist.
 */
export function missingReferences(
  { kinds, desired }: Declarations,
  { decided, undeclared }: Observed,
): readonly Problem[] {
  const referring = desired.filter(({ kind }) => kinds.get(kind)?.references !== undefined);
  if (referring.length === 0) return [];
  const subjects = new Map(decided.map((subject) => [subject.address, subject]));
  const declared = new Map(desired.map((resource) => [resource.address, resource]));
  const deleted = deletedAmong(decided);
  const reasonAgainst = (address: Address, isChange: boolean) => {
    const other = declared.get(address);
    if (other?.metadata.state === "present") return undefined;
    if (other !== undefined) return other.because ?? "is declared absent";
    if (deleted.has(address)) return "has left the manifests, so this plan deletes it";
    const seen = subjects.get(address)?.observation ?? undeclared.get(address);
    return isChange && seen?.is === "absent" ? "is neither declared nor live" : undefined;
  };
  return referring.flatMap((resource) => {
    const kind = kinds.get(resource.kind);
    if (kind === undefined || resource.metadata.state === "absent") return [];
    const subject = subjects.get(resource.address);
    const changing = subject === undefined ? [] : wantedReferences(kinds, subject);
    const isChange = changing.length > 0;
    const references = isChange ? changing : referencesOf(kinds, { ...resource, kind }, resource.spec);
    return references.flatMap(({ address, kind: wanted }): readonly Problem[] => {
      const reason = reasonAgainst(address, isChange);
      if (reason === undefined) return [];
      return [
        {
          code: "SP1010",
          address: resource.address,
          refersTo: address,
          message: `${resource.kind} ${resource.key} refers to ${address}, which ${reason}.`,
          hint: `${declared.has(address) ? "Keep" : "Declare"} the ${wanted.kind}, or remove the reference.`,
          place: resource.place,
        },
      ];
    });
  });
}

function deletedAmong(decided: readonly Decided[]): ReadonlyMap<Address, Decided> {
  const deleted = decided.filter(({ decision }) => decision.is === "change" && decision.change.action === "delete");
  return new Map(deleted.map((subject) => [subject.address, subject]));
}

/**
 * Makes a change unknown if it needs an unknown resource or one that a person has to create, directly or through other
 * changes. A delete needs all that refers to the resource: what stays unknown still does, or still may if it did at the base.
 */
export function spreadUnknown({ kinds }: Declarations, { decided, undeclared }: Observed): readonly Decided[] {
  const needs = [
    ...decided.flatMap((subject) =>
      wantedReferences(kinds, subject).map(({ address }) => ({ subject, needed: address })),
    ),
    ...deletesOfReferred(kinds, decided),
  ];
  const byNeeded = Map.groupBy(needs, ({ needed }) => needed);
  const unknown = [
    ...decided.filter(({ decision }) => decision.is === "unknown").map(({ address }) => address),
    ...[...undeclared].filter(([, { is }]) => is === "unknown").map(([address]) => address),
  ];
  const missing = new Map([
    ...decided
      .filter(isMissing)
      .map(({ address, decision }): readonly [Address, string] => [
        address,
        decision.is === "in sync" ? "is missing, as acknowledged" : "a person has to create first",
      ]),
    ...[...undeclared]
      .filter(([, { is }]) => is === "absent")
      .map(([address]): readonly [Address, string] => [address, "does not exist yet, and is not selected here"]),
  ]);
  const problems = new Map<Address, Problem>();
  const blockers = new Set([...unknown, ...missing.keys()]);
  // The set grows during the loop.
  for (const blocker of blockers)
    for (const { subject } of byNeeded.get(blocker) ?? []) {
      const { address, service } = subject;
      if (problems.has(address)) continue;
      const hint = `Apply it first, or select it too: setpoint apply --only ${shellWord(blocker)}.`;
      const problem: Problem = missing.has(blocker)
        ? {
            code: "SP3005",
            service,
            address,
            message: `It needs ${blocker}, which ${missing.get(blocker)}.`,
            ...(undeclared.has(blocker) ? { hint } : {}),
          }
        : { code: "SP2003", service, address, message: `It needs ${blocker}, whose state is unknown.` };
      problems.set(address, problem);
      blockers.add(address);
    }
  if (problems.size === 0) return decided;
  return decided.map((subject): Decided => {
    const problem = problems.get(subject.address);
    return problem === undefined ? subject : { ...subject, decision: { is: "unknown", problem } };
  });
}

/** Returns each delete with the resources that refer to its own, or, if they are unknown, did so at the base. */
function deletesOfReferred(kinds: Declarations["kinds"], decided: readonly Decided[]) {
  const deleted = deletedAmong(decided);
  if (deleted.size === 0) return [];
  return decided.flatMap((referrer) => {
    const { observation, base } = referrer;
    const spec = observation.is === "present" ? observation.spec : observation.is === "unknown" && base?.spec;
    const references = spec ? referencesOf(kinds, referrer, spec) : [];
    return references.flatMap(({ address }) => {
      const subject = deleted.get(address);
      return subject === undefined ? [] : [{ subject, needed: referrer.address }];
    });
  });
}

/** Whether a resource does not exist and no call creates it: no call can, or its absence was acknowledged. */
function isMissing({ decision, observation }: Decided): boolean {
  if (decision.is === "in sync" && observation.is === "absent") return decision.acknowledged !== undefined;
  return decision.is === "change" && decision.change.action === "check" && decision.change.live === undefined;
}

/** Turns updates that wait for each other, such as two pages that exchange titles, into checks: a person frees one part. */
export function withoutExchanges(decided: readonly Decided[]): readonly Decided[] {
  const taken = handovers(decided);
  const ordered = order(edgesOf(taken.map(({ taker, owner }): Wait => [taker, owner])));
  if (ordered.is === "ordered") return decided;
  const instructions = new Map(
    ordered.edges.map(({ from, to }) => {
      const claim = taken.find(({ taker, owner }) => taker === from && owner === to)?.claim;
      return [
        from,
        `${to} still has ${claim}, and waits in turn: rename one of them manually for now, and plan again.`,
      ];
    }),
  );
  return withoutExchanges(
    decided.map((subject) => {
      const { decision, address } = subject;
      const instruction = instructions.get(address);
      if (instruction === undefined || decision.is !== "change" || decision.change.action === "check") return subject;
      return { ...subject, decision: { ...decision, change: asCheck(decision.change, instruction) } };
    }),
  );
}

/**
 * Returns the changes that each change must wait for. A create or update waits for changes of the resources it refers to, and
 * an update for those of what it takes over. A delete waits for changes of the resources that still refer to it.
 */
export function dependenciesOf({ kinds }: Declarations, decided: readonly Decided[]): Edges {
  const changed = decided.filter(({ decision }) => decision.is === "change");
  const addresses = once(() => new Set(changed.map(({ address }) => address)));
  const deleted = once(() => deletedAmong(changed));
  const waits = changed.flatMap((subject): readonly Wait[] => {
    const { kind, observation, address } = subject;
    if (kind.references === undefined) return [];
    const wanted = wantedReferences(kinds, subject).filter((one) => addresses().has(one.address));
    const { spec, marker } = observation.is === "present" ? observation : {};
    const former = spec === undefined ? [] : referencesOf(kinds, subject, spec, marker);
    const gone = former.filter((one) => deleted().has(one.address));
    return [...wanted.map((one): Wait => [address, one.address]), ...gone.map((one): Wait => [one.address, address])];
  });
  return edgesOf([...waits, ...handovers(decided).map(({ taker, owner }): Wait => [taker, owner])]);
}

function edgesOf(waits: readonly Wait[]): Edges {
  const edges = new Map<Address, readonly Address[]>(waits.map(([, before]) => [before, []]));
  for (const [after, all] of Map.groupBy(waits, ([node]) => node))
    edges.set(after, [...new Set(all.map(([, before]) => before))].sort());
  return edges;
}

/** A change and one that it must wait for. */
type Wait = readonly [after: Address, before: Address];

/** Edges of a graph: each node with the nodes that must come before it. */
export type Edges = ReadonlyMap<Address, readonly Address[]>;

/** The result of ordering: nodes by phase, or the edges of a circle. */
export type Ordered =
  | { readonly is: "ordered"; readonly phases: ReadonlyMap<Address, number> }
  | { readonly is: "circle"; readonly edges: readonly { readonly from: Address; readonly to: Address }[] };

/**
 * Assigns every node the first phase in which all its dependencies are done: 0 for a node without dependencies, otherwise one
 * more than its latest dependency. Edges to nodes outside the graph are ignored.
 */
export function order(edges: Edges): Ordered {
  const waits = [...edges].flatMap(([after, all]) =>
    all.flatMap((before): readonly Wait[] => (edges.has(before) ? [[after, before]] : [])),
  );
  const dependants = Map.groupBy(waits, ([, before]) => before);
  const waiting = new Map<Address, number>();
  for (const [after] of waits) waiting.set(after, (waiting.get(after) ?? 0) + 1);
  const phases = new Map<Address, number>();
  let ready = [...edges.keys()].filter((node) => !waiting.has(node));
  for (let phase = 0; ready.length > 0; phase++) {
    for (const node of ready) phases.set(node, phase);
    const freed = ready.flatMap((node) => dependants.get(node) ?? []);
    ready = freed.flatMap(([node]) => {
      const left = (waiting.get(node) ?? 0) - 1;
      waiting.set(node, left);
      return left === 0 ? [node] : [];
    });
  }
  const stuck = [...edges.keys()].find((node) => !phases.has(node));
  return stuck === undefined
    ? { is: "ordered", phases }
    : { is: "circle", edges: circleFrom(stuck, edges, (node) => edges.has(node) && !phases.has(node)) };
}

/** Follows stuck nodes, each of which waits for another, until one repeats, and returns the edges of that circle. */
function circleFrom(start: Address, edges: Edges, isStuck: (node: Address) => boolean): Circle["edges"] {
  const path = new Map<Address, Address>();
  let node = start;
  while (!path.has(node)) {
    const next = edges.get(node)?.find(isStuck) ?? node;
    path.set(node, next);
    node = next;
  }
  const steps = [...path].map(([from, to]) => ({ from, to }));
  return steps.slice(steps.findIndex(({ from }) => from === node));
}
