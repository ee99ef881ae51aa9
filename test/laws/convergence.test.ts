import fc from "fast-check";
import { expect, test } from "vitest";
import { fullSituation, written } from "../support/generate.ts";
import { openLab } from "../support/lab.ts";
import { lawRuns } from "../support/worlds/parts.ts";

test("after an apply nothing is left to do, but for what needs a person", async () => {
  await fc.assert(
    fc.asyncProperty(fullSituation, async ({ world, now, base }) => {
      await using lab = await openLab({ world });
      const report = await lab.apply({ now: written(now), base: written(base) });
      expect(report.outcomes.filter(({ result }) => result !== "applied")).toEqual([]);
      const checks = report.plan.changes.filter(({ action }) => action === "check").map(({ address }) => address);
      const again = await lab.plan({ now: written(now), base: written(now) });
      expect(again.changes.filter(({ address }) => !checks.includes(address))).toEqual([]);
      expect(again.unknown).toEqual(report.plan.unknown);
    }),
    { numRuns: lawRuns },
  );
});
