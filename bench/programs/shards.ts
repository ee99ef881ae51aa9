/**
 * How the largest shard of many resources is planned, with the planner alone: `node bench/programs/shards.ts [resources] [shards]`.
 * Prints milliseconds to divide all of them and to plan that shard, and of processor time in all; megabytes of heap that
 * hold what is declared, and what the shard adds to it; and how evenly they are spread.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Observation } from "../../src/core/change.ts";
import { makePlan } from "../../src/planner/make-plan.ts";
import { partOf } from "../../src/planner/parts/part.ts";
import { shardOfName } from "../../src/planner/parts/shards.ts";
import { decideAll, laneOf, subjectsOf } from "../../src/planner/subjects.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { planSettings, workflowPermissions } from "./resources.ts";

const count = Number(process.argv[2] ?? 1_000_000);
const of = Number(process.argv[3] ?? 50);
const desired = workflowPermissions(count);
const declarations = { kinds, desired, base: undefined, selected: () => true, now: new Date() };
// What a shard holds is what no collection of garbage takes away.
setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");
const held = () => {
  if (typeof collect === "function") collect();
  return Math.round(process.memoryUsage().heapUsed / 1e6);
};
const declared = held();

// Nothing here refers to anything, so a lane's name alone says its shard: the largest is known before any is divided.
const expected = Array.from({ length: of }, () => 0);
for (const one of desired) {
  const at = shardOfName(laneOf(one.service, one.scope), of) - 1;
  expected[at] = (expected[at] ?? 0) + 1;
}
const index = 1 + expected.indexOf(Math.max(...expected));

const start = performance.now();
const part = partOf({ is: "shard", index, of, digest: "", services: [], narrowed: false }, declarations);
const divided = performance.now();
if (part.is !== "shard") throw new Error("no shard");
const sizes = part.shard.resources.map((groups) => Object.values(groups).reduce((sum, keys) => sum + keys.length, 0));
if (sizes.join() !== expected.join()) throw new Error("the division is not that of the names");
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
  ...planSettings,
  part,
});
const end = performance.now();
const processor = process.cpuUsage();
console.log(
  JSON.stringify({
    count,
    of,
    mean: count / of,
    smallest: Math.min(...sizes),
    largest: Math.max(...sizes),
    divide: Math.round(divided - start),
    plan: Math.round(end - divided),
    processor: Math.round((processor.user + processor.system) / 1000),
    changes: planned.is === "planned" ? planned.plan.changes.length : 0,
    declaredMegabytes: declared,
    shardMegabytes: held() - declared,
    peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1000),
  }),
);
