import type { ObjectEvent, Observation } from "../core/change.ts";
import type { PlannedService, UnknownResource } from "../core/plan.ts";
import { type Problem, ProblemError } from "../core/problem.ts";
import type { Address, Resource } from "../core/resource.ts";
import type { Service } from "../core/service.ts";
import type { Exclusive } from "../manifests/workspace/read-workspace.ts";
import {
  type Decided,
  type Declarations,
  decideAll,
  type Observed,
  type Subject,
  subjectsOf,
  type Target,
  targetsOf,
  undeclaredTargets,
} from "../planner/subjects.ts";
import { withoutDelivery } from "./journal.ts";
import type { Connections, Readers } from "./sessions.ts";
import { listUndeclared } from "./undeclared.ts";

/** What the services reported about what is declared. */
export interface Looked extends Observed {
  /** With what nobody declares and should not exist. */
  readonly declarations: Declarations;
  /** Kinds whose live objects could not be listed, each as `service/Kind/*`. */
  readonly unlisted: readonly UnknownResource[];
  /** Live objects of the declared kinds that nobody declares; undefined if they were not requested. */
  readonly unmanaged: readonly Address[] | undefined;
  /** The services of the workspace. */
  readonly services: readonly Service[];
  /** Those that were looked at. */
  readonly reads: readonly PlannedService[];
}

/** Where to look, and for what. */
export interface LookSettings {
  readonly services: readonly Service[];
  readonly exclusive: readonly Exclusive[];
  /** Whether to list what nobody declares of the other declared kinds too. */
  readonly unmanaged: boolean;
  /** Whether to ask who changed what has changed on a service, and when. */
  readonly history: boolean;
  /** See `Listing`. */
  readonly reaches: (service: string, kind: string) => boolean;
  readonly signal: AbortSignal;
  /** Called with how many scopes of a service have been read, and how many there are. */
  readonly onRead?: OnRead | undefined;
}

/** Is told how many scopes of a service have been read, and how many there are. */
type OnRead = (service: string, done: number, total: number) => void;

/** Looks at the services over connections that cannot write. Throws `ProblemError` SP5003 after an interrupt. */
export async function look(
  stated: Declarations,
  { services: all, exclusive, unmanaged: asked, history, reaches, signal, onRead }: LookSettings,
  connections: Connections,
): Promise<Looked> {
  const { sessions, readers } = await connections.open(all);
  const { unwanted, unlisted, unmanaged } = await listUndeclared({
    kinds: stated.kinds,
    services: all,
    declared: stated.desired,
    exclusive,
    unmanaged: asked,
    selected: stated.selected,
    reaches,
    readers,
    now: stated.now,
  });
  const declarations = withUnwanted(stated, unwanted);
  const observed = await observe(declarations, readers, onRead);
  const decided = history ? await withHistory(observed.decided, readers) : observed.decided;
  if (signal.aborted)
    throw new ProblemError({ code: "SP5003", message: "The run was interrupted before all services had answered." });
  const readsOf = (name: string) => sessions.get(name)?.requests.reads ?? 0;
  const looked = new Set([...observed.decided, ...unlisted].map(({ service }) => service));
  const seen = all.filter(({ name }) => looked.has(name) || readsOf(name) > 0);
  return {
    declarations,
    ...observed,
    decided,
    unlisted,
    unmanaged: asked ? unmanaged : undefined,
    services: all,
    reads: seen.map(({ name, role, url }) => ({ name, role, url, reads: readsOf(name) })),
  };
}

/** What nobody declares is declared absent, now and at the base: somebody made it. */
export function withUnwanted(declarations: Declarations, unwanted: readonly Resource[]): Declarations {
  const { desired, base = [] } = declarations;
  if (unwanted.length === 0) return declarations;
  const before = new Set(base.map(({ address }) => address));
  const others = unwanted.filter(({ address }) => !before.has(address));
  return { ...declarations, desired: [...desired, ...unwanted], base: [...base, ...others] };
}

/** What reading depends on besides the services. */
type Moment = Pick<Declarations, "now" | "undelivered">;

/**
 * Observes all that is declared now or was at the base and decides about it, then observes what changes refer to without
 * declaring it. Services and scopes are read in parallel, one reading per scope; what cannot be read is unknown.
 */
