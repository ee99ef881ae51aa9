import { describe, expect, test } from "vitest";
import { asJson, completed, differences, plainSpec } from "../../../src/planner/decide.ts";
import { box } from "../../support/fake-kinds.ts";

describe("differences", () => {
  test("name the innermost field that both sides have, with the verdict of the outermost", () => {
    const desired = { a: { b: { c: 1, d: 2 }, e: [1] }, f: 1, g: { h: 1 }, same: { x: 1 } };
    const live = { a: { b: { c: 1, d: 3 }, e: [2], extra: 0 }, g: "text", same: { x: 1 } };
    expect(differences(desired, live, undefined)).toStrictEqual([
      { path: ["a", "b", "d"], live: 3, desired: 2, verdict: "pending" },
      { path: ["a", "e"], live: [2], desired: [1], verdict: "pending" },
      { path: ["a", "extra"], live: 0, desired: undefined, verdict: "pending" },
      { path: ["f"], live: undefined, desired: 1, verdict: "pending" },
      { path: ["g"], live: "text", desired: { h: 1 }, verdict: "pending" },
    ]);
    expect(differences({ g: "text" }, { g: { h: 1 } }, undefined)).toMatchObject([{ path: ["g"] }]);
  });

  test.each([
    [1, 2, undefined, "pending"],
    [1, 2, 1, "drift"],
    [1, 2, 2, "pending"],
    [1, 2, 3, "conflict"],
  ])("of %j desired and %j live, with %j at the base: %s", (desired, live, base, verdict) => {
    const at = base === undefined ? {} : { a: base };
    expect(differences({ a: desired }, { a: live }, at).map((field) => field.verdict)).toEqual([verdict]);
  });

  test("do not include fields that are not stated", () => {
    expect(differences({ a: undefined }, { a: 1 }, { a: 2 })).toEqual([]);
  });

  test("treat names of JavaScript's own object members like any others", () => {
    const found = differences({ a: JSON.parse('{"constructor": "x", "__proto__": {}}') }, { a: {} }, undefined);
    expect(found).toMatchObject([
      { path: ["a", "constructor"], live: undefined, desired: "x" },
      { path: ["a", "__proto__"], live: undefined, desired: {} },
    ]);
  });
});

test("the live specification is completed with what the manifest states and does not ignore", () => {
  const live = { a: 1, b: 2, c: 3 };
  expect(completed({ a: 4, b: 5, c: undefined, d: 6 }, live, ["b"])).toEqual({ a: 4, b: 2, c: 3, d: 6 });
  expect(completed({ a: 1 }, "text", [])).toEqual({ a: 1 });
  expect(completed("text", live, [])).toBe("text");
});

test("specifications are compared as normalized by their kind, and as JSON", () => {
  expect(plainSpec(box, { shelf: "a", size: undefined, made: new Date(0) })).toStrictEqual({
    shelf: "a",
    made: "1970-01-01T00:00:00.000Z",
  });
  expect(plainSpec({ ...box, normalize: () => ({ shelf: "b" }) }, { shelf: "a" })).toEqual({ shelf: "b" });
  expect(asJson({ a: undefined, b: [undefined] })).toStrictEqual({ b: [null] });
});
