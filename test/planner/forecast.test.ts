import { describe, expect, test } from "vitest";
import type { Plan, ServiceForecast } from "../../src/core/run/plan.ts";
import { forecastOf, withForecast } from "../../src/planner/forecast.ts";
import { mergeShards } from "../../src/planner/parts/merge.ts";
import { quotaWords } from "../../src/reports/text/plan-notes.ts";
import { emptyPlan } from "../reports/fixture.ts";
import { workflows } from "../support/commands.ts";
import { openDirectLab } from "../support/lab.ts";

const repositories = ["telemetry", "website", "handbook"];

/** Switches workflows off in some repositories, and leaves them on in the others. */
function manifests(off: number): string {
  return repositories.map((repo, index) => workflows(repo, index >= off)).join("");
}

function hosting({ forecast }: Plan) {
  return forecast.services?.hosting;
}

describe("the forecast of a plan", () => {
  test("counts the calls and one read per object that they touch, exactly as an apply sends them", async () => {
    await using lab = await openDirectLab();
    for (const off of [1, 3]) {
      const plan = await lab.plan(manifests(off));
      const { calls } = plan;
      expect(hosting(plan)?.requests).toBe(2 * calls.length);
      lab.asked();
    }
    const { requests, plan } = await lab.apply(manifests(3));
    const { reads = 0, writes = 0 } = requests.hosting ?? {};
    expect(reads + writes).toBe(hosting(plan)?.requests);
  });

  test("of a saved plan also counts reading again what it changes, exactly as an apply of it sends", async () => {
    await using lab = await openDirectLab();
    for (const off of [1, 3]) {
      const saved = await lab.save(manifests(off));
      lab.asked();
      await lab.applySaved(saved, manifests(off));
      expect(lab.asked()).toHaveLength(hosting(saved)?.requests ?? 0);
    }
  });

  test("says what will be left of a reported quota after the apply", async () => {
    await using lab = await openDirectLab();
    lab.sandbox.change(({ hosting: { rateLimit } }) => {
      rateLimit.used = 4990;
    });
    const plan = await lab.plan(manifests(3));
    const quota = { limit: 5000, remaining: 10, resets: "2100-01-01T00:00:00.000Z", after: 4 };
    expect(hosting(plan)).toEqual({ requests: 6, quota });
    expect(quotaWords(plan)).toEqual([
      {
        text: "After about 6 requests to hosting: 4 of 5,000 requests left until 2100-01-01 00:00 UTC.",
        suffices: true,
      },
    ]);
  });

  test("says in advance that a quota does not suffice, and when it is renewed", async () => {
    await using lab = await openDirectLab();
    lab.sandbox.change(({ hosting: { rateLimit } }) => {
      rateLimit.used = 4997;
    });
    expect(quotaWords(await lab.plan(manifests(3)))).toEqual([
      {
        text: "The quota is not enough for about 6 requests to hosting: 3 of 5,000 requests left until 2100-01-01 00:00 UTC.",
        suffices: false,
      },
    ]);
  });

  test("does not exist if nothing is sent: without calls, after a refusal or for a drift", async () => {
    await using lab = await openDirectLab();
    expect(await lab.plan(manifests(0))).toMatchObject({ forecast: { writes: {}, verifyScopes: 0 } });
    expect(hosting(await lab.plan(manifests(0)))).toBeUndefined();
    const plan = await lab.plan(manifests(1));
    expect(hosting(plan)).toBeDefined();
    const refused = { ...plan, refusals: [{ code: "SP2001" as const, message: "" }] };
    const drift = { ...plan, about: { ...plan.about, command: "drift" as const } };
    for (const other of [refused, drift]) expect(hosting(withForecast(other, [], new Map()))).toBeUndefined();
  });

  test("does not bind a saved plan, and is made again when the plan is resumed", async () => {
    await using lab = await openDirectLab();
    const saved = await lab.save(manifests(3));
    lab.sandbox.change(({ hosting: { rateLimit } }) => {
      rateLimit.used = 4000;
    });
    const resumed = await lab.resume(saved, manifests(3));
    if (resumed.is === "wrong") throw new Error("The saved plan does not hold.");
    expect(hosting(resumed.plan)?.quota).toMatchObject({ remaining: 1000, after: 994 });
  });

  test("estimates the duration only if enough was measured", () => {
    const call = { id: 1, service: "a", operation: "set", args: {}, lane: "a x", carries: [], phase: 0 };
    const plan: Plan = { ...emptyPlan, calls: Array.from({ length: 30 }, () => call) };
    const secondsAfter = (requests: number, milliseconds: number) =>
      withForecast(plan, [], new Map([["a", { requests, milliseconds }]])).forecast.services?.a?.seconds;
    expect(secondsAfter(100, 10_000)).toBe(3);
    expect(secondsAfter(99, 10_000)).toBeUndefined();
    expect(secondsAfter(1000, 999)).toBeUndefined();
  });

  test("leaves out a quota whose period has ended", () => {
    const call = { id: 1, service: "a", operation: "set", args: {}, lane: "a x", carries: [], phase: 0 };
    const plan: Plan = { ...emptyPlan, calls: [call] };
    const quota = { limit: 10, remaining: 5, resets: plan.about.at };
    const measured = new Map([["a", { requests: 1, milliseconds: 1, quota }]]);
    expect(withForecast(plan, [], measured).forecast.services).toEqual({ a: { requests: 1 } });
  });
});

describe("the forecast of an apply of all shards", () => {
  const [at, resets] = ["2027-01-14T09:00:00Z", "2027-01-14T10:00:00Z"];
  const shard = (forecast: ServiceForecast): Plan => ({
    ...emptyPlan,
    forecast: { ...emptyPlan.forecast, services: { hosting: forecast } },
  });

  test("adds up requests, and says what they leave of the quota as the last shard saw it", () => {
    const saw = (remaining: number, requests: number) =>
      shard({ requests, quota: { limit: 5000, remaining, resets, after: remaining - requests } });
    const expected = { requests: 700, quota: { limit: 5000, remaining: 600, resets, after: -100 } };
    expect(forecastOf([saw(900, 300), saw(600, 400)], at)).toEqual({ hosting: expected });
    expect(forecastOf([saw(600, 400), emptyPlan, saw(900, 300)], at)).toEqual({ hosting: expected });
    expect(forecastOf([saw(900, 300)], resets)).toEqual({ hosting: { requests: 300 } });
  });

  test("takes the pace from the shards that read enough to tell it", () => {
    const forecast = forecastOf([shard({ requests: 40, seconds: 10 }), shard({ requests: 2 })], at);
    expect(forecast).toEqual({ hosting: { requests: 42, seconds: 11 } });
  });

  test("is part of the merged report, unless an apply would send nothing", async () => {
    await using lab = await openDirectLab();
    const merged = async (off: number) => {
      const shards = [1, 2].map((index) => lab.plan({ now: manifests(off), select: { shard: { index, of: 2 } } }));
      const made = mergeShards((await Promise.all(shards)).map((plan, index) => ({ file: `${index}.json`, plan })));
      if (made.is === "wrong") throw new Error(JSON.stringify(made.problems));
      return hosting(made.plan);
    };
    expect(await merged(3)).toMatchObject({ requests: 6, quota: { limit: 5000 } });
    expect(await merged(0)).toBeUndefined();
  });
});
