import { readFileSync } from "node:fs";
import fc from "fast-check";
import { globSync } from "tinyglobby";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { shapeOf } from "../../../src/core/text/json-schema.ts";
import { formatManifest } from "../../../src/manifests/rewrite/format.ts";
import { kinds } from "../../../src/reconcilers/registry.ts";
import { lawRuns } from "../../support/worlds/parts.ts";

const shapeOfKind = (name: string) => {
  const kind = kinds.get(name);
  return kind && shapeOf(kind.spec);
};
const format = (text: string) => {
  const formatted = formatManifest(text, shapeOfKind);
  return formatted.is === "formatted" ? formatted.text : formatted.reason;
};
const read = (text: string): readonly unknown[] =>
  parseAllDocuments(text).flatMap((document): readonly unknown[] => {
    expect(document.errors).toEqual([]);
    const value: unknown = document.toJS();
    return value === null ? [] : [value];
  });

test("fields are put in the order of their schemas, indented by two spaces, and quoted only if necessary", () => {
  const text = `# yaml-language-server: $schema=../schema/manifest.schema.json
# Frozen until the release.
spec:
     # The branch of the release.
     branch:    'release-2.4'   # not main
     project: "platform/core"


     reason: 'it is: frozen'
metadata: {protect: false, labels: {train: "2.4", on: "yes"}}
kind: "BranchLock"
# the end
---
# Two more.
kind: BranchLock
forEach: ["\${var.branches}"]
spec: { branch: "\${each}", project: x }
---
`;
  expect(format(text)).toMatchInlineSnapshot(`
    "# yaml-language-server: $schema=../schema/manifest.schema.json
    # Frozen until the release.
    kind: BranchLock
    metadata: { labels: { train: "2.4", on: "yes" }, protect: false }
    spec:
      project: platform/core
      # The branch of the release.
      branch: release-2.4 # not main

      reason: "it is: frozen"

    # the end
    ---
    # Two more.
    kind: BranchLock
    forEach: ["\${var.branches}"]
    spec: { project: x, branch: "\${each}" }
    "
  `);
});

test.each([
  [
    "CRLF, a byte order mark, no end",
    "\ufeffkind: A\r\nspec:\r\n    b: |\r\n      x\r\n      y",
    "kind: A\r\nspec:\r\n  b: |\r\n    x\r\n    y\r\n",
  ],
  ["line ends of both kinds", "kind: A\nspec:\r\n  b: 1\r\n", "kind: A\nspec:\n  b: 1\n"],
  [
    "an alias stays behind its anchor",
    "spec: { a: &x [1] }\nkind: A\nmetadata: { labels: *x }\n",
    "spec: { a: &x [1] }\nkind: A\nmetadata: { labels: *x }\n",
  ],
  [
    "line breaks that a text keeps at the end",
    "kind: A\nspec:\n  b: |+\n    x\n\n---\nkind: B\n",
    "a comment or a value is where it could not be kept",
  ],
  ["%-lines", "%YAML 1.2\n---\nkind: A\n", "it has YAML directives, which begin with %"],
  ["nothing but comments", "# nothing yet\n", "# nothing yet\n"],
  [
    "JSON stays JSON",
    '\ufeff{ "spec":\r\n\t{ "a": 1 }, "kind": "A" }',
    '\ufeff{ "spec":\r\n\t{ "a": 1 }, "kind": "A" }',
  ],
  [
    "mappings in lists",
    "kind: AccessRule\nspec:\n  rules:\n    - { force: true, group: x }\n    - # why\n      force: true\n      group: y\n",
    "kind: AccessRule\nspec:\n  rules:\n    - { group: x, force: true }\n    - group: y\n      # why\n      force: true\n",
  ],
  ["names in quotes", '{ "spec": { "a": 1 }, "kind": "A", }\n', "{ kind: A, spec: { a: 1 } }\n"],
])("%s", (_what, text, expected) => {
  expect(format(text)).toBe(expected);
});

