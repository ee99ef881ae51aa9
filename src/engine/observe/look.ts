import type { ObjectEvent } from "../../core/change.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Address, Resource } from "../../core/resource.ts";
import type { PlannedService, UnknownResource } from "../../core/run/plan.ts";
import type { Measured } from "../../core/run/quota.ts";
import type { Service } from "../../core/service.ts";
import { type Alike, groupsBy } from "../../core/text/groups.ts";
import { type Part, type PartRequest, partOf } from "../../planner/parts/part.ts";
import type { Decided, Declarations, Observed } from "../../planner/subjects.ts";
import type { SpreadReading } from "../queue/spread.ts";
import type { Connections, Readers, Sessions } from "../sessions.ts";
import { type OnRead, observe, type ReadScopes, readingInterrupted, scopeReader } from "./observe.ts";
import { type Listing, listUndeclared } from "./undeclared.ts";

/** What the services reported about the declared resources. */
export interface Looked extends Observed {
  /** The declarations, including undeclared objects that should not exist. */
  readonly declarations: Declarations;
  /** Kinds whose live objects could not be listed, each as `service/Kind/*`. */
  readonly unlisted: readonly UnknownResource[];
  /** Undeclared live objects of the declared kinds; undefined if they were not requested. */
  readonly unmanaged: readonly Address[] | undefined;
  /** The services of the workspace. */
  readonly services: readonly Service[];
  /** The services that were looked at. */
  readonly reads: readonly PlannedService[];
  /** The measured pace and quota of each service, by name. */
  readonly measured: ReadonlyMap<string, Measured>;
  /** The part of the declared resources that was looked at. All of them unless given. */
  readonly part?: Part | undefined;
}

/** Where to look, and for what. */
export interface LookSettings extends Pick<Listing, "services" | "exclusive" | "unmanaged" | "reaches"> {
  /** Whether to ask services who changed the drifted resources, and when. */
  readonly history: boolean;
  /** The part of the declared resources to look at. All of them unless given. */
  readonly part?: PartRequest | undefined;
  readonly signal: AbortSignal;
  /** Spreads the reading of scopes over workers. Unless given, this process reads them. */
  readonly spread?: ((services: readonly Service[], own: ReadScopes) => SpreadReading) | undefined;
  /** Called with the number of scopes of a service that have been read, and the total. */
  readonly onRead?: OnRead | undefined;
}

/** Looks at the services over connections that cannot write. Throws `ProblemError` SP5003 after an interrupt. */
export async function look(stated: Declarations, settings: LookSettings, connections: Connections): Promise<Looked> {
  const { services: all, unmanaged: asked, history, part: requested, signal, spread, onRead } = settings;
  const { sessions, readers } = await connections.open(all);
  const { unwanted, unlisted, unmanaged } = await listUndeclared({ ...settings, ...stated, readers });
  const whole = withUnwanted(stated, unwanted);
  const part = requested && partOf(requested, whole);
  const declarations = part === undefined ? whole : { ...whole, selected: part.selected };
  const own = scopeReader(readers);
  const elsewhere = spread?.(all, own);
  const observed = await observe(declarations, elsewhere?.read ?? own, onRead);
  const decided = history ? await withHistory(observed.decided, readers) : observed.decided;
  if (signal.aborted) throw new ProblemError(readingInterrupted);
  const readsOf = (name: string) => (sessions.get(name)?.requests.reads ?? 0) + (elsewhere?.reads(name) ?? 0);
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
    measured: measuredIn(sessions),
    part,
  };
}

/** Returns what sessions have measured. */
export function measuredIn(sessions: Sessions): Looked["measured"] {
  return new Map([...sessions].flatMap(([name, { measured }]) => (measured === undefined ? [] : [[name, measured]])));
}

/** Declares unwanted objects absent, now and at the base, so that they count as created by someone on the service. */
export function withUnwanted(declarations: Declarations, unwanted: readonly Resource[]): Declarations {
  const { desired, base = [] } = declarations;
  if (unwanted.length === 0) return declarations;
  const before = new Set(base.map(({ address }) => address));
  const others = unwanted.filter(({ address }) => !before.has(address));
  return { ...declarations, desired: [...desired, ...unwanted], base: [...base, ...others] };
}

/**
 * Adds the history that services have of changes, with one question for each scope of a kind. History is read after deciding,
 * and only for what the services changed. A service that does not answer changes nothing.
 */
async function withHistory(decided: readonly Decided[], readers: Readers): Promise<readonly Decided[]> {
  const moved = decided.filter(
    ({ kind, decision }) =>
      kind.history !== undefined && decision.is === "change" && decision.change.verdict !== "pending",
  );
  const scopes = groupsBy(moved, ({ service, kind, scope }) => [service, kind.kind, scope]);
  const told = await Promise.all(
    scopes.map(async (group) => {
      const events = await historyOf(group, readers);
      return group.all.map(({ address }) => [address, events] as const);
    }),
  );
  const eventsOf = new Map(told.flat());
  return decided.map((subject) => {
    const events = eventsOf.get(subject.address);
    return events === undefined ? subject : { ...subject, events };
  });
}

async function historyOf({ first, all }: Alike<Decided>, readers: Readers): Promise<readonly ObjectEvent[]> {
  const changes = all.flatMap(({ decision }) => (decision.is === "change" ? [decision.change] : []));
  try {
    return (await first.kind.history?.(readers(first.service), first.scope, changes)) ?? [];
  } catch (error) {
    if (error instanceof ProblemError) return [];
    throw error;
  }
}
