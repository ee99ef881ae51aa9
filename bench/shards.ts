/**
 * How shards of many resources are planned, with the planner alone: `node bench/shards.ts [resources] [shards]`. Prints
 * milliseconds to divide them and to plan the largest shard, its heap in megabytes, and how evenly they are spread.
 */

import { hostingOperations } from "../src/clients/hosting/operations.ts";
import type { Observation } from "../src/core/change.ts";
import { formatAddress, type Resource } from "../src/core/resource.ts";
import { makePlan } from "../src/planner/make-plan.ts";
import { partOf } from "../src/planner/parts/part.ts";
import { decideAll, subjectsOf } from "../src/planner/subjects.ts";
import { kinds } from "../src/reconcilers/registry.ts";

const count = Number(process.argv[2] ?? 1_000_000);
const of = Number(process.argv[3] ?? 50);
const kind = kinds.get("ActionsPermission");
if (kind === undefined) throw new Error("no kind");

const desired = Array.from({ length: count }, (_, index): Resource => {
  const spec = { org: "acme", repo: `repository-${index}`, enabled: true };
  const key = kind.key(spec);
  return {
    address: formatAddress("hosting", kind.kind, key),
    service: "hosting",
    role: "hosting",
    kind: kind.kind,
    key,
    scope: kind.scope(spec),
    spec,
    metadata: { labels: {}, protect: false, ignore: [], state: "present" },
    place: { file: `manifests/${index % 100}.yaml`, line: index + 1, column: 1 },
  };
});
const declarations = { kinds, desired, base: undefined, selected: () => true, now: new Date() };
const heap = () => Math.round(process.memoryUsage().heapUsed / 1e6);
const declared = heap();

const start = performance.now();
const same = { digest: "", services: [], narrowed: false };
const first = partOf({ is: "shard", index: 1, of, ...same }, declarations);
const divided = performance.now();
if (first.is !== "shard") throw new Error("no shard");
const sizes = first.shard.resources.map((groups) => Object.values(groups).reduce((sum, keys) => sum + keys.length, 0));
const largest = 1 + sizes.indexOf(Math.max(...sizes));

const between = performance.now();
const part = partOf({ is: "shard", index: largest, of, ...same }, declarations);
const own = { ...declarations, selected: part.selected };
const subjects = subjectsOf(own);
const observations = new Map(
  subjects.map(({ address, now }, index): [string, Observation] => [
    address,
    { is: "present", marker: undefined, spec: { ...Object(now?.spec), enabled: index % 100 > 0 } },
  ]),
);
const planned = makePlan({
  ...own,
  decided: decideAll(own, subjects, observations),
  undeclared: new Map(),
  offeredBy: () => ({ table: hostingOperations, wire: "product" }),
  services: [],
  about: { command: "plan", at: new Date().toISOString(), workspace: "bench" },
  baseRef: undefined,
  unlisted: [],
  unmanaged: undefined,
  guards: { maxDeletePercent: 30, noDeletes: false },
  part,
});
const end = performance.now();
console.log(
  JSON.stringify({
    count,
    of,
    mean: count / of,
    smallest: Math.min(...sizes),
    largest: Math.max(...sizes),
    divide: Math.round(divided - start),
    shard: Math.round(end - between),
    changes: planned.is === "planned" ? planned.plan.changes.length : 0,
    declaredMegabytes: declared,
    megabytes: heap(),
  }),
);
