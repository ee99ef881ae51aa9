import fc from "fast-check";
import { expect, test } from "vitest";
import { type Quota, quotaAfter, quotaText } from "../../src/core/quota.ts";

const hours = ["2026-11-22T09:00:00.000Z", "2026-11-22T10:00:00.000Z"];
const quota = fc.record({ limit: fc.constant(9), remaining: fc.nat({ max: 9 }), resets: fc.constantFrom(...hours) });

test("whatever order answers arrive in, the fewest that are left in the last period hold", () => {
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

test("a quota is said in one way", () => {
  const text = quotaText({ limit: 5000, remaining: 4988, resets: "2026-11-22T10:00:00.000Z" });
  expect(text).toBe("4,988 of 5,000 requests left until 2026-11-22T10:00:00Z");
});
