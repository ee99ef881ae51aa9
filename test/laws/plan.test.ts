import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../../src/clients/http/clock.ts";
import type { Plan, PlannedChange } from "../../src/core/run/plan.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import type { World } from "../../src/sandbox/world.ts";
import { addressOf, type Situation, situation, written } from "../support/generate.ts";
import { openDirectLab } from "../support/lab.ts";
import { memoryQueue } from "../support/queue.ts";
import { exampleOf, exampleWorld } from "../support/worlds/examples.ts";
import { type Declared, lawRuns } from "../support/worlds/parts.ts";

/** Returns the addresses to which a document refers, without the service. */
function referencesOf({ kind: name, spec }: Declared): readonly string[] {
  const kind = kinds.get(name);
  return (kind?.references?.(kind.spec.parse(spec)) ?? []).map(
    (reference) => `${reference.kind}/${kinds.get(reference.kind)?.key(reference.identity)}`,
  );
}

/** Returns a test of whether the live object has the references of its document: only those hold back a delete. */
function isLive({ analysis }: World): (declared: Declared) => boolean {
  const membersOf = (group: unknown) => new Set<unknown>(analysis.groups.find(({ name }) => name === group)?.users);
  return ({ kind, spec }) =>
    kind !== "AnalysisGroup" ||
    !Array.isArray(spec.users) ||
    spec.users.every((user) => membersOf(spec.name).has(user));
}

const openQueue = memoryQueue({ ...systemClock, wait: async () => {} });

/** Returns a plan without its counts of requests: the worker and the planning process both check that the service exists. */
function withoutReads({ services, forecast: _counted, ...plan }: Plan): unknown {
  return { ...plan, services: services.map(({ reads: _reads, ...service }) => service) };
}

/** Returns a plan as text, without the places of its changes in the manifests. */
function withoutPlaces(plan: Plan): string {
  return JSON.stringify(plan, (name, value: unknown) => (name === "place" ? undefined : value));
}

/** Expects that a referenced object is created before, and deleted after, the objects that refer to it. */
function expectOrder({ world, now, base }: Situation, { changes, calls }: Plan): void {
  const changed = new Map(changes.map((change) => [`${change.kind}/${change.key}`, change]));
  const idsOf = ({ address }: PlannedChange) =>
    calls.filter(({ carries }) => carries.includes(address)).map(({ id }) => id);
  const expectBefore = (first: PlannedChange, second: PlannedChange) => {
    expect(Math.max(0, ...idsOf(first)), `${first.address} before ${second.address}`).toBeLessThan(
      Math.min(...idsOf(second)),
    );
  };
  const referring = (documents: readonly Declared[]) =>
    documents.flatMap((declared) =>
      referencesOf(declared).map((name) => [changed.get(addressOf(declared)), changed.get(name)] as const),
    );
  for (const [own, other] of referring(now))
    if (own?.action !== "delete" && own !== undefined && other?.action === "create") expectBefore(other, own);
  for (const [own, other] of referring(base.filter(isLive(world))))
    if (own?.action === "delete" && other?.action === "delete") expectBefore(own, other);
  for (const change of changes)
    for (const address of change.dependsOn) {
      const needed = changes.find((other) => other.address === address);
      if (needed !== undefined) expectBefore(needed, change);
    }
}

const rearranged = situation.chain((given) =>
  fc.record({
    given: fc.constant(given),
    other: fc.shuffledSubarray([...given.now], { minLength: given.now.length, maxLength: given.now.length }),
    cut: fc.nat(given.now.length),
  }),
);

// One test checks several laws, because generating, reading and planning a world is most of their cost.
test("a plan writes nothing, keeps the order of references, and depends neither on the order of documents nor on who reads", async () => {
  await fc.assert(
    fc.asyncProperty(rearranged, async ({ given, other }) => {
      const { world, now, base } = given;
      await using lab = await openDirectLab({ world, now: new Date() });
      const manifests = { now: written(now), base: written(base) };
      const plan = await lab.plan(manifests);
      expectOrder(given, plan);

      const shuffled = await lab.plan({ now: written(other), base: written(base.toReversed()) });
      expect(withoutPlaces(shuffled), "in another order").toBe(withoutPlaces(plan));
      const spread = await lab.another({ openQueue }).plan(manifests);
      expect(withoutReads(spread), "read by workers").toEqual(withoutReads(plan));

      expect(lab.sandbox.requests().filter(({ effect }) => effect !== "read")).toEqual([]);
      expect(lab.sandbox.state()).toEqual(world);
    }),
    { numRuns: lawRuns },
  );
});

test("the division of documents into files does not change a plan", async () => {
  await fc.assert(
    fc.asyncProperty(rearranged, async ({ given: { world, now }, other, cut }) => {
      await using lab = await openDirectLab({ world });
      const files = { "manifests/a.yaml": written(other.slice(0, cut)) };
      const divided = await lab.plan({ now: written(other.slice(cut)), files });
      expect(withoutPlaces(divided)).toBe(withoutPlaces(await lab.plan(written(now))));
    }),
    { numRuns: Math.max(2, Math.ceil(lawRuns / 4)) },
  );
});

test("reading by workers gives the same plan for the example of every kind, and for everything that can be imported", async () => {
  await using lab = await openDirectLab({ world: exampleWorld(), now: new Date() });
  const imported = await lab.imported();
  for (const manifests of [...(await Promise.all([...kinds.keys()].map(exampleOf))), imported]) {
    const spread = await lab.another({ openQueue }).plan(manifests);
    expect(withoutReads(spread)).toEqual(withoutReads(await lab.plan(manifests)));
  }
});
