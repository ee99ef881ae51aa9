import fc from "fast-check";
import { expect, test } from "vitest";
import type { Plan } from "../../src/core/run/plan.ts";
import { inOrder } from "../../src/core/text/words.ts";
import { mergeShards } from "../../src/planner/parts/merge.ts";
import { addressOf, fullSituation, written } from "../support/generate.ts";
import { openDirectLab } from "../support/lab.ts";
import { lawRuns } from "../support/worlds/parts.ts";

/** Exclusive kinds: their undeclared objects are deleted, so lists decide what there is to divide. */
const workspace = `exclusive: [${["AnalysisUser", "AccessRule", "AccessToken"].map((kind) => `{ kind: ${kind} }`).join(", ")}]\n`;

/** Other laws cover what the planner decides, so few runs suffice to show that reading and lists can also be divided. */
const fewRuns = Math.max(2, Math.ceil(lawRuns / 4));

/** Returns a plan without the requests, which every run counts for itself, and what it forecasts from them. */
function content({ services, unknown, triggers: _triggers, forecast, ...plan }: Plan) {
  const { services: _requests, ...known } = forecast;
  return {
    ...plan,
    forecast: known,
    services: services.map(({ reads: _reads, ...service }) => service),
    unknown: unknown.toSorted((a, b) => inOrder(a.address, b.address)),
  };
}

const runs = fc.record({ situation: fullSituation, isExclusive: fc.boolean(), unmanaged: fc.boolean() });

test("the merged shards of a plan are the plan, and no two of them read the same remote object", async () => {
  await fc.assert(
    fc.asyncProperty(runs, fc.integer({ min: 1, max: 3 }), async ({ situation: { world, now, base }, ...how }, of) => {
      await using lab = await openDirectLab({ world, workspace: how.isExclusive ? workspace : "" });
      const manifests = { now: written(now), base: written(base), unmanaged: how.unmanaged };
      const whole = await lab.tryPlan(manifests);
      const files: { readonly file: string; readonly plan: Plan }[] = [];
      const wrong: unknown[] = [];
      const shardOf = new Map<string, number>();
      for (let index = 1; index <= of; index++) {
        const one = await lab.tryPlan({ ...manifests, select: { shard: { index, of } } });
        if (one.is === "wrong") {
          wrong.push(...one.problems);
          continue;
        }
        files.push({ file: `${index}.json`, plan: one.plan });
        for (const lane of one.looked.decided.map((subject) => subject.lane)) {
          expect(shardOf.get(lane) ?? index).toBe(index);
          shardOf.set(lane, index);
        }
      }
      if (whole.is === "wrong") {
        expect(wrong).toEqual(expect.arrayContaining([...whole.problems]));
        return;
      }
      expect(wrong).toEqual([]);
      expect(files.flatMap(({ plan }) => plan.refusals)).toEqual([]);
      const merged = mergeShards(files);
      if (merged.is === "wrong") throw new Error(JSON.stringify(merged.problems));
      expect(content(merged.plan)).toEqual(content(whole.plan));
    }),
    { numRuns: fewRuns, endOnFailure: true },
  );
});

test("a plan of affected resources has the same changes as the whole plan, including every pending one from the manifests", async () => {
  await fc.assert(
    fc.asyncProperty(
      runs,
      fc.infiniteStream(fc.boolean()),
      async ({ situation: { world, now, base }, ...how }, kept) => {
        await using lab = await openDirectLab({ world, workspace: how.isExclusive ? workspace : "" });
        // About half of the documents are the same at the base.
        const settled = now.filter(() => kept.next().value === true);
        const addresses = new Set(settled.map(addressOf));
        const before = [...settled, ...base.filter((one) => !addresses.has(addressOf(one)))];
        const manifests = { now: written(now), base: written(before) };
        const whole = await lab.tryPlan(manifests);
        const part = await lab.tryPlan({ ...manifests, select: { affected: true } });
        if (whole.is === "wrong" || part.is === "wrong") return;
        const looked = new Set(part.looked.decided.map(({ address }) => address));
        expect(part.plan.changes).toEqual(whole.plan.changes.filter(({ address }) => looked.has(address)));
        expect(part.plan.unknown).toEqual(whole.plan.unknown.filter(({ address }) => looked.has(address)));
        const changed = now.filter((one) => !addresses.has(addressOf(one))).map(addressOf);
        const pending = whole.plan.changes.filter(
          ({ verdict, kind, key }) => verdict === "pending" && changed.includes(`${kind}/${key}`),
        );
        expect(part.plan.changes).toEqual(expect.arrayContaining(pending));
        // Undeclared objects are not counted if their list was not read.
        const others = whole.looked.decided.filter(({ address }) => !looked.has(address)).length;
        expect(part.plan.affected).toMatchObject({
          resources: looked.size,
          ...(how.isExclusive ? {} : { others }),
        });
      },
    ),
    { numRuns: fewRuns, endOnFailure: true },
  );
});
