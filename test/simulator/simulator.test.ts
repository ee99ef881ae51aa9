import { beforeAll, expect, test } from "vitest";
import { kinds } from "../../src/reconcilers/registry.ts";
import { isNightly, measured } from "../support/measured.ts";
import { heldBack, heldBackFromTokens, requestFaults, runFaults } from "./faults.ts";
import { laws } from "./laws.ts";
import { openPool, type Pool } from "./pool.ts";
import { explained, simulate } from "./simulate.ts";

/** The first seed, and how many to run: one if it is named alone. CI runs more on one version of Node. */
const { SETPOINT_SEED, SETPOINT_SEEDS = SETPOINT_SEED ? "1" : isNightly ? "10000" : "50" } = process.env;
const seeds = Array.from({ length: Number(SETPOINT_SEEDS) }, (_, index) => Number(SETPOINT_SEED ?? 1) + index);

let pool: Pool;
beforeAll(async () => {
  pool = await openPool();
});

test("the same seed gives the same trace", async () => {
  for (const seed of [11, 23, 42])
    expect((await simulate(pool, seed)).trace).toEqual((await simulate(pool, seed)).trace);
});

test.each([
  [225, "a gateway sends a revocation twice and passes on that there is no such token"],
  [958, "a full disk keeps the journal from saying that a token was delivered"],
  [2622, "a gateway asks for a token twice and passes on that its id is taken"],
  [1367, "an interrupt ends the wait for a restart that took effect"],
])("the laws hold in world %i, in which %s", async (seed) => {
  const simulation = await simulate(pool, seed);
  expect(simulation.breaches.length === 0 ? "" : explained(simulation)).toBe("");
});

test(`the laws hold in ${seeds.length} worlds, whatever goes wrong`, async () => {
  const broken: string[] = [];
  const brokenSeeds: number[] = [];
  const seen = new Set<string>();
  const faults = new Map<string, number>();
  let runs = 0;
  for (const [index, seed] of seeds.entries()) {
    const simulation = await simulate(pool, seed);
    runs += simulation.endings.length;
    for (const change of simulation.seen) seen.add(change);
    for (const fault of simulation.faults) faults.set(fault, (faults.get(fault) ?? 0) + 1);
    if (simulation.breaches.length > 0) {
      broken.push(explained(simulation));
      brokenSeeds.push(seed);
    }
    // The nightly run counts every broken seed.
    if (broken.length === 3 && !isNightly) break;
    const done = index + 1;
    if (done % 100 === 0 || done === seeds.length)
      measured("simulator", {
        laws: Object.values(laws),
        seeds: done,
        runs,
        broken: brokenSeeds,
        faults: Object.fromEntries([...faults].sort()),
        heldBack: [...heldBack],
        heldBackFromTokens: [...heldBackFromTokens],
      });
  }
  expect(broken.slice(0, 3).join("\n\n")).toBe("");
  if (seeds.length < 300) return;
  // Seeds that draw nothing of a kind, or no fault of a sort, prove nothing about it.
  const planned = new Set([...seen].map((change) => change.split(" ")[0]));
  expect([...kinds.keys()].filter((kind) => !planned.has(kind))).toEqual([]);
  const drawable = [...requestFaults, ...runFaults].filter((fault) => !heldBack.has(fault));
  expect(drawable.filter((fault) => !faults.has(fault))).toEqual([]);
});
