import { expect, test } from "vitest";
import type { Answer } from "../../../src/clients/http/answer.ts";
import { openGauge, quotaIn } from "../../../src/clients/http/gauge.ts";

function answer(fields: Readonly<Record<string, string>>): Answer {
  const headers = Object.fromEntries(Object.entries(fields).map(([name, value]) => [`x-ratelimit-${name}`, value]));
  return { status: 200, headers, body: Buffer.alloc(0) };
}

const told = { limit: "5000", remaining: "4988", reset: "1795341600" };

test("a quota comes from the header fields of an answer, and nonsense or another quota is ignored", () => {
  const quota = { limit: 5000, remaining: 4988, resets: "2026-11-22T10:00:00.000Z" };
  expect(quotaIn(answer(told))).toEqual(quota);
  expect(quotaIn(answer({ ...told, resource: "core" }))).toEqual(quota);
  for (const wrong of [{ resource: "search" }, { limit: "" }, { remaining: "-1" }, { reset: "9999999999999" }])
    expect(quotaIn(answer({ ...told, ...wrong }))).toBeUndefined();
});

test("time counts once, however many requests are under way, and not while there are none", async () => {
  let now = 0;
  const gauge = openGauge({ now: () => now });
  const ends = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const run = (index: number) => gauge.during(() => ends[index]?.promise ?? Promise.resolve());
  const end = async (index: number, request: Promise<unknown>, fail = false) => {
    if (fail) ends[index]?.reject(new Error("lost"));
    else ends[index]?.resolve();
    await request.catch(() => {});
  };
  const [first, second] = [run(0), run(1)];
  now = 10;
  await end(0, first);
  now = 15;
  await end(1, second, true);
  now = 100;
  const third = run(2);
  now = 101;
  await end(2, third);
  expect(gauge.measured).toEqual({ requests: 3, milliseconds: 16, quota: undefined });
});
