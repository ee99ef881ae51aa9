import type { Address } from "../../core/resource.ts";
import type { Affected, Shard } from "../../core/run/part.ts";
import type { PlannedChange } from "../../core/run/plan.ts";
import { defined } from "../../core/text/json.ts";
import { type Guards, kindOf } from "../guards.ts";
import { type Declarations, eachSubject, type Subject, subjectsOf, tiesOf } from "../subjects.ts";
import { affectedBy } from "./affected.ts";
import { type ShardNumber, shardsOf } from "./shards.ts";

/** A request for the part of the declared resources that a run looks at. */
export type PartRequest =
  | {
      readonly is: "affected";
      /** Resources that the manifests changed since the base. */
      readonly changed: ReadonlySet<Address>;
      /** Whether the rules for a kind of a service have changed since the base, so that any of its resources may have changed. */
      readonly isTouched: (service: string, kind: string) => boolean;
      /** The services and kinds of those rules. */
      readonly rules: readonly string[];
    }
  | ({ readonly is: "shard" } & ShardNumber & Pick<Shard, "digest" | "commit" | "services" | "narrowed">);

/** A part, with what a plan says about it. Resources that it leaves out still count as declared. */
export type Part =
  | {
      readonly is: "affected";
      readonly selected: Declarations["selected"];
      readonly affected: Affected;
      /** How many declared resources are left out, by `service/Kind`: the share of deletes counts them as live. */
      readonly unseen: ReadonlyMap<string, number>;
    }
  | {
      readonly is: "shard";
      readonly selected: Declarations["selected"];
      readonly shard: Omit<Shard, "live" | "protected" | "guards">;
    };

/** Finds the requested part of the declared resources, including those declared from the lists of services. */
export function partOf(request: PartRequest, declarations: Declarations): Part {
  return request.is === "affected" ? affectedPart(request, declarations) : shardPart(request, declarations);
}

function affectedPart(
  { changed, isTouched, rules }: Extract<PartRequest, { readonly is: "affected" }>,
  declarations: Declarations,
): Part {
  const { selected } = declarations;
  const chosen = subjectsOf(declarations);
  const needed = affectedBy(
    [...tiesOf(declarations)],
    ({ subject }) => changed.has(subject.address) || isTouched(subject.service, subject.kind.kind),
  );
  const others = chosen.filter(({ address }) => !needed.has(address));
  return {
    is: "affected",
    selected: (resource) => needed.has(resource.address) && selected(resource),
    affected: {
      resources: chosen.length - others.length,
      others: others.length,
      ...(rules.length === 0 ? {} : { rules }),
    },
    unseen: counts(others.filter(({ now }) => now?.metadata.state === "present")),
  };
}

function shardPart(
  { is: _is, ...shard }: Extract<PartRequest, { readonly is: "shard" }>,
  declarations: Declarations,
): Part {
  const { selected } = declarations;
  const { index, of } = shard;
  const shardAt = shardsOf(declarations, of);
  const own = new Set<Address>();
  const keys = Array.from({ length: of }, (): Record<string, string[]> => ({}));
  for (const subject of eachSubject({ ...declarations, selected: () => true })) {
    const { address, service, kind, lane, now, base } = subject;
    const at = shardAt(lane);
    if (at === index) own.add(address);
    const groups = keys[at - 1];
    const stated = now ?? base;
    if (groups === undefined || stated === undefined || !selected(stated)) continue;
    const group = kindOf({ service, kind: kind.kind });
    groups[group] ??= [];
    groups[group].push(address.slice(group.length + 1));
  }
  return {
    is: "shard",
    selected: (resource) => own.has(resource.address) && selected(resource),
    shard: { ...shard, resources: keys },
  };
}

function counts(subjects: readonly Subject[]): ReadonlyMap<string, number> {
  const groups = Map.groupBy(subjects, ({ service, kind }) => kindOf({ service, kind: kind.kind }));
  return new Map([...groups].map(([group, { length }]) => [group, length]));
}

/** Returns what a shard's plan adds for the merged plan: what was seen in the shard, and the guards that judge the whole. */
export function shardMembers(
  { shard }: Extract<Part, { readonly is: "shard" }>,
  changes: readonly PlannedChange[],
  live: ReadonlyMap<string, number>,
  isProtected: (address: Address) => boolean,
  { maxDeletes, maxDeletePercent, accept = [], noDeletes, noExec = false }: Guards,
): Shard {
  const deletes = changes.filter(({ action }) => action === "delete").map(({ address }) => address);
  return {
    ...shard,
    live: Object.fromEntries(live),
    protected: deletes.filter(isProtected),
    guards: defined({ maxDeletes, maxDeletePercent, accept, noDeletes, noExec }),
  };
}
