import fc from "fast-check";
import { expect, test } from "vitest";
import { type Quota, quotaAfter, quotaText } from "../../src/core/run/quota.ts";

const hours = ["2026-11-22T09:00:00.000Z", "2026-11-22T10:00:00.000Z"];
const quota = fc.record({ limit: fc.constant(9), remaining: fc.nat({ max: 9 }), resets: fc.constantFrom(...hours) });

test("the lowest remaining number of the latest period counts, whatever the order of the answers", () => {
  fc.assert(
    fc.property(fc.array(quota, { minLength: 1 }), (told) => {
      const known = told.reduce<Quota | undefined>(quotaAfter, undefined);
      const [last] = told
        .map(({ resets }) => resets)
        .toSorted()
        .reverse();
      const left = told.filter(({ resets }) => resets === last).map(({ remaining }) => remaining);
      expect(known).toEqual({ limit: 9, remaining: Math.min(...left), resets: last });
    }),
  );
});

test("a quota has one text", () => {
  const text = quotaText({ limit: 5000, remaining: 4988, resets: "2026-11-22T10:00:00.000Z" });
  expect(text).toBe("4,988 of 5,000 requests left until 2026-11-22 10:00 UTC");
});
