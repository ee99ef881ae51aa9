import { numbered } from "../../core/call.ts";
import type { Problem, Wrong } from "../../core/problem.ts";
import type { Address } from "../../core/resource.ts";
import type { Shard } from "../../core/run/part.ts";
import type { Plan, PlannedService, UnknownResource } from "../../core/run/plan.ts";
import { defined, withoutRepeats } from "../../core/text/json.ts";
import { momentText } from "../../core/text/moment.ts";
import { counted, inOrder, shortCommit } from "../../core/text/words.ts";
import { writesIn } from "../compile.ts";
import { forecastOf } from "../forecast.ts";
import { execRefusals, refusals } from "../guards.ts";
import { shardOfName } from "./shards.ts";

/** The plan of all shards, or why they cannot be merged. */
export type Merged = { readonly is: "merged"; readonly plan: Plan } | Wrong;

/**
 * Merges shards into the plan that a single run would have made. Resources that no shard has looked at are unknown. The result
 * is a report: its calls are not applied, and it has no triggers.
 */
export function mergeShards(files: readonly { readonly file: string; readonly plan: Plan }[]): Merged {
  const { shards: given, problems } = shardFiles(files);
  const shards = given.toSorted((a, b) => a.shard.index - b.shard.index);
  const [first] = shards;
  if (first === undefined || problems.length > 0) return { is: "wrong", problems };
  const { shard } = first;
  const indexes = new Set(shards.map((one) => one.shard.index));
  const { owners, held } = holding(shards);
  const parts = shards.map((one) => ownPart(one, owners));
  const plans = parts.map(({ plan }) => plan);
  const changes = byAddress(plans.flatMap((plan) => plan.changes));
  const sent = plans.flatMap((plan) => plan.calls);
  const calls = numbered(sent.toSorted((a, b) => a.phase - b.phase || inOrder(a.lane, b.lane)));
  const missing = missingOf(first, indexes, { owners, held });
  const deletable = new Set(shards.flatMap((one) => one.shard.protected));
  const live = summed(shards.map((one) => one.shard.live));
  const latest = shards.reduce((a, b) => (a.plan.about.at < b.plan.about.at ? b : a)).plan;
  const newlyAcknowledged = byAddress(plans.flatMap((plan) => plan.newlyAcknowledged ?? []));
  const newlyDelivered = byAddress(plans.flatMap((plan) => plan.newlyDelivered ?? []));
  const warnings = withoutRepeats([...shards.flatMap((one) => one.plan.warnings ?? []), ...gaps(shard, indexes)]);
  const labels = plans.flatMap((plan) => Object.entries(plan.labels ?? {}));
  const services = forecastOf(plans, latest.about.at);
  const { shard: _shard, ...common } = first.plan;
  const refused = [
    ...refusals(changes, live, (address) => deletable.has(address), shard.guards, common.consented),
    ...execRefusals(calls, shard.guards),
  ];
  const plan: Plan = {
    ...common,
    about: latest.about,
    ...defined({ basis: latest.basis }),
    services: servicesOf(shard.services, shards, missing),
    changes,
    inSync: plans.flatMap(({ inSync }) => inSync).sort(inOrder),
    unknown: unknownOf(plans, held, missing),
    ignored: byAddress(plans.flatMap(({ ignored }) => ignored)),
    ...(newlyAcknowledged.length === 0 ? {} : { newlyAcknowledged }),
    ...(newlyDelivered.length === 0 ? {} : { newlyDelivered }),
    ...(common.unmanaged === undefined
      ? {}
      : { unmanaged: [...new Set(shards.flatMap((one) => one.plan.unmanaged ?? []))].sort() }),
    ...(warnings.length === 0 ? {} : { warnings }),
    refusals: refused,
    ...(labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }),
    calls,
    forecast: {
      writes: writesIn(calls),
      verifyScopes: new Set(calls.map(({ lane }) => lane)).size,
      ...(refused.length > 0 || Object.keys(services).length === 0 ? {} : { services }),
    },
    fingerprints: Object.assign({}, ...plans.map(({ fingerprints }) => fingerprints)),
  };
  return { is: "merged", plan };
}

