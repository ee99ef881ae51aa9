import { namePattern } from "../core/glob.ts";
import { type Kind, rolesOf } from "../core/kind.ts";
import type { UnknownResource } from "../core/plan.ts";
import { problemsOf } from "../core/problem.ts";
import { type Address, formatAddress, type Place, type Resource } from "../core/resource.ts";
import { oneServer, type Service } from "../core/service.ts";
import type { Exclusive } from "../manifests/workspace/read-workspace.ts";
import { kindOf } from "../planner/guards.ts";
import type { Selectable } from "../planner/selection.ts";
import type { Readers } from "./sessions.ts";

/** Live objects that no manifest names. */
export interface Undeclared {
  /** Of exclusive kinds: they should not exist. */
  readonly unwanted: readonly Resource[];
  /** All others that were requested. */
  readonly unmanaged: readonly Address[];
  /** Lists that could not be read, each as `service/Kind/*`: nothing is deleted on a guess. */
  readonly unlisted: readonly UnknownResource[];
}

/** What to list and how. */
export interface Listing {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly services: readonly Service[];
  readonly declared: readonly Resource[];
  readonly exclusive: readonly Exclusive[];
  /** Whether to list the other declared kinds too. */
  readonly unmanaged: boolean;
  /** Whether this run includes a resource. */
  readonly selected: (resource: Selectable) => boolean;
  /** Whether this run can include live objects of a service's kind that nobody declares. */
  readonly reaches: (service: string, kind: string) => boolean;
  readonly readers: Readers;
  readonly now: Date;
}

/** Lists the live objects of exclusive kinds, and of all declared kinds if requested, without what is declared. */
export async function listUndeclared(listing: Listing): Promise<Undeclared> {
  const { kinds, services, declared, exclusive, unmanaged } = listing;
  const servers = oneServer(services);
  // What one service of a server declares, another one must not take away.
  const addresses = new Set(
    declared.flatMap(({ service, kind, key }) =>
      (servers.get(service) ?? [service]).map((name) => formatAddress(name, kind, key)),
    ),
  );
  const declaredKinds = new Set(declared.map(kindOf));
  // Others are listed in no case, and may not even be loaded.
  const asked = new Set([...exclusive, ...(unmanaged ? declared : [])].map(({ kind }) => kind));
  const lists = services.flatMap((service) =>
    [...kinds.keys()]
      .flatMap((name) => (asked.has(name) ? (kinds.get(name) ?? []) : []))
      .filter((kind) => kind.list !== undefined && rolesOf(kind).includes(service.role))
      .filter((kind) => listing.reaches(service.name, kind.kind))
      .map((kind) => ({
        kind,
        service: service.name,
        rules: exclusive.filter((rule) => rule.kind === kind.kind && (rule.service ?? service.name) === service.name),
        isDeclared: declaredKinds.has(kindOf({ service: service.name, kind: kind.kind })),
      }))
      .filter(({ rules, isDeclared }) => rules.length > 0 || (unmanaged && isDeclared)),
  );
  const found = await Promise.all(
    lists.map(async ({ kind, service, rules }): Promise<Undeclared> => {
      if (rules.length === 0 && kind.names !== undefined) return namedOnly({ kind, service }, addresses, listing);
      const { live, unlisted } = await liveObjects({ kind, service }, { ...listing, place: rules[0]?.place });
      const others = live.filter((resource) => !addresses.has(resource.address) && listing.selected(resource));
      const stays = namePattern(rules.flatMap(({ except }) => except));
      const isUnwanted = ({ key }: Resource) => rules.length > 0 && !stays(key);
      return {
        unwanted: others.filter(isUnwanted),
        unmanaged: others.filter((resource) => !isUnwanted(resource)).map(({ address }) => address),
        unlisted,
      };
    }),
  );
  const objectOf = ({ service, kind, key }: Resource) => {
    const [named = service] = kinds.get(kind)?.ofAccount === true ? [] : (servers.get(service) ?? []);
    return formatAddress(named, kind, key);
  };
  const unwanted = found.flatMap((one) => one.unwanted);
  return {
    // What two services of a server list is one object.
    unwanted: [...Map.groupBy(unwanted, objectOf).values()].flatMap(([first = []]) => first),
    unmanaged: found.flatMap((one) => one.unmanaged).sort(),
    unlisted: found.flatMap(({ unlisted }) => unlisted),
  };
}

/** What nobody declares of a kind of which the names are enough. */
async function namedOnly(
  { kind, service }: { readonly kind: Kind; readonly service: string },
  declared: ReadonlySet<Address>,
  { readers, selected }: Listing,
): Promise<Undeclared> {
  const { found, unlisted } = await listed({ kind, service }, async () => (await kind.names?.(readers(service))) ?? []);
  const unmanaged = [...new Set(found)]
    .map((key) => ({ address: formatAddress(service, kind.kind, key), service, kind: kind.kind, key, metadata }))
    .filter((object) => !declared.has(object.address) && selected(object));
  return { unwanted: [], unmanaged: unmanaged.map(({ address }) => address), unlisted };
}

/** What a document of an object that should not exist would state. */
const metadata: Resource["metadata"] = { labels: {}, protect: false, ignore: [], state: "absent" };

/** A listed object is in no file. */
const nowhere: Place = { file: "", line: 0, column: 0 };

/** Every live object of a kind, as a resource that should not exist; or why it cannot be listed. */
export async function liveObjects(
  { kind, service }: { readonly kind: Kind; readonly service: string },
  {
    readers,
    now,
    place = nowhere,
  }: { readonly readers: Readers; readonly now: Date; readonly place?: Place | undefined },
): Promise<{ readonly live: readonly Resource[]; readonly unlisted: readonly UnknownResource[] }> {
  const { found, unlisted } = await listed(
    { kind, service },
    async () => (await kind.list?.(readers(service), now)) ?? [],
  );
  // What a service lists twice is one object.
  const byKey = new Map(found.map((spec) => [kind.key(spec), spec]));
  const live = [...byKey].map(
    ([key, spec]): Resource => ({
      address: formatAddress(service, kind.kind, key),
      service,
      role: kind.role,
      kind: kind.kind,
      key,
      scope: kind.scope(spec),
      spec,
      metadata,
      because: `not declared, and ${kind.kind} is exclusive`,
      place,
    }),
  );
  return { live, unlisted };
}

/** What a list has, or why it cannot be read. */
async function listed<Entry>(
  { kind, service }: { readonly kind: Kind; readonly service: string },
  list: () => Promise<readonly Entry[]>,
): Promise<{ readonly found: readonly Entry[]; readonly unlisted: readonly UnknownResource[] }> {
  try {
    return { found: await list(), unlisted: [] };
  } catch (error) {
    const address = formatAddress(service, kind.kind, "*");
    const [problem] = problemsOf(error);
    return {
      found: [],
      unlisted: problem === undefined ? [] : [{ address, service, problem: { service, address, ...problem } }],
    };
  }
}
