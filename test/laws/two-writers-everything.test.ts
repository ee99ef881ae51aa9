import fc from "fast-check";
import { expect, test } from "vitest";
import { once } from "../../src/core/once.ts";
import type { Report } from "../../src/core/run/outcome.ts";
import { isObject } from "../../src/core/text/json.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { World } from "../../src/sandbox/world.ts";
import { openDirectLab } from "../support/lab.ts";
import { document } from "../support/manifest.ts";
import { isNightly } from "../support/measured.ts";
import type { Manifests } from "../support/road.ts";
import { turns } from "../support/turns.ts";
import { exampleOf, exampleWorld } from "../support/worlds/examples.ts";
import { lawRuns } from "../support/worlds/parts.ts";

const oldServer = "https://analysis-old.example.com:8080";

/** Worlds are immutable, so one serves for all orders. */
const startWorld = once((): World => {
  const world = exampleWorld();
  const source = {
    roles: [{ name: "Release board" }],
    groups: [{ name: "safety" }],
  };
  return World.parse({ ...world, analysis: { ...world.analysis, sources: { [oldServer]: source } } });
});

/** Returns the example of a kind; for PersonalToken, a manifest that needs no command and no other account. */
async function manifestsOf(kind: string): Promise<Manifests> {
  if (kind !== "PersonalToken") return exampleOf(kind);
  const spec = { description: "robot", validFor: 6, deliver: { file: "robot" } };
  const now = ["tracker", "wiki"].map((service) =>
    document(kind, { ...spec, deliver: { file: service } }, { service }),
  );
  return { now: now.join("") };
}

/**
 * Lets two machines plan before either writes, and then write in an order. Beyond that order, the first one writes everything before
 * the second. A third machine then applies once more. No machine reads again before it writes.
 */
async function applyTwice(manifests: Manifests, order: readonly number[]) {
  await using lab = await openDirectLab({ world: startWorld(), env: { ANALYSIS_OLD_PASSWORD: "p" } });
  const scheduler = turns(2, [0, 1, ...order]);
  const reports = await Promise.all(
    [0, 1].map(async (actor) => {
      await scheduler.wait(actor);
      const road = lab.another({ turn: () => scheduler.wait(actor) });
      return road.apply(manifests).finally(scheduler.finish);
    }),
  );
  const last = await lab.another().apply(manifests);
  return { reports, last, world: lab.sandbox.state() };
}

async function applyOnce(manifests: Manifests) {
  let steps = 0;
  const turn = async () => void steps++;
  await using lab = await openDirectLab({ world: startWorld(), env: { ANALYSIS_OLD_PASSWORD: "p" }, turn });
  const first = await lab.apply(manifests);
  const taken = steps;
  const last = await lab.another().apply(manifests);
  return { first, last, steps: taken, world: lab.sandbox.state() };
}

/** Returns all orders in which two machines can take their steps; the first is the one without any choices. */
function ordersOf(one: number, other = one): readonly (readonly number[])[] {
  if (one === 0) return [Array(other).fill(1)];
  const next = ordersOf(one - 1, other).map((order) => [0, ...order]);
  return other === 0 ? next : [...next, ...ordersOf(one, other - 1).map((order) => [1, ...order])];
}

const sentBy = ({ calls }: Report) => calls.filter(({ result }) => result !== "skipped").length;

test.each([...kinds.keys()])(
  "two applies of %s that know nothing of each other, followed by one more, have the same result as a single apply",
  async (kind) => {
    const manifests = await manifestsOf(kind);
    const alone = await applyOnce(manifests);
    const expectSame = async (order: readonly number[]) => {
      const twice = await applyTwice(manifests, order);
      // Both made the same plan, so both had something to send.
      for (const report of twice.reports) expect(report.plan.calls.length).toBe(alone.first.plan.calls.length);
      if (order.length === 0 && sentBy(alone.first) > 0)
        expect(Math.min(...twice.reports.map(sentBy))).toBeGreaterThan(0);
      const left = ({ plan }: Report) =>
        plan.changes.flatMap(({ action, address }) => (action === "check" ? [address] : []));
      expect(left(twice.last)).toEqual(left(alone.last));
      expect(twice.last.outcomes.filter(({ result }) => result !== "applied")).toEqual(alone.last.outcomes);
      expect(comparable(twice.world)).toEqual(comparable(alone.world));
    };
    // Two steps each have six orders, or three if the same machine always begins: all are tried. More steps have too many.
    const isOther = ([first = 0]: readonly number[]) => first === 0 || isNightly;
    if (alone.steps <= 2)
      for (const order of [[], ...ordersOf(alone.steps).slice(1).filter(isOther)]) await expectSame(order);
    else
      await fc.assert(fc.asyncProperty(fc.array(fc.nat(1), { maxLength: 12 }), expectSame), {
        numRuns: Math.ceil(lawRuns / 2),
        examples: [[[]], [[1, 1, 1, 1, 1, 1, 1, 1]], [[0, 1, 0, 1, 0, 1, 0, 1]]],
      });
  },
);

/** Members in which services keep a record of each call: an issue's citations, imports, promotions, restarts, revoked tokens. */
const records = new Set(["history", "imports", "statuses", "starts", "lastId"]);

/**
 * Returns a world without times, without such records, and without what distinguishes the generations of a token. A plugin
 * that was installed twice has its own version as its upgrade, which is removed too.
 */
function comparable(world: World): unknown {
  return JSON.parse(
    JSON.stringify(world, (name, value: unknown) => {
      if (records.has(name)) return undefined;
      if (typeof value === "string" && /^20\d\d-\d\d-\d\dT/.test(value)) return "time";
      if (typeof value === "number" && value > 1e12) return "time";
      if (!isObject(value)) return value;
      if (value.upgrade !== undefined && value.upgrade === value.version) return { ...value, upgrade: undefined };
      if (typeof value.description !== "string") return value;
      const { id: _number, token_id: _name, secret: _secret, ...rest } = value;
      return { ...rest, description: value.description.replace(/ \(\d+\)$/, "") };
    }),
  );
}
