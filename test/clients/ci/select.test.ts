import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type TreeField, TreeSelection, treeText, XPath, xpathText } from "../../../src/clients/ci/select.ts";

describe("a tree", () => {
  test.each<readonly [readonly TreeField[], string]>([
    [["name"], "name"],
    [["name", "url"], "name,url"],
    [[{ field: "actions", of: [{ field: "parameters", of: ["*"] }] }], "actions[parameters[*]]"],
    [[{ field: "allBuilds", of: ["id", "number"], range: [100, 200] }, "name"], "allBuilds[id,number]{100,200},name"],
  ])("%j is written as %s", (fields, text) => {
    expect(treeText(fields)).toBe(text);
  });

  test("in the server's own syntax is left as it is", () => {
    expect(TreeSelection.parse("jobs[name]{0,5}")).toBe("jobs[name]{0,5}");
  });

  test.each(["a[b", "a,b", "a]", "", "a{0}"])("accepts no field %j", (field) => {
    expect(TreeSelection.safeParse([field]).success).toBe(false);
    expect(TreeSelection.safeParse([{ field: "a", of: [field] }]).success).toBe(false);
  });
});

describe("an xpath", () => {
  test("for the value of a parameter is the one in the documents", () => {
    const steps = ["*", "action", { element: "parameter", where: { name: "BRANCH" } }, "value"];
    expect(XPath.parse(steps)).toBe("/*/action/parameter[name='BRANCH']/value");
  });

  test.each([
    ["it's", `/a[b="it's"]`],
    ['say "x"', `/a[b='say "x"']`],
    [`it's "x"`, `/a[b=concat('it',"'",'s "x"')]`],
  ])("compares with %j in quotes that can contain it", (text, expected) => {
    expect(xpathText([{ element: "a", where: { b: text } }])).toBe(expected);
  });

  test("compares with any text and nothing else: its literals add up to the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("'", '"', "]", "/", "a", ",", ")") }), (text) => {
        const written = xpathText([{ element: "a", where: { b: text } }]);
        const inner = /^\/a\[b=(?:concat\()?(.*?)\)?\]$/s.exec(written)?.[1] ?? "";
        const literals = inner.match(/'[^']*'|"[^"]*"/g) ?? [];
        expect(literals.map((literal) => literal.slice(1, -1)).join("")).toBe(text);
        expect(written.replace(/'[^']*'|"[^"]*"/g, "")).toMatch(/^\/a\[b=(concat\(,*\))?\]$/);
      }),
    );
  });

  test.each(["a b", "a[1]", "..", ""])("accepts no step %j", (step) => {
    expect(XPath.safeParse([step]).success).toBe(false);
    expect(XPath.safeParse([{ element: step, where: {} }]).success).toBe(false);
  });
});
