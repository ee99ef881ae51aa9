import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "../../src/core/json.ts";
import type { Plan } from "../../src/core/plan.ts";
import { ProblemError } from "../../src/core/problem.ts";
import { fullSituation, written } from "../support/generate.ts";
import { openLab } from "../support/lab.ts";
import { lawRuns } from "../support/worlds/parts.ts";

/**
 * Not compared: what judges by times, which a way back does not turn back, whose deletes wait for a restart, and locks, which
 * are judged by all the rules beside them.
 */
const timely: ReadonlySet<string> = new Set(["Cleanup", "Plugin", "BranchLock"]);

/** What a plan would do, by address. */
function said({ changes }: Plan, except: ReadonlySet<string>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    changes
      .filter(({ address, action, kind }) => action !== "check" && !except.has(address) && !timely.has(kind))
      .map(({ address, action, fields }) => [
        address,
        canonicalJson([action, fields.map(({ place: _at, ...field }) => field)]),
      ]),
  );
}

test("after an apply and the way back from it everything is as before, or is named", async () => {
  await fc.assert(
    fc.asyncProperty(fullSituation, async ({ world, now, base }) => {
      await using lab = await openLab({ world });
      const manifests = { now: written(now), base: written(base), consent: { maxDeletePercent: 100 } };
      const { plan: before } = await lab.apply(manifests);
      const back = await lab.revert(manifests).catch((error: unknown) => {
        // What a declared resource manages by now is not given back to another one, and what refers to something that goes
        // is not made again: that is said, and nothing is done.
        if (error instanceof ProblemError && error.problems.every(({ code }) => code === "SP1016" || code === "SP1010"))
          return undefined;
        throw error;
      });
      if (back === undefined) return;
      expect(back.plan.refusals).toEqual([]);
      const report = await back.apply();
      const left = new Set([
        ...back.left.flatMap(({ address = "" }) => address),
        ...back.plan.changes.flatMap(({ address, action }) => (action === "check" ? [address] : [])),
      ]);
      expect(report.outcomes.filter(({ address, result }) => result !== "applied" && !left.has(address))).toEqual([]);
      expect(said(await lab.plan(manifests), left)).toEqual(said(before, left));
    }),
    { numRuns: Math.min(lawRuns, 200), endOnFailure: true },
  );
});
