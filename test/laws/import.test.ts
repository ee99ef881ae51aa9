import fc from "fast-check";
import { expect, test } from "vitest";
import { kinds } from "../../src/reconcilers/registry.ts";
import { openLab } from "../support/lab.ts";
import { lawRuns } from "../support/worlds/parts.ts";
import { world } from "../support/worlds/world.ts";

const listed = [...kinds.values()].filter(({ list }) => list !== undefined).map(({ kind }) => kind);

test("manifests imported from any world are in sync with it, for every kind that can be listed", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(world, async (there) => {
      await using lab = await openLab({ world: there });
      const plan = await lab.plan(await lab.imported());
      expect([plan.changes, plan.unknown, plan.ignored]).toEqual([[], [], []]);
      for (const address of plan.inSync) seen.add(address.split("/")[1] ?? "");
      expect(lab.sandbox.state()).toEqual(there);
    }),
    { numRuns: lawRuns },
  );
  expect([...seen].sort()).toEqual(listed.sort());
});
