import fc from "fast-check";
import { expect, test } from "vitest";
import type { Observation } from "../../src/core/change.ts";
import type { Kind } from "../../src/core/kind.ts";
import type { Metadata, Resource } from "../../src/core/resource.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { makePlan, type PlanResult } from "../../src/planner/make-plan.ts";
import { changedSince } from "../../src/planner/parts/affected.ts";
import { mergeShards } from "../../src/planner/parts/merge.ts";
import { type PartRequest, partOf } from "../../src/planner/parts/part.ts";
import { decideAll, subjectsOf, undeclaredTargets } from "../../src/planner/subjects.ts";
import { absent, type Box, box, declare, planParts, present, unknown } from "../support/fake-kinds.ts";
import { lawRuns } from "../support/worlds/parts.ts";

/** A box that can stand on boxes of other shelves, given as `shelf:name`. */
const crate: Kind<Box> = {
  ...box,
  kind: "Crate",
  references: ({ on = [] }) => on.map((path) => ({ kind: "Crate", identity: boxAt(path) })),
};
const plain: Kind<Box> = { ...box, kind: "Plain" };
Reflect.deleteProperty(plain, "references");
const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["Crate", crate],
  ["Plain", plain],
]);

function boxAt(path: string): Box {
  const [shelf = "", name = ""] = path.split(":");
  return { shelf, name };
}

const paths = ["a:1", "a:2", "b:1", "b:2", "c:1", "d:1", "e:1"];

/** A box as one side has it. It stands only on earlier boxes, so that none needs itself. */
const sideOf = (path: string) =>
  fc.record(
    {
      size: fc.constantFrom(1, 2),
      label: fc.constantFrom(...paths.filter((other) => other[0] === path[0])),
      on: fc.subarray(paths.slice(0, paths.indexOf(path))).map((all) => all.slice(0, 2)),
    },
    { requiredKeys: [] },
  );

const shelfOf = fc.tuple(
  ...paths.map((path) =>
    fc.record({
      path: fc.constant(path),
      kind: fc.constantFrom(crate, crate, plain),
      now: fc.option(sideOf(path), { nil: undefined }),
      isGone: fc.boolean(),
      isSettled: fc.boolean(),
      base: fc.option(sideOf(path), { nil: undefined }),
      live: fc.oneof(
        sideOf(path),
        sideOf(path),
        fc.constantFrom("absent" as const, "absent" as const, "unknown" as const),
      ),
      protect: fc.boolean(),
    }),
  ),
);
type Shelf = typeof shelfOf extends fc.Arbitrary<infer Value> ? Value : never;

/** What is declared and what exists, as one run sees it. */
function worldOf(shelf: Shelf) {
  const named = new Set(
    shelf.flatMap(({ path, kind, now, isGone }) => (now && !isGone && kind === crate ? [path] : [])),
  );
  const stated = (
    kind: Kind,
    path: string,
    spec: Omit<Box, "shelf" | "name">,
    metadata: Partial<Metadata>,
  ): Resource => {
    const on = (spec.on ?? []).filter((other) => named.has(other));
    return declare({ ...boxAt(path), ...spec, ...(kind === crate ? { on } : { on: [] }) }, metadata, kind);
  };
  const desired = shelf.flatMap(({ path, kind, now, isGone, protect }) =>
    now === undefined ? [] : [stated(kind, path, now, isGone ? { state: "absent" } : { protect })],
  );
  const base = shelf.flatMap(({ path, kind, now, isGone, isSettled, base: before, protect }) => {
    if (isSettled)
      return now === undefined ? [] : [stated(kind, path, now, isGone ? { state: "absent" } : { protect })];
    return before === undefined ? [] : [stated(kind, path, before, { protect })];
  });
  const live = new Map(
    shelf.map(({ path, kind, live: there }): readonly [string, Observation] => [
      `store/${kind.kind}/${path}`,
      there === "absent" ? absent : there === "unknown" ? unknown : present({ ...boxAt(path), ...there }),
    ]),
  );
  return { declarations: { kinds, desired, base, selected: () => true, now: new Date(0) }, live };
}

