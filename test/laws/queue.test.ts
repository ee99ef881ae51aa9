import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../../src/clients/http/clock.ts";
import type { Plan } from "../../src/core/plan.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { situation, written } from "../support/generate.ts";
import { openLab } from "../support/lab.ts";
import { memoryQueue } from "../support/queue.ts";
import { exampleOf, exampleWorld } from "../support/worlds/examples.ts";
import { lawRuns } from "../support/worlds/parts.ts";

const openQueue = memoryQueue({ ...systemClock, wait: async () => {} });

/** A plan without numbers of requests: the worker and the process that plans each ask whether the service is there. */
function withoutReads({ services, forecast: _counted, ...plan }: Plan): unknown {
  return { ...plan, services: services.map(({ reads: _reads, ...service }) => service) };
}

test("what workers read leads to the plan that this process makes by itself", async () => {
  await fc.assert(
    fc.asyncProperty(situation, async ({ world, now, base }) => {
      await using lab = await openLab({ world, now: new Date() });
      const manifests = { now: written(now), base: written(base) };
      const spread = await lab.another({ openQueue }).plan(manifests);
      expect(withoutReads(spread)).toEqual(withoutReads(await lab.plan(manifests)));
    }),
    { numRuns: lawRuns },
  );
});

test("that holds for the example of every kind, and for everything that can be imported", async () => {
  await using lab = await openLab({ world: exampleWorld(), now: new Date() });
  const imported = await lab.imported();
  for (const manifests of [...(await Promise.all([...kinds.keys()].map(exampleOf))), imported]) {
    const spread = await lab.another({ openQueue }).plan(manifests);
    expect(withoutReads(spread)).toEqual(withoutReads(await lab.plan(manifests)));
  }
});
