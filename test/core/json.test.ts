import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, isJsonObject, isObject, Json, member, sameJson } from "../../src/core/text/json.ts";

test("law: the order of names makes no difference, at any depth", () => {
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

/** Any JavaScript value. */
const anything = fc.anything({ withDate: true, withNullPrototype: true, withSparseArray: true, maxDepth: 4 });

test("law: two values are the same exactly if their canonical texts are", () => {
  fc.assert(
    fc.property(anything, anything, (a, b) => {
      expect(sameJson(a, b)).toBe(a === b || canonicalJson(a) === canonicalJson(b));
    }),
  );
  const words = fc.constantFrom<unknown>("a", "b", "", "true", true, false);
  fc.assert(
    fc.property(words, words, (a, b) => {
      expect(sameJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
    }),
  );
});

test("law: a JSON object is exactly what writing and reading it preserves", () => {
  const withGaps = fc.object({ values: [fc.constant(undefined), fc.double(), fc.string(), fc.date(), anything] });
  let both = 0;
  fc.assert(
    fc.property(withGaps, (value) => {
      if (!isJsonObject(value)) return;
      both++;
      expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value);
    }),
    { examples: [[{ a: [1, { b: null }] }], [{}]] },
  );
  expect(both).toBeGreaterThan(1);
  for (const value of [{ a: undefined }, { a: [Number.NaN] }, { a: new Date(0) }, [1], null, { a: () => 1 }])
    expect(isJsonObject(value)).toBe(false);
});

test("the order of a list matters, while undefined members do not", () => {
  expect(sameJson([1, 2], [2, 1])).toBe(false);
  expect(sameJson({ a: undefined }, {})).toBe(true);
  expect(sameJson({ a: null }, {})).toBe(false);
});

test("names are sorted by code unit, and undefined members are left out", () => {
  expect(canonicalJson({ b: [{ d: 1, c: undefined }], B: null, a: "x", ä: 1 })).toBe(
    '{"B":null,"a":"x","b":[{"d":1}],"ä":1}',
  );
});

test("undefined equals only itself, and an empty list is not an empty object", () => {
  expect(sameJson(undefined, undefined)).toBe(true);
  expect(sameJson(undefined, null)).toBe(false);
  expect(sameJson([], {})).toBe(false);
});

test("an object is neither null nor a list", () => {
  expect([{}, { a: 1 }, [], null, undefined, "x", 3].map(isObject)).toEqual([true, true, ...Array(5).fill(false)]);
});

test("a step selects an entry of a list by number or an own member of an object, and nothing else", () => {
  expect(member(["a", "b"], 1)).toBe("b");
  expect(member(["a", "b"], "1")).toBe("b");
  expect(member(["a"], "length")).toBeUndefined();
  expect(member({ a: 1 }, "a")).toBe(1);
  expect(member({ 7: "x" }, 7)).toBe("x");
  for (const value of [{ a: 1 }, "text", null, undefined, 3]) expect(member(value, "toString")).toBeUndefined();
});

test("any JSON is accepted, and nothing else", () => {
  expect(Json.parse({ a: [1, "x", null, true] })).toEqual({ a: [1, "x", null, true] });
  for (const value of [undefined, () => 1, 1n, new Date(0)]) expect(Json.safeParse(value).success).toBe(false);
});
