import { hash } from "node:crypto";
import type { Shard } from "../../core/run/part.ts";
import { inOrder } from "../../core/text/words.ts";
import { type Declarations, eachSubject, laneOf, mayGo, refers, tiesOf } from "../subjects.ts";

/** The number of a shard, from 1, and the number of shards. */
export type ShardNumber = Pick<Shard, "index" | "of">;

/**
 * Returns a function from a lane to its shard. A lane is never divided, and neither are resources that refer to each other, so
 * shards can be planned independently. A hash decides, so that a resource keeps its shard, and the readings cached there,
 * whatever else is declared.
 */
export function shardsOf(declarations: Declarations, of: number): (lane: string) => number {
  const joined = joining();
  const going = servicesWithDeletes(declarations);
  // No lane starts with a newline: each starts with the name of a service.
  const referring = (service: string) => `\n${service}`;
  for (const { subject, leadsTo } of tiesOf(declarations)) {
    const { lane, service } = subject;
    for (const target of leadsTo) joined.join(lane, laneOf(target.service, target.scope));
    if (mayGo(subject) || (refers(subject) && going.has(service))) joined.join(lane, referring(service));
  }
  const first = new Map<string, string>();
  for (const lane of joined.all()) {
    const root = joined.rootOf(lane);
    const before = first.get(root);
    if (!lane.startsWith("\n") && (before === undefined || inOrder(lane, before) < 0)) first.set(root, lane);
  }
  const shards = new Map([...first].map(([root, lane]) => [root, shardOfName(lane, of)]));
  return (lane) => shards.get(joined.rootOf(lane)) ?? shardOfName(lane, of);
}

/** Returns the services on which something may be deleted. */
function servicesWithDeletes(declarations: Declarations): ReadonlySet<string> {
  const services = new Set<string>();
  for (const subject of eachSubject({ ...declarations, selected: () => true }))
    if (mayGo(subject)) services.add(subject.service);
  return services;
}

/** Returns the shard, counted from 1, that a name alone determines. */
export function shardOfName(name: string, of: number): number {
  return 1 + (Number.parseInt(hash("sha256", name).slice(0, 12), 16) % of);
}

/** Returns disjoint sets of names that can be joined: union-find. */
function joining() {
  const above = new Map<string, string>();
  function rootOf(name: string): string {
    let root = name;
    for (let next = above.get(root); next !== undefined && next !== root; next = above.get(root)) root = next;
    for (let at = name; at !== root; ) {
      const next = above.get(at) ?? root;
      above.set(at, root);
      at = next;
    }
    return root;
  }
  return {
    rootOf,
    /** Returns all names that were joined to another. */
    all: () => above.keys(),
    join(a: string, b: string): void {
      for (const name of [a, b]) if (!above.has(name)) above.set(name, name);
      above.set(rootOf(a), rootOf(b));
    },
  };
}
