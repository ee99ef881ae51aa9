import { describe, expect, test } from "vitest";
import type { Observation } from "../../src/core/change.ts";
import type { Kind } from "../../src/core/kind.ts";
import type { Resource } from "../../src/core/resource.ts";
import { rivalProblems } from "../../src/planner/claims.ts";
import { claimsOf } from "../../src/planner/subjects.ts";
import { absent, type Box, box, declare, gauge, unknown } from "../support/fake-kinds.ts";

/** A box whose service might know its label under another name. */
const aliased: Kind<Box> = {
  ...box,
  claims: ({ label = "" }, marker) => [label, ...(marker === undefined ? [] : [`also ${String(marker)}`])],
};
const seenAs = (marker: unknown): Observation => ({ is: "absent", marker });
const x = declare({ shelf: "a", name: "x", label: "red" });

describe("what a resource claims", () => {
  test("is what its kind derives from its specification and from what the service has for it", () => {
    expect(claimsOf(aliased, x, undefined)).toEqual(["red"]);
    expect(claimsOf(aliased, x, seenAs("rot"))).toEqual(["red", "also rot"]);
    const live: Observation = { is: "present", spec: {}, marker: "rot" };
    expect(claimsOf(aliased, x, live)).toEqual(["red", "also rot"]);
    expect(claimsOf(aliased, x, unknown)).toEqual(["red"]);
  });

  test("is nothing for a kind without claims, an unknown kind and a missing resource", () => {
    const plain: Kind = { ...gauge };
    Reflect.deleteProperty(plain, "claims");
    expect(claimsOf(plain, x, absent)).toEqual([]);
    expect(claimsOf(undefined, x, absent)).toEqual([]);
    expect(claimsOf(aliased, undefined, absent)).toEqual([]);
  });
});

describe("resources that only reading shows to manage the same thing", () => {
  const seen = (now: Resource | undefined, marker: unknown = undefined, service = "store") => ({
    address: now?.address ?? "store/Box/gone",
    service,
    kind: aliased,
    now,
    observation: seenAs(marker),
  });
  const y = { ...declare({ shelf: "a", name: "y", label: "rot" }), place: { file: "b.yaml", line: 7, column: 3 } };
  const z = declare({ shelf: "a", name: "z", label: "rouge" });

  test("are a problem that names both, at both places", () => {
    expect(rivalProblems([seen(x, "colour 1"), seen(y, "colour 1"), seen(z, "colour 2")])).toEqual([
      {
        code: "SP1016",
        address: y.address,
        message: '"store/Box/a:x" and "store/Box/a:y" both manage also colour 1.',
        place: y.place,
        other: x.place,
      },
    ]);
  });

  test("are each reported once, against the first one", () => {
    const problems = rivalProblems([seen(x, "c"), seen(y, "c"), seen(z, "c")]);
    expect(problems.map(({ address, message }) => [address, message.slice(0, 16)])).toEqual([
      [y.address, '"store/Box/a:x" '],
      [z.address, '"store/Box/a:x" '],
    ]);
  });

  test("are no problem in two services, nor if one is absent or no longer declared", () => {
    expect(rivalProblems([seen(x, "c"), seen(y, "c", "shop")])).toEqual([]);
    const gone = declare({ shelf: "a", name: "y", label: "rot" }, { state: "absent" });
    expect(rivalProblems([seen(gone, "c"), seen(x, "c"), seen(undefined, "c"), seen(gone, "c")])).toEqual([]);
  });
});