export async function observe(declarations: Declarations, readers: Readers, onRead?: OnRead): Promise<Observed> {
  const decided = await observeSubjects(declarations, subjectsOf(declarations), readers, onRead);
  return { decided, undeclared: await observeTargets(undeclaredTargets(declarations, decided), readers, declarations) };
}

/**
 * Adds what services tell of who changed what, one question per scope of a kind. It is read after deciding, only for what
 * the services changed, and a service that does not tell changes nothing.
 */
async function withHistory(decided: readonly Decided[], readers: Readers): Promise<readonly Decided[]> {
  const moved = decided.filter(
    ({ kind, decision }) =>
      kind.history !== undefined && decision.is === "change" && decision.change.verdict !== "pending",
  );
  const scopes = Map.groupBy(moved, ({ service, kind, scope }) => JSON.stringify([service, kind.kind, scope]));
  const told = await Promise.all(
    [...scopes.values()].map(async (group) => {
      const events = await historyOf(group, readers);
      return group.map(({ address }) => [address, events] as const);
    }),
  );
  const eventsOf = new Map(told.flat());
  return decided.map((subject) => {
    const events = eventsOf.get(subject.address);
    return events === undefined ? subject : { ...subject, events };
  });
}

async function historyOf(group: readonly Decided[], readers: Readers): Promise<readonly ObjectEvent[]> {
  const [first] = group;
  const changes = group.flatMap(({ decision }) => (decision.is === "change" ? [decision.change] : []));
  try {
    return (await first?.kind.history?.(readers(first.service), first.scope, changes)) ?? [];
  } catch (error) {
    if (error instanceof ProblemError) return [];
    throw error;
  }
}

/** Observes some of what is declared, and decides about it. */
export async function observeSubjects(
  declarations: Declarations,
  subjects: readonly Subject[],
  readers: Readers,
  onRead?: OnRead,
): Promise<readonly Decided[]> {
  return decideAll(declarations, subjects, await observeTargets(targetsOf(subjects), readers, declarations, onRead));
}

/** Observes the targets, one reading per scope of a kind. */
async function observeTargets(
  targets: readonly Target[],
  readers: Readers,
  moment: Moment,
  onRead: OnRead = () => {},
): Promise<ReadonlyMap<Address, Observation>> {
  const scopes = [
    ...Map.groupBy(targets, ({ service, kind, scope }) => JSON.stringify([service, kind.kind, scope])).values(),
  ];
  const tell = readingTeller(scopes, onRead);
  const readings = await Promise.all(
    scopes.map((group) => observeScope(group, readers, moment).finally(() => tell(group))),
  );
  return new Map(readings.flat());
}

/** Tells of every scope that has been read; first that none has. */
function readingTeller(scopes: readonly (readonly Target[])[], onRead: OnRead): (scope: readonly Target[]) => void {
  const serviceOf = ([first]: readonly Target[]) => first?.service ?? "";
  const all = Map.groupBy(scopes, serviceOf);
  const read = new Map<string, number>();
  const tell = (service: string, done: number) => onRead(service, done, all.get(service)?.length ?? 0);
  for (const service of all.keys()) tell(service, 0);
  return (scope) => {
    const service = serviceOf(scope);
    const done = (read.get(service) ?? 0) + 1;
    read.set(service, done);
    tell(service, done);
  };
}

async function observeScope(
  targets: readonly Target[],
  readers: Readers,
  { now, undelivered }: Moment,
): Promise<readonly (readonly [Address, Observation])[]> {
  const [first] = targets;
  if (first === undefined) return [];
  const { kind, service, scope } = first;
  try {
    const wanted = targets.flatMap(({ specs }) => specs);
    const found = await kind.observe(readers(service), scope, wanted, now, async (sink) =>
      readers.signIn?.(service, sink),
    );
    return targets.flatMap(({ address, specs: [spec] }) => {
      const observation = found.get(kind.key(spec));
      if (observation === undefined) return [];
      const isDoubted = undelivered?.has(address) === true && !("isHeld" in observation);
      const seen = isDoubted ? withoutDelivery(observation) : observation;
      return [[address, withAddress(seen, service, address)]];
    });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const problem: Problem = error.problems[0] ?? { code: "SP3009", message: "The service failed." };
    return targets.map(({ address }) => [address, { is: "unknown", problem: { service, ...problem } }]);
  }
}

function withAddress(observation: Observation, service: string, address: Address): Observation {
  if (observation.is !== "unknown") return observation;
  return { is: "unknown", problem: { service, address, ...observation.problem } };
}
