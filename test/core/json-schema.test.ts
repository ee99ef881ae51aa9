import { expect, test } from "vitest";
import { z } from "zod";
import { branchesOf, entryOf, otherOf, partAt, resolved, type Schema, schemaOf } from "../../src/core/json-schema.ts";

const Leaf = z.strictObject({ name: z.string() }).describe("A leaf.");
const Tree = z.strictObject({
  get below() {
    return z.array(Tree);
  },
  leaf: z.union([z.literal("none"), z.union([Leaf, z.int()])]).describe("What grows here."),
  both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
  labels: z.record(z.string(), z.boolean()),
  pair: z.tuple([z.string(), z.int()]),
});
const root = schemaOf(Tree);

function types(schemas: readonly Schema[]) {
  return schemas.map(({ type }) => type);
}

test("a reference leads to what it names, and a schema that holds itself to itself", () => {
  const below = partAt(root, "below");
  const entry = entryOf(resolved(below, root));
  expect(Object.keys(resolved(entry, root).properties ?? {})).toEqual(Object.keys(root.properties ?? {}));
  const named = { $ref: "#/$defs/leaf", description: "Ours." };
  expect(resolved(named, { $defs: { leaf: { type: "string", description: "Any." } } })).toEqual({
    type: "string",
    description: "Ours.",
  });
});

test("alternatives within alternatives are told one by one, each with what is said of all", () => {
  const branches = branchesOf(partAt(root, "leaf"), root);
  expect(types(branches)).toEqual(["string", "object", "integer"]);
  expect(branches.map(({ description }) => description)).toEqual(Array(3).fill("What grows here."));
});

test("parts that all count are told like alternatives", () => {
  const fields = branchesOf(partAt(root, "both"), root).flatMap(({ properties = {} }) => Object.keys(properties));
  expect(fields).toEqual(["a", "b"]);
});

test("a step leads to a field, any other name, or an entry by its place", () => {
  expect(resolved(partAt(resolved(partAt(root, "labels"), root), "any"), root)).toMatchObject({ type: "boolean" });
  expect(otherOf(resolved(partAt(root, "labels"), root))).toMatchObject({ type: "boolean" });
  const pair = resolved(partAt(root, "pair"), root);
  expect([0, 1].map((at) => resolved(partAt(pair, at), root).type)).toEqual(["string", "integer"]);
  expect(partAt(root, "toString")).toBeUndefined();
});
