import fc from "fast-check";
import { expect, test } from "vitest";
import { kinds } from "../../src/reconcilers/registry.ts";
import { fullSituation } from "../support/generate.ts";
import { unlistedKinds } from "./untouched.ts";

test("the generated manifests have documents of every kind, so that every law is about every kind", () => {
  const situations = fc.sample(fullSituation, { numRuns: 60, seed: 1 });
  const generated = new Set(situations.flatMap(({ now }) => now.map(({ kind }) => kind)));
  expect([...kinds.keys()].filter((kind) => !generated.has(kind))).toEqual([]);
});

test("the law about what documents leave out reads fields of every kind that has such fields, or says why it has none", () => {
  expect(unlistedKinds()).toEqual({ missing: [], needless: [] });
});
