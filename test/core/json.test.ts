import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, sameJson } from "../../src/core/json.ts";

test("law: the order of names changes nothing, at any depth", () => {
  const reversed = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(reversed)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([name, inner]) => [name, reversed(inner)]),
          )
        : value;
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      expect(sameJson(reversed(value), value)).toBe(true);
    }),
  );
});

test("the order of a list matters, and undefined members do not", () => {
  expect(sameJson([1, 2], [2, 1])).toBe(false);
  expect(sameJson({ a: undefined }, {})).toBe(true);
  expect(sameJson({ a: null }, {})).toBe(false);
});
