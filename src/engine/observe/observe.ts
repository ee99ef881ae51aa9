import type { Observation } from "../../core/change.ts";
import { sha1Of } from "../../core/known-content.ts";
import { firstProblem, type Problem } from "../../core/problem.ts";
import type { Address } from "../../core/resource.ts";
import {
  type Decided,
  type Declarations,
  decideAll,
  type Observed,
  type Scope,
  type Subject,
  scopesOf,
  subjectsOf,
  type Target,
  targetsOf,
  undeclaredTargets,
} from "../../planner/subjects.ts";
import { withoutDelivery } from "../journal/journal.ts";
import type { Readers } from "../sessions.ts";

/** Called with the number of scopes of a service that have been read, the total, and whether no worker takes its jobs. */
export type OnRead = (service: string, done: number, total: number, lacksWorker?: boolean) => void;

/** The problem of a reading that an interrupt ended. */
export const readingInterrupted: Problem = {
  code: "SP5003",
  message: "The run was interrupted before all services had answered.",
  hint: "Run it again: it starts from the current state.",
};

/** The inputs of reading other than the services. */
export type ReadingContext = Pick<Declarations, "now" | "undelivered">;

/** Reads scopes in parallel, one reading each, and returns the observations of their targets. An unreadable target is unknown. */
export type ReadScopes = (
  scopes: readonly Scope[],
  moment: ReadingContext,
  onRead?: OnRead,
) => Promise<ReadonlyMap<Address, Observation>>;

/** Observes all that is declared now or at the base, and decides; then observes what else the changes refer to. */
export async function observe(declarations: Declarations, read: ReadScopes, onRead?: OnRead): Promise<Observed> {
  const decided = await observeSubjects(declarations, subjectsOf(declarations), read, onRead);
  const undeclared = await read(scopesOf(undeclaredTargets(declarations, decided)), declarations);
  return { decided, undeclared };
}

/** Observes some declared resources, and decides about them. */
export async function observeSubjects(
  declarations: Declarations,
  subjects: readonly Subject[],
  read: ReadScopes,
  onRead?: OnRead,
): Promise<readonly Decided[]> {
  const targets = targetsOf(subjects);
  const seen = await read(scopesOf(targets), declarations, onRead);
  return decideAll(declarations, subjects, await recognised(targets, seen));
}

/** Completes observations with what only the files beside the manifests reveal; see `Kind.recognise`. */
async function recognised(
  targets: readonly Target[],
  seen: ReadonlyMap<Address, Observation>,
): Promise<ReadonlyMap<Address, Observation>> {
  const told = targets
    .filter(({ kind }) => kind.recognise !== undefined)
    .map(async ({ address, service, kind, specs }): Promise<readonly (readonly [Address, Observation])[]> => {
      const observation = seen.get(address);
      if (observation?.is !== "present" || kind.recognise === undefined) return [];
      try {
        return [[address, { ...observation, spec: await kind.recognise(observation.spec, specs, sha1Of) }]];
      } catch (error) {
        return [[address, { is: "unknown", problem: { service, address, ...firstProblem(error) } }]];
      }
    });
  return told.length === 0 ? seen : new Map([...seen, ...(await Promise.all(told)).flat()]);
}

/** Returns a function that reads scopes with the readers of this process. */
export function scopeReader(readers: Readers): ReadScopes {
  return async (scopes, moment, onRead = () => {}) => {
    const tell = readingTeller(scopes, onRead);
    const read = (scope: Scope) => observeScope(scope, readers, moment).finally(() => tell(scope));
    const byService = [...Map.groupBy(scopes, ({ service }) => service)];
    const readings = await Promise.all(
      byService.map(([service, own]) => startEach(own, read, async () => readers.room?.(service))),
    );
    return new Map(readings.flat(2));
  };
}

/** Returns a function that reports each scope as read. First reports that none has been read. */
export function readingTeller(scopes: readonly Scope[], onRead: OnRead): (scope: Scope) => void {
  const all = Map.groupBy(scopes, ({ service }) => service);
  const read = new Map<string, number>();
  const tell = (service: string, done: number) => onRead(service, done, all.get(service)?.length ?? 0);
  for (const service of all.keys()) tell(service, 0);
  return ({ service }) => {
    const done = (read.get(service) ?? 0) + 1;
    read.set(service, done);
    tell(service, done);
  };
}

async function observeScope(
  { kind, service, scope, targets }: Scope,
  readers: Readers,
  { now, undelivered }: ReadingContext,
): Promise<readonly (readonly [Address, Observation])[]> {
  try {
    const wanted = targets.flatMap(({ specs }) => specs);
    const found = await kind.observe(readers(service), scope, wanted, now, async (sink) =>
      readers.signIn?.(service, sink),
    );
    return targets.flatMap(({ address, specs: [spec] }) => {
      const observation = found.get(kind.key(spec));
      if (observation === undefined) return [];
      return [[address, withAddress(doubted(observation, address, undelivered), service, address)]];
    });
  } catch (error) {
    const problem = { service, ...firstProblem(error) };
    return targets.map(({ address }) => [address, { is: "unknown", problem }]);
  }
}

/** Returns an observation without its sink if the new secret may be undelivered, unless the service said that the sink holds it. */
export function doubted(
  observation: Observation,
  address: Address,
  undelivered: ReadingContext["undelivered"],
): Observation {
  const isDoubted = undelivered?.has(address) === true && !("isHeld" in observation);
  return isDoubted ? withoutDelivery(observation) : observation;
}

function withAddress(observation: Observation, service: string, address: Address): Observation {
  if (observation.is !== "unknown") return observation;
  return { is: "unknown", problem: { service, address, ...observation.problem } };
}

/** The number of tasks started together; more than the requests that can be under way concurrently. */
const together = 64;

/**
 * Starts all tasks in batches, each as soon as its requests could be sent soon. Starting ten thousand tasks at once would take
 * memory, and time before the first request is sent.
 */
export async function startEach<Task, Result>(
  tasks: readonly Task[],
  start: (task: Task) => Promise<Result>,
  room: () => Promise<void>,
): Promise<readonly Result[]> {
  const begun: Promise<readonly Result[]>[] = [];
  for (let first = 0; first < tasks.length; first += together) {
    if (first > 0) await room();
    const some = Promise.all(tasks.slice(first, first + together).map(start));
    // A rejection is thrown below, once the other tasks have started.
    some.catch(() => {});
    begun.push(some);
  }
  return (await Promise.all(begun)).flat();
}
