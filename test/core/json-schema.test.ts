import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SecretReference } from "../../src/core/secret.ts";
import {
  alternativesOf,
  itemSchema,
  otherOf,
  partAt,
  resolved,
  type Schema,
  schemaOf,
  shapeOf,
} from "../../src/core/text/json-schema.ts";
import { kinds } from "../../src/reconcilers/registry.ts";

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

test("a reference is resolved to its target, and a recursive schema to itself", () => {
  const below = partAt(root, "below");
  const entry = itemSchema(resolved(below, root));
  expect(Object.keys(resolved(entry, root).properties ?? {})).toEqual(Object.keys(root.properties ?? {}));
  const named = { $ref: "#/$defs/leaf", description: "Ours." };
  expect(resolved(named, { $defs: { leaf: { type: "string", description: "Any." } } })).toEqual({
    type: "string",
    description: "Ours.",
  });
});

test("nested alternatives are listed one by one, each with the description of the whole", () => {
  const branches = alternativesOf(partAt(root, "leaf"), root);
  expect(types(branches)).toEqual(["string", "object", "integer"]);
  expect(branches.map(({ description }) => description)).toEqual(Array(3).fill("What grows here."));
});

test("the parts of allOf are listed like alternatives", () => {
  const fields = alternativesOf(partAt(root, "both"), root).flatMap(({ properties = {} }) => Object.keys(properties));
  expect(fields).toEqual(["a", "b"]);
});

test("a step selects a field, any other name, or an entry by its position", () => {
  expect(resolved(partAt(resolved(partAt(root, "labels"), root), "any"), root)).toMatchObject({ type: "boolean" });
  expect(otherOf(resolved(partAt(root, "labels"), root))).toMatchObject({ type: "boolean" });
  const pair = resolved(partAt(root, "pair"), root);
  expect([0, 1].map((at) => resolved(partAt(pair, at), root).type)).toEqual(["string", "integer"]);
  expect(partAt(root, "toString")).toBeUndefined();
});

test("a schema describes what can be written, not what is made of it", () => {
  const Written = z.strictObject({ size: z.string().transform(Number), more: z.string().default("x"), on: z.date() });
  expect(schemaOf(Written)).toMatchObject({
    properties: { size: { type: "string" }, more: { type: "string" }, on: {} },
    required: ["size", "on"],
  });
});

test("whatever is not a schema, and a reference without a target, are empty schemas", () => {
  expect([true, false, undefined].map((part) => resolved(part, root))).toEqual([{}, {}, {}]);
  expect(resolved({ $ref: "#/$defs/nonesuch", title: "x" }, {})).toEqual({ title: "x" });
  const leaf: Schema = { type: "string" };
  expect(resolved(leaf, root)).toBe(leaf);
  expect(resolved({ $ref: "#" }, leaf)).toEqual(leaf);
});

test("each way to state alternatives lists its parts without the alternatives themselves", () => {
  const one: Schema = { type: "string" };
  const two: Schema = { type: "integer", description: "Two." };
  for (const way of ["anyOf", "oneOf", "allOf"]) {
    const branches = alternativesOf({ [way]: [one, two], description: "All." }, {});
    expect(branches).toEqual([
      { type: "string", description: "All." },
      { type: "integer", description: "All." },
    ]);
  }
  expect(alternativesOf({ anyOf: [one], oneOf: [two], allOf: [{ type: "null" }] }, {})).toEqual([
    one,
    two,
    { type: "null" },
  ]);
  expect(alternativesOf(one, {})).toEqual([one]);
});

test("the entries of a list have a schema only if all share it", () => {
  expect(itemSchema({ items: { type: "string" } })).toEqual({ type: "string" });
  for (const items of [true, undefined, [{ type: "string" as const }]])
    expect(itemSchema(items === undefined ? {} : { items })).toBeUndefined();
  expect(partAt({ items: { type: "string" } }, 3)).toEqual({ type: "string" });
  expect(partAt({ prefixItems: [{ type: "null" }], items: { type: "string" } }, 0)).toEqual({ type: "null" });
  expect(partAt({ prefixItems: [{ type: "null" }], items: { type: "string" } }, 1)).toEqual({ type: "string" });
  expect(partAt({}, 0)).toBeUndefined();
  expect(otherOf({ additionalProperties: false })).toBeUndefined();
  expect(partAt({}, "a")).toBeUndefined();
});

describe("the shape of a specification", () => {
  const shape = shapeOf(
    z.strictObject({
      name: z.string(),
      tokens: z.array(
        z.union([z.strictObject({ file: z.string() }), z.strictObject({ file: z.string(), env: SecretReference })]),
      ),
      open: z.record(z.string(), z.int()),
    }),
  );

  test("names the fields at a path, each once", () => {
    expect(shape.fieldsAt([])).toEqual(["name", "tokens", "open"]);
    expect(shape.fieldsAt(["tokens", 3])).toEqual(["file", "env"]);
    for (const path of [["name"], ["tokens"], ["open"], ["nonesuch"], ["open", "a"]])
      expect(shape.fieldsAt(path)).toEqual([]);
  });

  test("knows where secrets are, in any alternative", () => {
    expect(shape.isSecret(["tokens", 0, "env"])).toBe(true);
    for (const path of [[], ["name"], ["tokens", 0], ["tokens", 0, "file"]]) expect(shape.isSecret(path)).toBe(false);
    expect(shape.hasSecrets()).toBe(true);
    expect(shapeOf(z.strictObject({ secret: z.boolean() })).hasSecrets()).toBe(false);
  });
});

test.each([...kinds])("%s has secrets if its JSON Schema marks one", (_name, { spec }) => {
  expect(shapeOf(spec).hasSecrets()).toBe(JSON.stringify(schemaOf(spec)).includes('"secret":true'));
});

test("a mark is found in any part of a schema", () => {
  const marked = [
    z.object({ a: z.array(SecretReference).optional() }),
    z.record(z.string(), SecretReference),
    z.tuple([z.string(), SecretReference]),
    z.union([z.string(), z.intersection(z.object({ a: SecretReference }), z.object({ b: z.int() }))]),
    z.lazy(() => z.object({ a: SecretReference.default("${env:A}") })),
    z.string().pipe(SecretReference),
  ];
  expect(marked.map((schema) => shapeOf(schema).hasSecrets())).toEqual(marked.map(() => true));
  expect([Tree, Leaf, z.lazy(() => Tree)].map((schema) => shapeOf(schema).hasSecrets())).toEqual([false, false, false]);
});
