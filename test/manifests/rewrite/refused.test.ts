import { describe, expect, test } from "vitest";
import { openManifest, rewriteDocument } from "../../../src/manifests/rewrite/document.ts";
import { sourceText } from "../../../src/manifests/yaml/source-text.ts";
import { line } from "../support/workspace.ts";
import { rewrite, spec } from "./rewriting.ts";

describe("a value is not written if that would break its source", () => {
  test.each([
    ["a: ${var.x}", { a: "y" }, "3:6+8 SP1020 a: The value comes from ${var.x}."],
    ["a: { b: ['p-${each}'] , c: 1 }", { a: 1 }, "3:12+11 SP1020 a: The value comes from ${each}."],
    ["b: &x 1\na: *x", { b: 1, a: 2 }, "4:6+2 SP1020 a: The value is the alias *x."],
    ["b: &x 1\na: *x", { b: 2, a: 1 }, "3:9+1 SP1020 b: Other values use the anchor &x."],
    ["b: &x [1]\na: *x", { b: [2], a: [1] }, "SP1020 b: Other values use the anchor &x."],
    ["b: [&x 1, 2]\na: *x", { b: [2], a: 1 }, "SP1020 b: Other values use the anchor &x."],
    ["a:\n  - 1 # one\n  - 2", { a: [] }, "SP1020 a: The comments in the value would be lost."],
    ["a: [ # one\n    1 ]", { a: [2] }, "SP1020 a: The comments in the value would be lost."],
    ["b: &x 1\na: *x", { a: 1 }, "3:9+1 SP1020 b: Other values use the anchor &x."],
    ["a: [\n    1\n    # end\n  ]", { a: [2] }, "SP1020 a: The comments in the value would be lost."],
    ["a:\n  - 1\n  # two\n  - 2", { a: "x" }, "SP1020 a: The comments in the value would be lost."],
    ["a: [ # none\n  ]", { a: [1] }, "SP1020 a: The comments in the value would be lost."],
    ["a: { 1: x }", { a: { 1: "y" } }, "3:8+1 SP1020 a: A name here is not plain text."],
    ["a: { file: x.md }", { a: { text: "x" } }, "3:8+4 SP1020 a: The value is read from a file."],
  ])("%j", (lines, live, expected) => {
    const before = `kind: K\nspec:\n${lines.replace(/^/gm, "  ")}\n`;
    const { text, refusals } = rewrite(before, live, lines.includes("file") ? { a: { text: "old" } } : {});
    expect(refusals).toHaveLength(1);
    expect(refusals[0]).toContain(expected);
    expect(text).toBe(before);
  });

  test("but the other fields are written", () => {
    const before = 'kind: K\nspec: { a: "${var.x}", b: 1 }\n';
    const { text, refusals } = rewrite(before, { a: "y", b: 2 });
    expect({ text, refusals: refusals.length }).toEqual({ text: before.replace("b: 1", "b: 2"), refusals: 1 });
  });

  test("an unused anchor, and placeholders beside the change, do not prevent it", () => {
    expect(spec("a: &x 1\nb: ['${var.y}', z]", { a: 2, b: ["${var.y}"] })).toBe("a: &x 2\nb: ['${var.y}']");
  });

  test("a specification that is not written in the document is refused", () => {
    const source = sourceText("a.yaml", 'kind: K\nspec: "${var.spec}"\n');
    const place = { file: "a.yaml", line: 1, column: 7 };
    const wish = { place, stated: { a: 1 }, live: { a: 2 }, fields: ["a"] };
    const { edits, refusals } = rewriteDocument(openManifest(source), wish);
    expect(edits).toEqual([]);
    expect(refusals.map(line)).toEqual([
      "2:7+13 SP1020 a: The value comes from ${var.spec}. | Write out the value that should differ, then adopt it.",
    ]);
    const elsewhere = rewriteDocument(openManifest(source), { ...wish, place: { ...place, line: 2 } });
    expect(elsewhere.refusals.map(({ message }) => message)).toEqual([
      "The document was not found where it was read: the file has changed, or the kind is an alias.",
    ]);
  });
});
