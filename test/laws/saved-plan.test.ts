import fc from "fast-check";
import { expect, test } from "vitest";
import { type PlannedCall, withParts } from "../../src/core/call.ts";
import { ProblemError } from "../../src/core/problem.ts";
import { canonicalJson } from "../../src/core/text/json.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { edits, forged } from "../support/forge.ts";
import { fullSituation, written } from "../support/generate.ts";
import { openDirectLab } from "../support/lab.ts";
import { type Declared, lawRuns } from "../support/worlds/parts.ts";

/** Returns everything of a call except its numbers. */
function contentOf({ id: _id, parts = [], ...call }: PlannedCall): string {
  return canonicalJson({ ...call, parts: parts.map(({ id: _own, ...part }) => part) });
}

/** Returns some of the documents, none of which refers to another. */
function someOf(declared: readonly Declared[], stride: number): readonly Declared[] {
  return declared.filter(({ kind }, index) => kinds.get(kind)?.references === undefined && index % stride === 0);
}

test("a saved plan has the calls of the plan; whatever someone else applies meanwhile, it can be resumed; whatever is edited into its calls, nothing reaches a service but calls of the plan", async () => {
  const editing = fc.record({ how: fc.constantFrom(...Object.keys(edits)), at: fc.nat(), other: fc.nat() });
  const several = fc.array(editing, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fullSituation, several, fc.integer({ min: 1, max: 9 }), async (situation, edited, stride) => {
      const { world, now, base } = situation;
      await using lab = await openDirectLab({ world });
      const manifests = { now: written(now), base: written(base), consent: { maxDeletePercent: 100 } };
      const saved = await lab.save(manifests);
      const resumed = await lab.resume(JSON.stringify(saved), manifests);
      if (resumed.is === "wrong") throw new ProblemError(...resumed.problems);
      expect(resumed.withheld).toEqual(new Map());
      expect(resumed.plan.calls.map(contentOf)).toEqual(saved.calls.map(contentOf));
      await lab.another().apply({ ...manifests, now: written(someOf(now, stride)), base: "" });
      const again = await lab.resume(JSON.stringify(saved), manifests);
      if (again.is === "wrong") throw new ProblemError(...again.problems);
      const text = forged(saved, (plan) => ({
        ...plan,
        calls: edited.reduce((calls, { how, at, other }) => edits[how]?.(calls, at, other) ?? calls, plan.calls),
      }));
      const before = lab.sandbox.state();
      const applied = await lab.applySaved(text, manifests);
      if ("is" in applied) {
        expect(lab.sandbox.state()).toEqual(before);
        return;
      }
      // What needed something that is already made comes earlier.
      const inAnyPhase = (call: PlannedCall) => contentOf({ ...call, phase: 0 });
      const planned = withParts(saved.calls).map(inAnyPhase);
      const sent = lab.journal.flatMap((entry) => (entry.event === "intent" ? [inAnyPhase(entry.call)] : []));
      expect(planned).toEqual(expect.arrayContaining(sent));
      expect(sent).toHaveLength(new Set(sent).size);
    }),
    { numRuns: lawRuns, endOnFailure: true },
  );
});
