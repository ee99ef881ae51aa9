import fc from "fast-check";
import { expect, test } from "vitest";
import type { Attempt } from "../../../src/clients/http/outcome.ts";
import { adaptivePool, firstWidth, type Width, widthAfter } from "../../../src/clients/http/pool.ts";

const answer = { status: 200, headers: {}, body: Buffer.alloc(0) };
const taken: Attempt = { is: "answered", answer };
const outcomes: readonly Attempt[] = [
  taken,
  { is: "failed", answer, failure: { status: 429 } },
  { is: "failed", answer, failure: { status: 503 } },
  { is: "failed", answer, failure: { status: 404 } },
  { is: "failed", answer, failure: { status: 403, resumes: 1 } },
  { is: "lost", problem: { code: "SP3101", message: "" } },
];

function widths(before: Width, ...refusals: readonly boolean[]): readonly number[] {
  let width = before;
  return refusals.map((isRefused) => {
    width = widthAfter(width, width.halved, isRefused);
    return width.width;
  });
}

test("the width starts at the limit, is halved by a refusal down to one, and grows by one after a full round", () => {
  expect(widths(firstWidth(16), false, true, true)).toEqual([16, 8, 4]);
  expect(widths(firstWidth(2), true, true, false, false, false)).toEqual([1, 1, 2, 2, 2]);
  expect(widths({ ...firstWidth(16), width: 3 }, false, false, false, false, false, false, false)).toEqual([
    3, 3, 4, 4, 4, 4, 5,
  ]);
});

test("requests that were under way together and are all refused halve it only once", () => {
  const once = widthAfter(firstWidth(16), 0, true);
  expect(widthAfter(once, 0, true)).toBe(once);
  expect(widthAfter(once, once.halved, true).width).toBe(4);
});

/** A pool of attempts that end when they are told to. */
function manual(limit: number) {
  const pool = adaptivePool(limit);
  const underWay = new Map<number, (attempt: Attempt | Error) => void>();
  const started: number[] = [];
  const settled: number[] = [];
  const enter = (id: number) => {
    const attempt = () => {
      started.push(id);
      const { promise, resolve, reject } = Promise.withResolvers<Attempt>();
      underWay.set(id, (one) => (one instanceof Error ? reject(one) : resolve(one)));
      return promise;
    };
    const settle = () => settled.push(id);
    pool.run(attempt).then(settle, settle);
  };
  const end = (id: number, attempt: Attempt | Error) => {
    underWay.get(id)?.(attempt);
    underWay.delete(id);
  };
  return { pool, underWay, started, settled, enter, end };
}

/** Runs everything that does not wait for an attempt. */
const settle = () => new Promise(setImmediate);

const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ is: "enter" as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant("end" as const),
      which: fc.nat({ max: 50 }),
      how: fc.option(fc.constantFrom(...outcomes), { nil: new Error("broken") }),
    }),
  },
);

test("there is room for more until as many wait as can be under way, and again once fewer wait", async () => {
  const { pool, enter, end } = manual(2);
  const told: string[] = [];
  const ask = (name: string) => pool.room().then(() => told.push(name));
  for (const id of [0, 1, 2]) enter(id);
  await ask("one waits");
  enter(3);
  void ask("two wait");
  void ask("two wait, asked twice");
  await settle();
  await settle();
  expect(told).toEqual(["one waits"]);
  end(0, taken);
  await settle();
  expect(told).toEqual(["one waits", "two wait", "two wait, asked twice"]);
});

test("attempts stay within the limit, never stall, all end, and begin in the order of arrival", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 60 }), async (limit, steps) => {
      const { underWay, started, settled, enter, end } = manual(limit);
      let [entered, ended] = [0, 0];
      const check = () => {
        expect(underWay.size).toBeLessThanOrEqual(limit);
        if (entered > ended) expect(underWay.size).toBeGreaterThanOrEqual(1);
      };
      const endOne = async (which: number, how: Attempt | Error) => {
        const id = [...underWay.keys()][which % underWay.size];
        if (id === undefined) return;
        end(id, how);
        ended++;
        await settle();
      };
      for (const one of steps) {
        if (one.is === "enter") enter(entered++);
        else await endOne(one.which, one.how);
        check();
      }
      while (underWay.size > 0) {
        await endOne(0, taken);
        check();
      }
      expect(started).toEqual(Array.from({ length: entered }, (_, id) => id));
      expect(settled.toSorted((a, b) => a - b)).toEqual(started);
    }),
  );
});

test.each([
  ["429", { status: 429 }],
  ["503", { status: 503 }],
  ["a limit that comes as another status", { status: 403, resumes: 1 }],
])("after %s only half as many are under way, until the service accepts them again", async (_what, failure) => {
  const { underWay, enter, end } = manual(4);
  for (let id = 0; id < 40; id++) enter(id);
  const endAll = async (attempt: Attempt) => {
    for (const id of [...underWay.keys()]) end(id, attempt);
    await settle();
    return underWay.size;
  };
  expect(underWay.size).toBe(4);
  expect(await endAll({ is: "failed", answer, failure: { status: 404 } })).toBe(4);
  expect(await endAll({ is: "failed", answer, failure })).toBe(2);
  expect(await endAll(taken)).toBe(3);
  expect(await endAll(taken)).toBe(4);
  expect(await endAll(taken)).toBe(4);
});

test("attempts without an answer make it neither wider nor narrower", async () => {
  const { underWay, enter, end } = manual(2);
  for (let id = 0; id < 9; id++) enter(id);
  end(0, { is: "failed", answer, failure: { status: 429 } });
  await settle();
  for (const is of ["lost", "unsent", "final", "lost"] as const) {
    for (const id of [...underWay.keys()]) end(id, { is, problem: { code: "SP3101", message: "" } });
    await settle();
    expect(underWay.size).toBe(1);
  }
});

test("an attempt that throws, for example after an interrupt, gives its place to the next one", async () => {
  const { underWay, enter, end } = manual(1);
  for (const id of [0, 1]) enter(id);
  end(0, new Error("interrupted"));
  await settle();
  expect([...underWay.keys()]).toEqual([1]);
});
