import fc from "fast-check";
import { expect, test } from "vitest";
import type { PlannedChange } from "../../src/core/plan.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import type { World } from "../../src/sandbox/world.ts";
import { addressOf, situation, written } from "../support/generate.ts";
import { openLab } from "../support/lab.ts";
import { type Declared, lawRuns } from "../support/worlds/parts.ts";

/** Addresses that a document refers to, without the service. */
function referencesOf({ kind: name, spec }: Declared): readonly string[] {
  const kind = kinds.get(name);
  return (kind?.references?.(kind.spec.parse(spec)) ?? []).map(
    (reference) => `${reference.kind}/${kinds.get(reference.kind)?.key(reference.identity)}`,
  );
}

/** Whether what a document refers to is what the live object refers to: only that holds a delete back. */
function isLive({ analysis }: World): (declared: Declared) => boolean {
  const membersOf = (group: unknown) => new Set<unknown>(analysis.groups.find(({ name }) => name === group)?.users);
  return ({ kind, spec }) =>
    kind !== "AnalysisGroup" ||
    !Array.isArray(spec.users) ||
    spec.users.every((user) => membersOf(spec.name).has(user));
}

test("the order of documents and files changes nothing in a plan", async () => {
  const rearranged = situation.chain(({ now, ...rest }) =>
    fc.record({
      situation: fc.constant({ now, ...rest }),
      other: fc.shuffledSubarray([...now], { minLength: now.length, maxLength: now.length }),
      cut: fc.nat(now.length),
    }),
  );
  await fc.assert(
    fc.asyncProperty(rearranged, async ({ situation: { world, now, base }, other, cut }) => {
      await using lab = await openLab({ world });
      const plan = await lab.plan({ now: written(now), base: written(base) });
      const shuffled = await lab.plan({ now: written(other), base: written(base.toReversed()) });
      expect(JSON.stringify(shuffled)).toBe(JSON.stringify(plan));
      const files = { "manifests/a.yaml": written(other.slice(0, cut)) };
      const divided = await lab.plan({ now: written(other.slice(cut)), files });
      expect(JSON.stringify(divided)).toBe(JSON.stringify(await lab.plan(written(now))));
    }),
    { numRuns: lawRuns },
  );
});

test("what is referred to is created before, and deleted after, what refers to it", async () => {
  await fc.assert(
    fc.asyncProperty(situation, async ({ world, now, base }) => {
      await using lab = await openLab({ world });
      const { changes, calls } = await lab.plan({ now: written(now), base: written(base) });
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
    }),
    { numRuns: lawRuns },
  );
});