/**
 * Returns two maps by address. `owners` has the shard that decides about a resource. `held` has every resource that any shard
 * knows, with the shard that should hold it.
 */
function holding(shards: readonly ShardPlan[]) {
  const owners = new Map<Address, number>();
  const held = new Map<Address, number>();
  const told = new Set<Shard["resources"]>();
  for (const { shard } of shards) {
    for (const address of addressesOf(shard.resources[shard.index - 1] ?? {}))
      if (!owners.has(address)) owners.set(address, shard.index);
    if (told.has(shard.resources)) continue;
    told.add(shard.resources);
    for (const [at, groups] of shard.resources.entries())
      for (const address of addressesOf(groups)) if (!held.has(address)) held.set(address, at + 1);
  }
  return { owners, held };
}

function* addressesOf(groups: Shard["resources"][number]): Generator<Address, void> {
  for (const [group, keys] of Object.entries(groups)) for (const key of keys) yield `${group}/${key}`;
}

/** Returns a shard without resources that an earlier one covers: a list that grew between them may have moved a resource. */
function ownPart({ plan, shard }: ShardPlan, owners: ReadonlyMap<Address, number>): ShardPlan {
  const isOwn = (address: Address) => (owners.get(address) ?? shard.index) === shard.index;
  const own = <T extends { readonly address: Address }>(all: readonly T[]) =>
    all.filter(({ address }) => isOwn(address));
  return {
    shard,
    plan: {
      ...plan,
      changes: own(plan.changes),
      inSync: plan.inSync.filter(isOwn),
      unknown: own(plan.unknown),
      ignored: own(plan.ignored),
      ...defined({
        newlyAcknowledged: plan.newlyAcknowledged && own(plan.newlyAcknowledged),
        newlyDelivered: plan.newlyDelivered && own(plan.newlyDelivered),
      }),
      calls: plan.calls.filter(({ carries }) => carries.some(isOwn)),
    },
  };
}

/** Returns the declared resources that no shard has looked at, and the lists of unmanaged ones that a missing shard would have read. */
function missingOf(
  { plan: { unmanaged }, shard: { of } }: ShardPlan,
  given: ReadonlySet<number>,
  { owners, held }: ReturnType<typeof holding>,
): readonly UnknownResource[] {
  const kinds = new Set(unmanaged && [...held.keys()].map((address) => address.split("/", 2).join("/")));
  const lists = [...kinds].map((kind) => [`${kind}/*`, shardOfName(kind, of)] as const);
  return [...held, ...lists.filter(([, index]) => !given.has(index))].flatMap(([address, index]) => {
    if (owners.has(address)) return [];
    const [service = ""] = address.split("/", 1);
    const message = given.has(index)
      ? "No shard has looked at it: a list of the service was different when that shard ran."
      : `Not looked at: shard ${index} of ${of} is missing.`;
    return [{ address, service, problem: { code: "SP2007", service, address, message, hint: again } }];
  });
}

const again = "Run that shard again, and merge all of them.";

/** Returns a warning for each missing shard. */
function gaps({ resources, of }: Shard, given: ReadonlySet<number>): readonly Problem[] {
  return resources.flatMap((groups, at): readonly Problem[] => {
    if (given.has(at + 1)) return [];
    const count = Object.values(groups).reduce((sum, keys) => sum + keys.length, 0);
    const message = `Shard ${at + 1} of ${of} is missing: it would have looked at ${counted(count, "resource")}.`;
    return [{ code: "SP2007", message, hint: again }];
  });
}

