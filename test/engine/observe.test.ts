import { expect, test } from "vitest";
import type { Observation } from "../../src/core/change.ts";
import type { Kind } from "../../src/core/kind.ts";
import { observe, scopeReader } from "../../src/engine/observe.ts";
import { makePlan } from "../../src/planner/make-plan.ts";
import { absent, Box, box, declare, fakeOperations, present } from "../support/fake-kinds.ts";

test("what was observed is decided about once, on the way to a plan too, and nothing is asked for twice", async () => {
  const asked: string[] = [];
  const decidedAbout: string[] = [];
  const bottom = { shelf: "a", name: "bottom" };
  const counted: Kind = {
    ...box,
    async observe(_read, _scope, wanted) {
      const keys = wanted.map((spec) => box.key(Box.parse(spec)));
      asked.push(...keys);
      return new Map(keys.map((key): [string, Observation] => [key, key === "a:bottom" ? present(bottom) : absent]));
    },
    needsPerson({ key }) {
      decidedAbout.push(key);
      return undefined;
    },
  };
  // The top one needs a box that left the manifests, and one that never stood in them.
  const declarations = {
    kinds: new Map([["Box", counted]]),
    desired: [declare({ shelf: "a", name: "top", on: ["bottom", "elsewhere"] })],
    base: [declare(bottom)],
    selected: () => true,
    now: new Date(0),
  };
  const observed = await observe(
    declarations,
    scopeReader(() => ({})),
  );
  const planned = makePlan({
    ...declarations,
    ...observed,
    offeredBy: () => ({ table: fakeOperations, wire: "product" }),
    services: [],
    about: { command: "plan", at: "2027-01-14T02:00:00.000Z", workspace: "platform" },
    baseRef: undefined,
    guards: { maxDeletePercent: 100, noDeletes: false },
    unlisted: [],
    unmanaged: undefined,
  });
  expect(planned).toMatchObject({
    is: "wrong",
    problems: [
      { code: "SP1010", message: expect.stringContaining("a:bottom, which has left the manifests") },
      { code: "SP1010", message: expect.stringContaining("a:elsewhere, which is neither declared nor live") },
    ],
  });
  expect(asked).toEqual(["a:bottom", "a:top", "a:elsewhere"]);
  expect(decidedAbout).toEqual(["a:bottom", "a:top"]);
});
