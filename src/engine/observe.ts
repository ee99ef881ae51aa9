import type { Observation } from "../core/change.ts";
import type { AnyReader } from "../core/operation.ts";
import { type Problem, ProblemError } from "../core/problem.ts";
import type { Address } from "../core/resource.ts";
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
import { withoutDelivery } from "./secrets/undelivered.ts";
import type { Sessions } from "./session.ts";

/** What reading depends on besides the services. */
type Moment = Pick<Declarations, "now" | "undelivered">;

/** The reading half of a service's client. Throws `ProblemError` where the service cannot be asked at all. */
export type Readers = (service: string) => AnyReader;

/** One reader a service, for the life of one run of `observe` and what shares its readings. */
export function openReaders(sessions: Sessions): Readers {
  const readers = new Map<string, AnyReader>();
  return (service) => {
    const reader = readers.get(service) ?? sessions.get(service)?.reader() ?? {};
    readers.set(service, reader);
    return reader;
  };
}

/**
 * Observes all that is declared now or was at the base and decides about it, then observes what changes refer to without
 * declaring it. Services and scopes are read side by side, one reading a scope; what cannot be read is unknown.
 */
export async function observe(declarations: Declarations, readers: Readers): Promise<Observed> {
  const decided = await observeSubjects(declarations, subjectsOf(declarations), readers);
  return { decided, undeclared: await observeTargets(undeclaredTargets(declarations, decided), readers, declarations) };
}

/** Observes some of what is declared, and decides about it. */
export async function observeSubjects(
  declarations: Declarations,
  subjects: readonly Subject[],
  readers: Readers,
): Promise<readonly Decided[]> {
  return decideAll(declarations, subjects, await observeTargets(targetsOf(subjects), readers, declarations));
}

/** Observes the targets, one reading a scope of a kind. */
async function observeTargets(
  targets: readonly Target[],
  readers: Readers,
  moment: Moment,
): Promise<ReadonlyMap<Address, Observation>> {
  const scopes = Map.groupBy(targets, ({ service, kind, scope }) => JSON.stringify([service, kind.kind, scope]));
  const readings = await Promise.all([...scopes.values()].map((group) => observeScope(group, readers, moment)));
  return new Map(readings.flat());
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
    const found = await kind.observe(readers(service), scope, wanted, now);
    return targets.flatMap(({ address, specs: [spec] }) => {
      const observation = found.get(kind.key(spec));
      if (observation === undefined) return [];
      const seen = undelivered?.has(address) === true ? withoutDelivery(observation) : observation;
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
