import { expect, test } from "vitest";
import { z } from "zod";
import { argumentsBeyond, beyondDocuments, beyondProblem } from "../../src/core/beyond.ts";

const args = z.strictObject({
  name: z.string(),
  flags: z.string().optional().meta({ ext: "docs/facts.md, Flags" }),
  depth: z.int().optional().meta({ ext: "docs/facts.md, Depth: measured: 3" }),
  marked: z.string().optional().meta({ ext: 3 }),
});

test("the arguments beyond the documents are those that cite a fact", () => {
  expect([...argumentsBeyond({ args })]).toEqual([
    ["flags", "docs/facts.md, Flags"],
    ["depth", "docs/facts.md, Depth: measured: 3"],
  ]);
  expect([...argumentsBeyond({ args: z.strictObject({}) })]).toEqual([]);
});

test("a call is beyond the documents because of its operation, or of the first such argument that it sets", () => {
  const ext = "docs/facts.md, Boxes";
  expect(beyondDocuments("arrange", { args, ext }, { flags: "x" })).toEqual({ what: "arrange", ext });
  expect(beyondDocuments("arrange", { args }, { name: "x", depth: 1, flags: "x" })).toEqual({
    what: "flags of arrange",
    ext: "docs/facts.md, Flags",
  });
  expect(beyondDocuments("arrange", { args }, { name: "x", depth: 1 })?.what).toBe("depth of arrange");
  expect(beyondDocuments("arrange", { args }, { name: "x", flags: undefined, marked: "x" })).toBeUndefined();
});

test("such a call is refused with a message that names the argument and a hint about the setting; others are not", () => {
  expect(beyondProblem("arrange", { args }, { name: "x", depth: 1 })).toEqual({
    code: "SP3007",
    message: "depth of arrange is not in the service's API documents, so it is not sent under wire: documented.",
    hint: "Set wire: product if the service is the product (measured: 3).",
  });
  expect(beyondProblem("arrange", { args }, { name: "x" })).toBeUndefined();
});
