import { type Kind, rolesOf } from "../../core/kind.ts";
import { once } from "../../core/once.ts";
import { firstProblem, type Problem } from "../../core/problem.ts";
import { type Address, formatAddress, type Place, type Resource } from "../../core/resource.ts";
import type { UnknownResource } from "../../core/run/plan.ts";
import { oneServer, type Service } from "../../core/service.ts";
import { namePattern } from "../../core/text/glob.ts";
import { groupsBy } from "../../core/text/groups.ts";
import { withoutRepeats } from "../../core/text/json.ts";
import type { Exclusive } from "../../manifests/workspace/read-workspace.ts";
import { kindOf } from "../../planner/guards.ts";
import type { Declarations } from "../../planner/subjects.ts";
import type { Readers } from "../sessions.ts";

/** Live objects that no manifest declares. */
export interface Undeclared {
  /** Objects of exclusive kinds: they should not exist. */
  readonly unwanted: readonly Resource[];
  /** All other objects that were requested. */
  readonly unmanaged: readonly Address[];
  /** Lists that could not be read, each as `service/Kind/*`, and what others leave out: nothing is deleted on a guess. */
  readonly unlisted: readonly UnknownResource[];
}

/** What to list, and how. */
export interface Listing extends Pick<Declarations, "kinds" | "desired" | "selected" | "now"> {
  readonly services: readonly Service[];
  readonly exclusive: readonly Exclusive[];
  /** Whether to list the other declared kinds too. */
  readonly unmanaged: boolean;
  /** Whether this run can include undeclared live objects of a kind on a service. */
  readonly reaches: (service: string, kind: string) => boolean;
  readonly readers: Readers;
}

/** Lists the undeclared live objects of exclusive kinds and, if requested, of all declared kinds. */
export async function listUndeclared(listing: Listing): Promise<Undeclared> {
  const { kinds, services, desired, exclusive, unmanaged } = listing;
  const { isNamed, isClaimed } = declaredPredicates(listing);
  const declaredKinds = new Set(desired.map(kindOf));
  // Other kinds are never listed, and might not even be loaded.
  const asked = new Set([...exclusive, ...(unmanaged ? desired : [])].map(({ kind }) => kind));
  const lists = services.flatMap((service) =>
    [...kinds.keys()]
      .flatMap((name) => (asked.has(name) ? (kinds.get(name) ?? []) : []))
      .filter((kind) => rolesOf(kind).includes(service.role))
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
      const named = rules.length === 0 ? kind.names : undefined;
      const { live, unlisted } = await liveObjects({ kind, service, named }, { ...listing, place: rules[0]?.place });
      const others = live.filter((resource) => !isNamed(resource) && listing.selected(resource));
      const stays = namePattern(rules.flatMap(({ except }) => except));
      const isUnwanted = ({ key }: { readonly key: string }) => rules.length > 0 && !stays(key);
      const rest = unlisted.filter((one) => !isNamed(one) && (unmanaged || isUnwanted(one)));
      // What no manifest can declare is there; what cannot be read might be anything.
      const isThere = (one: LeftOut) => one.problem.code === "SP1020" && !isUnwanted(one);
      return {
        // Includes objects that another resource claims in part: the plan keeps the claimed part and deletes the rest.
        unwanted: others.filter(isUnwanted),
        unmanaged: unmanaged
          ? [...others.filter((one) => !isUnwanted(one) && !isClaimed(one)), ...rest.filter(isThere)].map(
              ({ address }) => address,
            )
          : [],
        unlisted: rest.filter((one) => !isThere(one)).map(({ key: _key, ...one }) => one),
      };
    }),
  );
  const servers = oneServer(services);
  const objectOf = ({ service, kind, key }: Resource) => {
    const [named = service] = kinds.get(kind)?.ofAccount === true ? [] : (servers.get(service) ?? []);
    return formatAddress(named, kind, key);
  };
  const unwanted = found.flatMap((one) => one.unwanted);
  return {
    // An object listed by two services of one server is a single object.
    unwanted: groupsBy(unwanted, objectOf).map(({ first }) => first),
    unmanaged: found.flatMap((one) => one.unmanaged).sort(),
    unlisted: found.flatMap(({ unlisted }) => unlisted),
  };
}

/** Returns predicates: whether an object is declared under its address, and whether it is claimed as a part or under another name. */
export function declaredPredicates({ kinds, services, desired }: Pick<Listing, "kinds" | "services" | "desired">) {
  const servers = oneServer(services);
  // What one service of a server declares, another service of that server must not delete.
  const addresses = new Set(
    desired.flatMap(({ address, service, kind, key }) => {
      const names = servers.get(service) ?? [];
      return names.length < 2 ? [address] : names.map((name) => formatAddress(name, kind, key));
    }),
  );
  const claimsOf = ({ service, kind, spec }: Resource) =>
    (kinds.get(kind)?.claims?.(spec) ?? []).map((claim) => `${servers.get(service)?.[0] ?? service} ${claim}`);
  const claims = once(() => new Set(desired.flatMap(claimsOf)));
  return {
    isNamed: ({ address }: Pick<Resource, "address">) => addresses.has(address),
    isClaimed: (resource: Resource) => claimsOf(resource).some((claim) => claims().has(claim)),
  };
}

/** The metadata of an object that should not exist. */
const metadata: Resource["metadata"] = { labels: {}, protect: false, ignore: [], state: "absent" };

/** The place of a listed object, which is in no file. */
const nowhere: Place = { file: "", line: 0, column: 0 };

const indistinct = "Rename one of them on the service, for example without a colon, and list them again.";

/** Live objects that a list leaves out: one, or all whose keys begin with what precedes a final `*`. */
interface LeftOut extends UnknownResource {
  readonly key: string;
}

/**
 * Lists every live object of a kind, each as a resource that should not exist, or why they cannot be listed. With `named`,
 * specifications have only what identifies the object. What is left out is `unlisted`.
 */
export async function liveObjects(
  { kind, service, named }: { readonly kind: Kind; readonly service: string; readonly named?: Kind["names"] },
  { readers, now, place = nowhere }: Pick<Listing, "readers" | "now"> & { readonly place?: Place | undefined },
): Promise<{ readonly live: readonly Resource[]; readonly unlisted: readonly LeftOut[] }> {
  const leftOut: LeftOut[] = [];
  const leaveOut = (key: string, problem: Problem) => {
    const address = formatAddress(service, kind.kind, key);
    leftOut.push({ key, address, service, problem: { service, address, ...problem } });
  };
  try {
    const reader = readers(service);
    const found = (await (named?.(reader) ?? kind.list?.(reader, now, leaveOut))) ?? [];
    const live = [...Map.groupBy(found, (spec) => kind.key(spec))].flatMap(([key, all]): readonly Resource[] => {
      const address = formatAddress(service, kind.kind, key);
      // An object that the service lists twice is a single object.
      const [spec, ...others] = withoutRepeats(all);
      if (others.length > 0) {
        leaveOut(key, {
          code: "SP1020",
          message: `Several objects would have the address ${address}.`,
          hint: indistinct,
        });
        return [];
      }
      return [
        {
          address,
          service,
          role: kind.role,
          kind: kind.kind,
          key,
          scope: kind.scope(spec),
          spec,
          metadata,
          because: `is not declared, and ${kind.kind} is exclusive`,
          place,
        },
      ];
    });
    return { live, unlisted: leftOut };
  } catch (error) {
    leaveOut("*", firstProblem(error));
    return { live: [], unlisted: leftOut.slice(-1) };
  }
}
