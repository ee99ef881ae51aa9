import fc from "fast-check";
import { expect, test } from "vitest";
import { PropertyNames, PropertySet } from "../../../src/clients/artifacts/arguments.ts";
import { ArtifactQuery, queryText } from "../../../src/clients/artifacts/query.ts";
import { parseQuery } from "../../../src/sandbox/artifacts/query.ts";
import { parseProperties } from "../../../src/sandbox/artifacts/writes.ts";
import { anyCharacter } from "../../support/any-character.ts";

test("separators in properties are escaped with a backslash, which is not escaped itself", () => {
  const text = PropertySet.parse({ "build.name": ["a,b", "c|d"], k: ["e=f\\g", "(h)"] });
  expect(text).toBe("build.name=a\\,b,c\\|d|k=e\\=f\\g,(h)");
});

test("any properties that can be written are read back unchanged", () => {
  const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9._:-]*$/);
  const value = fc
    .oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: fc.constantFrom(..."\\,=|a") }))
    .filter((text) => PropertySet.safeParse({ a: [text] }).success);
  const properties = fc.dictionary(name, fc.uniqueArray(value, { minLength: 1 }), {
    minKeys: 1,
    noNullPrototype: true,
  });
  fc.assert(
    fc.property(properties, (written) => {
      expect(parseProperties(PropertySet.parse(written))).toEqual(written);
    }),
  );
});

test("properties can end with a separator, as the official client writes them", () => {
  expect(parseProperties("a=b,c;d=e\\;;")).toEqual({ a: ["b", "c"], d: ["e;"] });
  expect(parseProperties("d=e\\;")).toEqual({ d: ["e;"] });
});

test.each([
  ["a digit in front of a name", { "1a": ["x"] }],
  ["a space in a name", { "a b": ["x"] }],
  ["a bracket in a name", { "a[0]": ["x"] }],
  ["a slash in a name", { "a/b": ["x"] }],
  ["a | in a name", { "a|b": ["x"] }],
  ["a ; in a value", { a: ["x;b=y"] }],
  ["a backslash at the end of a value", { a: ["x\\"] }],
  ["a space at the end of a value", { a: ["x "] }],
  ["no name", { "": ["x"] }],
  ["no value", { a: [] }],
  ["nothing", {}],
])("%s is refused", (_case, properties) => {
  expect(PropertySet.safeParse(properties).success).toBe(false);
});

test("names to remove are a comma-separated list", () => {
  expect(PropertyNames.parse(["a", "b.c"])).toBe("a,b.c");
  expect(PropertyNames.safeParse(["a,b"]).success).toBe(false);
});

test("the parts of a query are in the order that the language requires", () => {
  const query = ArtifactQuery.parse({
    find: "items",
    where: {
      repo: "libs",
      type: "folder",
      created: { $before: "4w" },
      $or: [{ depth: { $gt: 2 } }, { $and: [{ "@k": "v" }] }],
    },
    include: ["name", "property"],
    sort: { asc: ["repo", "created"] },
    offset: 10,
    limit: 5,
  });
  expect(queryText(query)).toBe(
    'items.find({"$or":[{"depth":{"$gt":2}},{"$and":[{"@k":"v"}]}],"repo":"libs","type":"folder","created":{"$before":"4w"}})' +
      '.include("name","property").sort({"$asc":["repo","created"]}).offset(10).limit(5)',
  );
});

test("no value can change the meaning of a query", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter }).filter((text) => text.isWellFormed()),
      (text) => {
        const query = ArtifactQuery.parse({ find: "builds", where: { name: text, "@k": { $match: text } }, limit: 1 });
        expect(parseQuery(queryText(query))).toMatchObject({
          domain: "builds",
          where: [{ name: text, "@k": { $match: text } }],
          limit: 1,
        });
      },
    ),
    { examples: [['"}).limit(9)'], ["\\"], ["\u2028\n"]] },
  );
});

test.each([
  ["an operator that does not exist", { find: "items", where: { name: { $regex: "x" } } }],
  ["another domain", { find: "artifacts" }],
  ["two orders", { find: "items", sort: { asc: ["a"], desc: ["b"] } }],
  ["a list as a value", { find: "items", where: { name: ["a"] } }],
  ["no rows", { find: "items", limit: 0 }],
])("%s is refused", (_case, query) => {
  expect(ArtifactQuery.safeParse(query).success).toBe(false);
});
