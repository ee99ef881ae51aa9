import fc from "fast-check";
import { expect, test } from "vitest";
import type { Clock } from "../../../src/clients/http/clock.ts";
import { localPace, localPaces, placesOf } from "../../../src/clients/http/pace.ts";
import { virtualClock } from "../../support/virtual-clock.ts";

const limits = { concurrency: 4, timeout: 10_000, attempts: 1 };
const service = {
  name: "hosting",
  role: "hosting",
  type: "github",
  url: "https://hosting.example",
  wire: "product",
} as const;

/** A clock whose waits end immediately, in the order of their ends, as soon as their callers continue. */
function simulatedTime() {
  let now = 0;
  const sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    random: () => 0,
    timeout: () => () => {},
    wait: (milliseconds) => new Promise((wake) => sleepers.push({ at: now + milliseconds, wake })),
  };
  async function run(ended: Promise<unknown>): Promise<void> {
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise(setImmediate);
      const [next] = sleepers.sort((a, b) => a.at - b.at).splice(0, 1);
      if (next === undefined) continue;
      now = Math.max(now, next.at);
      next.wake();
    }
  }
  return { clock, run };
}

/** The largest number of moments within any second, excluding its end. */
function mostInASecond(moments: readonly number[]): number {
  const sorted = moments.toSorted((a, b) => a - b);
  return Math.max(0, ...sorted.map((from) => sorted.filter((at) => at >= from && at < from + 1000).length));
}

test("no second has more requests than the limit, however long each one travels", async () => {
  const journey = fc.record({ there: fc.integer({ min: 0, max: 3000 }), back: fc.integer({ min: 0, max: 3000 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.integer({ min: 1, max: 12 }), fc.double({ min: 0.2, max: 12, noNaN: true })),
      fc.array(journey, { minLength: 1, maxLength: 60 }),
      async (requestsPerSecond, journeys) => {
        const { clock, run } = simulatedTime();
        const pace = localPace({ ...limits, requestsPerSecond }, clock);
        const arrivals: number[] = [];
        const all = journeys.map(({ there, back }) =>
          pace?.(async () => {
            await clock.wait(there);
            arrivals.push(clock.now());
            await clock.wait(back);
          }),
        );
        await run(Promise.all(all));
        expect(arrivals).toHaveLength(journeys.length);
        expect(mostInASecond(arrivals)).toBeLessThanOrEqual(Math.ceil(requestsPerSecond));
      },
    ),
    { numRuns: 60 },
  );
});

test("requests that are answered immediately keep to the limit and to the order in which they were made", async () => {
  const { clock, run } = simulatedTime();
  const pace = localPace({ ...limits, requestsPerSecond: 5 }, clock);
  const sent: (readonly [number, number])[] = [];
  await run(Promise.all(Array.from({ length: 12 }, (_, index) => pace?.(async () => sent.push([index, clock.now()])))));
  expect(sent.map(([index]) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  const { hold } = placesOf(5);
  expect(sent.map(([, at]) => Math.floor(at / hold))).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2]);
});

test("a limit below one leaves the corresponding time between two requests", () => {
  expect(placesOf(0.5)).toEqual({ most: 1, hold: 2010 });
  expect(placesOf(2.5)).toEqual({ most: 3, hold: 1210 });
  expect(placesOf(10)).toEqual({ most: 10, hold: 1010 });
});

test("an interrupt ends the wait for a turn", async () => {
  const clock = virtualClock(0);
  const pace = localPace({ ...limits, requestsPerSecond: 1 }, clock);
  const stop = new AbortController();
  await pace?.(async () => {}, stop.signal);
  const second = pace?.(async () => "asked after the interrupt", stop.signal);
  await clock.pass(0, (waits) => waits.length === 1);
  stop.abort();
  expect(await second).toBe("asked after the interrupt");
});

test("a clock that is set back delays the next request by no more than the time of a place", async () => {
  const clock = virtualClock(0);
  const pace = localPace({ ...limits, requestsPerSecond: 1 }, clock);
  await pace?.(async () => {});
  await clock.pass(-3_600_000, () => true);
  const sent: number[] = [];
  void pace?.(async () => sent.push(clock.now()));
  await clock.pass(0, (waits) => waits.length === 1);
  await clock.pass(placesOf(1).hold, (waits) => sent.length + waits.length === 1);
  expect(sent).toEqual([-3_600_000 + placesOf(1).hold]);
});

test("all connections to one address share its pace, and services without a limit have none", () => {
  const paceOf = localPaces(virtualClock(0));
  const limited = { ...service, limits: { ...limits, requestsPerSecond: 3 } };
  expect(paceOf(limited)).toBe(paceOf({ ...limited, name: "the-same" }));
  expect(paceOf(limited)).not.toBe(paceOf({ ...limited, url: "https://elsewhere.example" }));
  expect(paceOf({ ...service, limits })).toBeUndefined();
});
