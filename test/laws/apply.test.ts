import fc from "fast-check";
import { expect, test } from "vitest";
import type { Outcome, Report } from "../../src/core/run/outcome.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { canonicalJson } from "../../src/core/text/json.ts";
import { fullSituation, written } from "../support/generate.ts";
import { type Lab, openDirectLab } from "../support/lab.ts";
import type { Manifests } from "../support/road.ts";
import { lawRuns } from "../support/worlds/parts.ts";
import { unnamed, unstated } from "./untouched.ts";

/**
 * Kinds that are not compared after a revert: a Cleanup judges by times, which a revert does not restore; a Plugin is deleted
 * at a restart; and a BranchLock is judged by all the rules beside it.
 */
const timely: ReadonlySet<string> = new Set(["Cleanup", "Plugin", "BranchLock"]);

/** Returns what a plan would do, by address. */
function said({ changes }: Plan, isLeft: (address: string) => boolean): Readonly<Record<string, string>> {
  return Object.fromEntries(
    changes
      .filter(({ address, action, kind }) => action !== "check" && !isLeft(address) && !timely.has(kind))
      .map(({ address, action, fields }) => [
        address,
        canonicalJson([action, fields.map(({ place: _at, ...field }) => field)]),
      ]),
  );
}

/** Whether another change of the same apply opened a lock: verification finds this and leaves it to the next apply. */
const isOpened = ({ address, result }: Outcome) => result === "failed" && address.startsWith("review/BranchLock/");

const checksOf = ({ changes }: Plan) => changes.flatMap(({ address, action }) => (action === "check" ? [address] : []));

/** Checks that everything was applied. The base is still the old one, so that what left the manifests must be gone. */
async function expectDone(
  lab: Lab,
  manifests: Manifests,
  { plan, outcomes }: Pick<Report, "plan" | "outcomes">,
): Promise<void> {
  expect(outcomes.filter(({ result }) => result !== "applied")).toEqual([]);
  const again = await lab.plan(manifests);
  const checks = checksOf(plan);
  expect(again.changes.filter(({ address }) => !checks.includes(address))).toEqual([]);
  expect(again.unknown).toEqual(plan.unknown);
}

/** Reverts the last apply, whose plan was `before`, and checks the result. */
async function expectWayBack(lab: Lab, manifests: Manifests, before: Plan): Promise<void> {
  const back = await lab.revert(manifests);
  expect(back.plan.refusals).toEqual([]);
  const report = await back.apply();
  // An update site offers one version of a plugin: if the earlier one is gone, the service says so, and the restart that
  // other plugins wait for is left out.
  const refused = report.outcomes.flatMap(({ address, result }) =>
    (result === "failed" || result === "skipped") && address.startsWith("ci/Plugin/") ? address : [],
  );
  const left = new Set([...back.left.flatMap(({ address = "" }) => address), ...checksOf(back.plan), ...refused]);
  // A lock that is restored under another spelling of its branch, or left in place, has blocks where a rule then sees them.
  const locked = [...back.plan.changes, ...back.left].flatMap(
    ({ address = "" }) => /^review\/BranchLock\/([^:]*):/.exec(address)?.[1] ?? [],
  );
  const isBesideLock = (address: string) => locked.some((name) => address.startsWith(`review/AccessRule/${name}:`));
  expect(report.outcomes.filter(({ address, result }) => result !== "applied" && !left.has(address))).toEqual([]);
  const isLeft = (address: string) => left.has(address) || isBesideLock(address);
  expect(said(await lab.plan(manifests), isLeft)).toEqual(said(before, isLeft));
}

// One test checks several laws, because generating, reading and applying a world is most of their cost.
test("an apply leaves nothing to do except what needs a person, and does not touch what no manifest names or states; a revert restores everything or names what it left", async () => {
  await fc.assert(
    fc.asyncProperty(fullSituation, async (situation) => {
      const now = written(situation.now);
      const manifests = { now, base: written(situation.base), consent: { maxDeletePercent: 100 } };
      await using lab = await openDirectLab({ world: situation.world });
      const first = await lab.apply(manifests);
      const world = lab.sandbox.state();
      const others = unnamed(situation, world);
      expect(others.after, "what no manifest names").toEqual(others.before);
      const fields = unstated(situation, world);
      expect(fields.after, "what manifests do not state, or ignore").toEqual(fields.before);
      if (first.outcomes.some(isOpened)) {
        const { plan, outcomes } = await lab.apply(manifests);
        await expectDone(lab, manifests, {
          plan,
          outcomes: [...first.outcomes.filter((one) => !isOpened(one)), ...outcomes],
        });
        await using other = await openDirectLab({ world: situation.world });
        await expectWayBack(other, manifests, (await other.apply(manifests)).plan);
      } else {
        await expectDone(lab, manifests, first);
        await expectWayBack(lab, manifests, first.plan);
      }
    }),
    { numRuns: lawRuns },
  );
});