/** Returns unknown resources by address, as in a single plan, then the lists that could not be read. */
function unknownOf(
  plans: readonly Plan[],
  held: ReadonlyMap<Address, number>,
  missing: readonly UnknownResource[],
): readonly UnknownResource[] {
  const all = [...plans.flatMap(({ unknown }) => unknown), ...missing];
  const lists = all.filter(({ address }) => !held.has(address));
  return [
    ...byAddress(all.filter(({ address }) => held.has(address))),
    // Every shard reads the lists that determine what to look at, so they are deduplicated.
    ...byAddress([...new Map(lists.map((one) => [one.address, one])).values()]),
  ];
}

/** Returns the services that a shard has looked at, or that a missing shard would have looked at. */
function servicesOf(
  services: Shard["services"],
  shards: readonly ShardPlan[],
  missing: readonly UnknownResource[],
): readonly PlannedService[] {
  const all = shards.flatMap(({ plan }) => plan.services);
  const byName = Map.groupBy(all, ({ name }) => name);
  const lost = new Set(missing.map(({ service }) => service));
  return services.flatMap((service) => {
    const seen = byName.get(service.name) ?? [];
    if (seen.length === 0 && !lost.has(service.name)) return [];
    return [{ ...service, reads: seen.reduce((sum, { reads }) => sum + reads, 0) }];
  });
}

function summed(all: readonly Readonly<Record<string, number>>[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [name, value] of all.flatMap((one) => Object.entries(one))) sums.set(name, (sums.get(name) ?? 0) + value);
  return sums;
}

function byAddress<T extends { readonly address: Address }>(all: readonly T[]): readonly T[] {
  return all.toSorted((a, b) => inOrder(a.address, b.address));
}

interface ShardPlan {
  readonly plan: Plan;
  readonly shard: Shard;
}

/** Returns the shards among the files, and an SP2006 problem for each file that cannot be merged with the first shard. */
function shardFiles(files: readonly { readonly file: string; readonly plan: Plan }[]) {
  const shards = files.flatMap(({ file, plan }) =>
    plan.shard === undefined ? [] : [{ file, plan, shard: plan.shard }],
  );
  const problems = files.flatMap(({ file, plan }): Problem[] =>
    plan.shard === undefined ? [wrong(`${file} is not a shard: it was made without --shard.`)] : [],
  );
  const [first, ...others] = shards;
  if (first === undefined) return { shards, problems };
  const seen = new Map([[first.shard.index, first.file]]);
  for (const { file, plan, shard } of others) {
    const before = seen.get(shard.index);
    const said = difference(first, { plan, shard });
    if (said !== undefined) problems.push(wrong(`${file} does not belong to ${first.file}: ${said}.`));
    else if (before !== undefined) problems.push(wrong(`${file} is shard ${shard.index}, and so is ${before}.`));
    else seen.set(shard.index, file);
  }
  return { shards, problems };
}

/** The most milliseconds between shards of one run: the shards of the night before are about twice as old. */
const oneNight = 12 * 3_600_000;

/** Returns why two plans are not shards of one run; undefined if they are. */
function difference(a: ShardPlan, b: ShardPlan): string | undefined {
  const [at, other] = [b.plan.about.at, a.plan.about.at];
  if (a.plan.about.command !== b.plan.about.command)
    return `it is from ${b.plan.about.command} and the other one from ${a.plan.about.command}`;
  if (a.shard.of !== b.shard.of) return `it is one of ${b.shard.of} shards and the other one of ${a.shard.of}`;
  if (a.shard.commit !== b.shard.commit)
    return `its commit is ${shortCommit(b.shard.commit)} and the other one's is ${shortCommit(a.shard.commit)}`;
  if (a.shard.digest !== b.shard.digest) return "the manifests, the base, the rules or the options differ";
  if (Math.abs(Date.parse(at) - Date.parse(other)) > oneNight)
    return `it is of ${momentText(at)} and the other one of ${momentText(other)}`;
  return undefined;
}

function wrong(message: string): Problem {
  const hint =
    "Make all shards with the same command at the same commit, each number once: --shard 1/n to --shard n/n.";
  return { code: "SP2006", message, hint };
}