/** What a run would plan for all of it, or for a part. */
function planOf({ declarations, live }: ReturnType<typeof worldOf>, request?: PartRequest): PlanResult {
  const part = request && partOf(request, declarations);
  const own = part === undefined ? declarations : { ...declarations, selected: part.selected };
  const decided = decideAll(own, subjectsOf(own), live);
  const undeclared = undeclaredTargets(own, decided).map(
    ({ address }) => [address, live.get(address) ?? absent] as const,
  );
  return makePlan({
    ...own,
    decided,
    undeclared: new Map(undeclared),
    ...planParts,
    baseRef: "base",
    guards: { maxDeletes: 2, maxDeletePercent: 30, accept: ["irreversible"], noDeletes: false },
    part,
  });
}

const agreed = { digest: "0", services: [], narrowed: false };

function shardsOf(
  world: ReturnType<typeof worldOf>,
  of: number,
): readonly { readonly file: string; readonly plan: Plan }[] {
  return Array.from({ length: of }, (_none, at) => {
    const planned = planOf(world, { is: "shard", index: at + 1, of, ...agreed });
    if (planned.is === "wrong") throw new Error(JSON.stringify(planned.problems));
    return { file: `${at + 1}.json`, plan: planned.plan };
  });
}

function merged(files: readonly { readonly file: string; readonly plan: Plan }[]): Plan {
  const made = mergeShards(files);
  if (made.is === "wrong") throw new Error(JSON.stringify(made.problems));
  return made.plan;
}

const runs = { numRuns: lawRuns * 20 };

test("the shards of a plan merge into the whole plan, whatever their number", () => {
  let planned = 0;
  fc.assert(
    fc.property(shelfOf, fc.integer({ min: 1, max: 9 }), (shelf, of) => {
      const world = worldOf(shelf);
      const whole = planOf(world);
      if (whole.is === "wrong") return;
      planned += whole.plan.changes.length;
      expect(merged(shardsOf(world, of))).toEqual(whole.plan);
    }),
    runs,
  );
  expect(planned).toBeGreaterThan(200);
});

test("the resources of a missing shard are unknown, and the rest is unchanged", () => {
  fc.assert(
    fc.property(shelfOf, fc.integer({ min: 2, max: 4 }), fc.nat(), (shelf, of, number) => {
      const world = worldOf(shelf);
      const whole = planOf(world);
      if (whole.is === "wrong") return;
      const files = shardsOf(world, of);
      const missing = number % of;
      const groups = Object.entries(files[0]?.plan.shard?.resources[missing] ?? {});
      const lost = groups.flatMap(([group, keys]) => keys.map((key) => `${group}/${key}`)).sort();
      const plan = merged(files.filter((_file, at) => at !== missing));
      const isLost = ({ address }: { readonly address: string }) => lost.includes(address);
      expect(plan.unknown.filter(isLost).map(({ address, problem: { code } }) => [address, code])).toEqual(
        lost.map((address) => [address, "SP2007"]),
      );
      expect(plan.changes).toEqual(whole.plan.changes.filter((change) => !isLost(change)));
      expect(plan.inSync).toEqual(whole.plan.inSync.filter((address) => !lost.includes(address)));
      expect(plan.warnings).toMatchObject([
        { code: "SP2007", message: expect.stringContaining(`${lost.length} resource`) },
      ]);
    }),
    runs,
  );
});

test("a plan of what is affected equals that part of the whole plan, and includes everything that the manifests changed", () => {
  let left = 0;
  fc.assert(
    fc.property(shelfOf, (shelf) => {
      const world = worldOf(shelf);
      const whole = planOf(world);
      const changed = changedSince(world.declarations);
      const part = planOf(world, { is: "affected", changed, isTouched: () => false, rules: [] });
      if (whole.is === "wrong" || part.is === "wrong") return;
      const looked = new Set(
        [...part.plan.changes, ...part.plan.unknown].map(({ address }) => address).concat(part.plan.inSync),
      );
      const isAway = ({ address }: { readonly address: string }) => !looked.has(address);
      expect(part.plan.changes).toEqual(whole.plan.changes.filter((one) => !isAway(one)));
      expect(part.plan.unknown).toEqual(whole.plan.unknown.filter((one) => !isAway(one)));
      const away = [...whole.plan.changes.filter(isAway), ...whole.plan.unknown.filter(isAway)];
      expect(away.filter(({ address }) => changed.has(address))).toEqual([]);
      left += part.plan.affected?.others ?? 0;
    }),
    runs,
  );
  expect(left).toBeGreaterThan(40);
});
