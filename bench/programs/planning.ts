/**
 * How long a plan takes in memory: `node bench/programs/planning.ts [resources] [share that changes, in percent]`. Prints
 * milliseconds of deciding and of planning, their processor time, and the megabytes of the heap in use at the end.
 */

import type { Observation } from "../../src/core/change.ts";
import { makePlan } from "../../src/planner/make-plan.ts";
import { decideAll, subjectsOf, undeclaredTargets } from "../../src/planner/subjects.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { planSettings, workflowPermissions } from "./resources.ts";

const count = Number(process.argv[2] ?? 100_000);
const percent = Number(process.argv[3] ?? 1);
const desired = workflowPermissions(count);
const observations = new Map(
  desired.map(({ address, spec }, index): [string, Observation] => [
    address,
    { is: "present", marker: undefined, spec: index % 100 < percent ? { ...Object(spec), enabled: false } : spec },
  ]),
);
const declarations = { kinds, desired, base: undefined, selected: () => true, now: new Date() };

const start = performance.now();
const used = process.cpuUsage();
const decided = decideAll(declarations, subjectsOf(declarations), observations);
const wanted = new Set(undeclaredTargets(declarations, decided).map(({ address }) => address));
const undeclared = new Map([...observations].filter(([address]) => wanted.has(address)));
const between = performance.now();
const usedToDecide = process.cpuUsage(used);
const planned = makePlan({
  ...declarations,
  decided,
  undeclared,
  ...planSettings,
});
const end = performance.now();
const usedInAll = process.cpuUsage(used);
const calls = planned.is === "planned" ? planned.plan.calls.length : 0;
const heap = Math.round(process.memoryUsage().heapUsed / 1e6);
console.log(
  JSON.stringify({
    count,
    calls,
    decide: Math.round(between - start),
    plan: Math.round(end - between),
    heap,
    processor: Math.round((usedInAll.user + usedInAll.system) / 1000),
    processorToDecide: Math.round((usedToDecide.user + usedToDecide.system) / 1000),
  }),
);
