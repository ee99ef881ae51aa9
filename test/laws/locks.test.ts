import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "../../src/core/text/json.ts";
import type { World } from "../../src/sandbox/world.ts";
import { locking, written } from "../support/generate.ts";
import { openLab } from "../support/lab.ts";
import { lawRuns } from "../support/worlds/parts.ts";

/** Returns the access of all projects as text. The service sorts rules when it stores them, and keeps headings of emptied sections. */
function accessText(world: World): string {
  const projects = Object.entries(world.review.projects).map(([name, { access }]) => [
    name,
    Object.fromEntries(
      Object.entries(access)
        .filter(([, section]) => Object.keys(section).length > 0)
        .map(([ref, section]) => [
          ref,
          Object.entries(section)
            .map(([permission, { exclusive, rules }]) => [permission, exclusive, rules.map(canonicalJson).sort()])
            .sort(),
        ]),
    ),
  ]);
  return canonicalJson(projects);
}

test("locking and then unlocking a branch restores the access byte for byte, whatever rules are beside the lock", async () => {
  await fc.assert(
    fc.asyncProperty(locking, async ({ world, now, locks }) => {
      await using lab = await openLab({ world });
      await lab.apply(written(now));
      const before = accessText(lab.sandbox.state());
      const locked = await lab.apply(written([...now, ...locks]));
      expect(locked.outcomes.filter(({ result }) => result !== "applied")).toEqual([]);
      const absent = locks.map((lock) => ({ ...lock, metadata: { state: "absent" as const } }));
      const unlocked = await lab.apply(written([...now, ...absent]));
      expect(unlocked.outcomes.filter(({ result }) => result !== "applied")).toEqual([]);
      expect(accessText(lab.sandbox.state())).toBe(before);
    }),
    { numRuns: lawRuns },
  );
});