test("a number stays as it is written, because a placeholder can put it into text", () => {
  const text =
    "kind: K\nforEach: [08, 1.10, 1e3, 0x1F, +5, .5, 12345678901234567890, 0.10000000000000000001, 0o14, -.inf]\n";
  expect(format(text.replace(", ", ",   "))).toBe(text);
});

test("an invisible character stays an escape, or itself, as it was written", () => {
  const escapes = 'kind: K\nspec:\n  a: "\\u202edlo\\u2028 \\u00a0\\ufeff\\U000e0041\\x7f"\n';
  expect(format(escapes)).toBe(escapes.replace("\\x7f", "\\u007f"));
  expect(format('kind: K\nspec:\n  a: "👩\u200d💻"\n  b:   "\\u200b"\n')).toBe(
    'kind: K\nspec:\n  a: "👩\u200d💻"\n  b: "\\u200b"\n',
  );
});

test("the examples are formatted, also as git on Windows checks them out", () => {
  const files = globSync("examples/**/*.yaml").filter((file) => /^kind:/m.test(readFileSync(file, "utf8")));
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    for (const checkedOut of [text, text.replaceAll("\n", "\r\n")]) expect(format(checkedOut), file).toBe(checkedOut);
  }
});

const comment = fc.constantFrom("", "", "", " # a note", " # 'quoted' # twice");
const line = fc.constantFrom("", "", "", "# above\n", "\n", "\n\n# after a gap\n");
const key = fc.constantFrom("project", "branch", "reason", "permissions", "zeta", "'quoted key'", '"yes"');
const leaf = fc.oneof(
  fc.constantFrom(
    "x",
    "'x'",
    '"2.4"',
    "true",
    '"true"',
    "${var.a}",
    '"${var.a} b"',
    "'it''s: so'",
    "[ a,b ]",
    '["a: b", c]',
  ),
  fc.constantFrom(
    "{a: 1,b: [2]}",
    "null",
    "~",
    "0x1F",
    "1e3",
    '"a\\nb"',
    "'#no'",
    "plain # not",
    "|\n    # text\n      x\n",
    ">\n    a\n    b\n",
  ),
  fc.string({ maxLength: 12 }).map((text) => JSON.stringify(text)),
);
const fields = fc.uniqueArray(fc.tuple(key, leaf, comment, line), {
  selector: ([name]) => name.replaceAll(/['"]/g, ""),
  minLength: 1,
});
const block = fields.map((all) =>
  all
    .map(([name, value, note, above]) => {
      const isBlock = /^[|>]/.test(value);
      const before = above.replaceAll(/^#/gm, "  #");
      return isBlock ? `${before}  ${name}: ${value}` : `${before}  ${name}: ${value}${note}\n`;
    })
    .join(""),
);
const manifest = fc
  .tuple(
    fc.shuffledSubarray(["kind: BranchLock\n", "metadata: { note: n, labels: {b: c} } # m\n", "forEach: [1, 2]\n"]),
    block,
    fc.boolean(),
  )
  .map(([head, spec, isFirst]) => (isFirst ? `spec:\n${spec}${head.join("")}` : `${head.join("")}spec:\n${spec}`));

test("formatting changes no value, keeps every comment and changes nothing the second time", () => {
  let formatted = 0;
  fc.assert(
    fc.property(fc.array(manifest, { minLength: 1, maxLength: 3 }), (documents) => {
      const text = documents.join("---\n");
      const result = formatManifest(text, shapeOfKind);
      if (result.is === "left") return;
      formatted += 1;
      expect(read(result.text)).toEqual(read(text));
      expect(result.text.match(/# (a note|above|after a gap|'quoted' # twice|m)$/gm)?.sort()).toEqual(
        text.match(/# (a note|above|after a gap|'quoted' # twice|m)$/gm)?.sort(),
      );
      expect(formatManifest(result.text, shapeOfKind)).toEqual(result);
    }),
    { numRuns: lawRuns * 20 },
  );
  expect(formatted).toBeGreaterThan(lawRuns * 15);
});
