import fc from "fast-check";
import { expect, test } from "vitest";
import { kinds } from "../../src/reconcilers/registry.ts";
import { fullSituation } from "../support/generate.ts";
import { unlistedKinds } from "./untouched.ts";

test("the generated manifests have documents of every kind, so that every law is about every kind", () => {
  const missing = new Set(kinds.keys());
  for (let seed = 1; seed <= 60 && missing.size > 0; seed++)
    for (const { now } of fc.sample(fullSituation, { numRuns: 1, seed }))
      for (const { kind } of now) missing.delete(kind);
  expect([...missing]).toEqual([]);
});

test("the law about what documents leave out reads fields of every kind that has such fields, or says why it has none", () => {
  expect(unlistedKinds()).toEqual({ missing: [], needless: [] });
});
