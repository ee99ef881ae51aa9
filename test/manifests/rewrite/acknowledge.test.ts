import { expect, test } from "vitest";
import type { Acknowledgement } from "../../../src/core/acknowledgement.ts";
import { acknowledgementEdits, openManifest } from "../../../src/manifests/rewrite/document.ts";
import { withEdits } from "../../../src/manifests/rewrite/page.ts";
import { sourceText } from "../../../src/manifests/yaml/source-text.ts";
import { problemsOf } from "../../support/lab.ts";

const whole: Acknowledgement = { until: "2027-01-20", reason: "Under repair", by: "Ada <ada@example.com>" };
const ofEnabled: Acknowledgement = { fields: ["enabled"], ...whole };

/** The text with an acknowledgement in the document whose kind is on the given line. */
function acknowledged(text: string, line: number, acknowledgement: Acknowledgement): string {
  const column = (text.split("\n")[line - 1] ?? "").search(/"?Box/) + 1;
  const manifest = openManifest(sourceText("a.yaml", text));
  return withEdits(text, acknowledgementEdits(manifest, { file: "a.yaml", line, column }, acknowledgement));
}

test("a document without metadata gets them after its kind, and comments stay", () => {
  expect(
    acknowledged("# Ours.\nkind: Box # plain\n\n# What it is.\nspec:\n  name: x # no\n", 2, ofEnabled),
  ).toMatchInlineSnapshot(`
      "# Ours.
      kind: Box # plain
      metadata:
        ignore:
          - fields: [enabled]
            until: 2027-01-20
            reason: Under repair
            by: Ada <ada@example.com>

      # What it is.
      spec:
        name: x # no
      "
    `);
});

test("the second document of a file gets it among its existing metadata", () => {
  const text = "kind: Box\nspec: {}\n---\nkind: Box\nmetadata:\n  # Ours.\n  labels: { a: b }\nspec: {}\n";
  expect(acknowledged(text, 4, whole)).toMatchInlineSnapshot(`
    "kind: Box
    spec: {}
    ---
    kind: Box
    metadata:
      # Ours.
      labels: { a: b }
      ignore:
        - until: 2027-01-20
          reason: Under repair
          by: Ada <ada@example.com>
    spec: {}
    "
  `);
});

test("an acknowledgement of the same fields is replaced, and the others stay", () => {
  const text = `kind: Box
metadata:
  ignore:
    - groups # never
    - { fields: [name], until: 2026-12-31, reason: Old }
    - { fields: [enabled], until: 2026-12-31, reason: Old } # second
spec: {}
`;
  expect(acknowledged(text, 1, ofEnabled)).toMatchInlineSnapshot(`
    "kind: Box
    metadata:
      ignore:
        - groups # never
        - { fields: [name], until: 2026-12-31, reason: Old }
        - { fields: [enabled], until: 2027-01-20, reason: Under repair, by: Ada <ada@example.com> } # second
    spec: {}
    "
  `);
});

test.each([
  ["JSON", '{ "kind": "Box", "spec": {} }\n'],
  ["a list on one line", "kind: Box\nmetadata: { ignore: [groups] }\nspec: {}\n"],
  ["empty metadata", "kind: Box\nmetadata:\nspec: {}\n"],
  ["no line end", "spec: {}\nkind: Box"],
  ["Windows lines", "kind: Box\r\nspec: {}\r\n"],
])("%s", (_name, text) => {
  const line = text.split("\n").findIndex((one) => one.includes("Box")) + 1;
  expect(acknowledged(text, line, whole)).toMatchSnapshot();
});

test("a repeated document is refused, and so are one whose metadata are an alias and one that is not found", async () => {
  const moved = Promise.resolve().then(() => acknowledged("kind: Box\nspec: {}\n", 2, whole));
  expect(await problemsOf(moved)).toMatchObject([{ code: "SP1020", message: expect.stringContaining("not found") }]);
  const repeated = Promise.resolve().then(() => acknowledged("kind: Box\nforEach: [1, 2]\nspec: {}\n", 1, whole));
  expect(await problemsOf(repeated)).toMatchObject([
    { code: "SP1020", message: expect.stringContaining("forEach makes several resources") },
  ]);
  const text = "$schema: &a {}\nkind: Box\nmetadata: *a\nspec: {}\n";
  const aliased = Promise.resolve().then(() => acknowledged(text, 2, whole));
  expect(await problemsOf(aliased)).toMatchObject([{ code: "SP1020", message: "The value is the alias *a." }]);
});
