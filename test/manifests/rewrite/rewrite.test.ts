import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { JsonObject } from "../../../src/core/text/json.ts";
import { arranged } from "../../../src/manifests/rewrite/arrange.ts";
import { openManifest, rewriteDocument } from "../../../src/manifests/rewrite/document.ts";
import { withEdits } from "../../../src/manifests/rewrite/page.ts";
import { sourceText } from "../../../src/manifests/yaml/source-text.ts";
import { lawRuns } from "../../support/worlds/parts.ts";
import { rewrite, spec } from "./rewriting.ts";

describe("a scalar keeps its quotes, its place and the comment after it", () => {
  test.each([
    ["a: x # why", "new", "a: new # why"],
    ["a: 'x' # why", "it's", "a: 'it''s' # why"],
    ['a: "x"', 'say "y"', 'a: "say \\"y\\""'],
    ["a:   true", false, "a:   false"],
    ["a: 2.10 # why", 3, "a: 3 # why"],
    ["a: x", "yes: no", 'a: "yes: no"'],
    ["a: x", "2.4", 'a: "2.4"'],
    ["a: x", "true", 'a: "true"'],
    ["a: x", " y ", 'a: " y "'],
    ["a: x", "", 'a: ""'],
    ["a: x", "a\nb", 'a: "a\\nb"'],
    ["a: 'x'", "a\tb", 'a: "a\\tb"'],
    ["a: x", "ü/ß (1)", "a: ü/ß (1)"],
    ["a: x", "\u202edlo", 'a: "\\u202edlo"'],
    ["a: x", "\u0085", 'a: "\\u0085"'],
    ["a: 1", "1", 'a: "1"'],
    ["a: {  b: x ,c: y }", { b: "z", c: "y" }, "a: {  b: z ,c: y }"],
    ["a: x y\n  z # folded", "w", "a: w # folded"],
    ["a: # why", "x", "a: x # why"],
    ["a: $${x}", "y", "a: y"],
  ])("%j becomes %j", (before, a, after) => {
    expect(spec(before, { a })).toBe(after);
  });

  test.each([
    ["a: | # why\n    one\n    two\nb: 1", "new\ntext\n", "a: | # why\n    new\n    text\nb: 1"],
    ["a: |\n  one\nb: 1", "new\n\n  text", "a: |-\n  new\n\n    text\nb: 1"],
    ["a: |\n  one\nb: 1", "new\n\n", "a: |+\n  new\n\nb: 1"],
    ["a: >-\n  one\n  two\nb: 1", "new\ntext", "a: |-\n  new\n  text\nb: 1"],
    ["a: |\n  one\nb: 1", " new", 'a: " new"\nb: 1'],
    ["a: |\n  one\nb: 1", 5, "a: 5\nb: 1"],
  ])("the block lines of %j are replaced", (before, a, after) => {
    expect(spec(before, { a, b: 1 })).toBe(after);
  });
});

describe("a list keeps its style, its order and its unchanged entries", () => {
  test.each([
    ["a: [x, y, z]", ["x", "z"], "a: [x, z]"],
    ["a: [x, y, z]", ["z"], "a: [z]"],
    ["a: [x, y, z]", ["x"], "a: [x]"],
    ["a: [ x, y ]", ["x"], "a: [ x ]"],
    ["a: [x]", ["x", "y", "z"], "a: [x, y, z]"],
    ["a: [y]", ["x", "y"], "a: [x, y]"],
    ["a: [x, z,]", ["x", "y", "z", "w"], "a: [x, y, z, w,]"],
    ["a: [x, y]", [], "a: []"],
    ["a: [x, y]", ["v", "w"], "a: [v, w]"],
    ["a: []", ["v"], "a: [v]"],
    ["a: ['x']", ["x", "y"], "a: ['x', 'y']"],
    ["a: [\n    x, # ex\n    y, # why\n    z # zed\n  ]", ["x", "z"], "a: [\n    x, # ex\n    z # zed\n  ]"],
    ["a: [\n    x, # ex\n    y, # why\n    z # zed\n  ]", ["x"], "a: [\n    x # ex\n  ]"],
    ["a: [\n    x, # ex\n    y # why\n  ]", ["x", "y", "z"], "a: [\n    x, # ex\n    y, # why\n    z\n  ]"],
    ["a: [\n    x,\n    y,\n  ]", ["x", "z"], "a: [\n    x,\n    z,\n  ]"],
    ["a: [\n    x,\n    y\n  ]", ["x", "z"], "a: [\n    x,\n    z\n  ]"],
    ["a: [\n    x,\n    y\n  ]", ["w", "y"], "a: [\n    w,\n    y\n  ]"],
    ["a: [\n    x,\n    y\n  ]", ["x", "w", "y"], "a: [\n    x,\n    w,\n    y\n  ]"],
    ["a: [ x # ex\n    , y ]", ["x"], "a: [ x ]"],
    ["a: [\n    x # ex\n    , y ]", ["x", "w", "y"], "a: [\n    x, w # ex\n    , y ]"],
    ["a: [\n    x, # ex\n    y ]", ["x"], "a: [\n    x # ex\n     ]"],
    ["a: [\n    x, # ex\n    y, ]", ["x", "w"], "a: [\n    x, # ex\n    w,\n     ]"],
    ["a: [\n    x,\n    y ]", ["x", "y", "z"], "a: [\n    x,\n    y, z ]"],
    ["a: [\n    x, y,\n    z\n  ]", ["x", "w", "y", "z"], "a: [\n    x, w, y,\n    z\n  ]"],
    ["a: [\n    x, y,\n    z\n  ]", ["y", "z"], "a: [\n    y,\n    z\n  ]"],
    ["a: [\n    x,\n    y\n  ]", ["w", "x"], "a: [\n    w,\n    x\n  ]"],
    ["a: [1] # why", [2], "a: [2] # why"],
    [
      "a: # all\n  - x # ex\n  # above y\n  - y\n  - z\nb: 1",
      ["x", "z"],
      "a: # all\n  - x # ex\n  # above y\n  - z\nb: 1",
    ],
    ["a:\n- x\n- y\nb: 1", ["w", "x", "v"], "a:\n- w\n- x\n- v\nb: 1"],
    ["a:\n  - x\n\n  # end\nb: 1", ["x", "y"], "a:\n  - x\n  - y\n\n  # end\nb: 1"],
    ["a:\n  - x\n  - y\nb: 1", [], "a: []\nb: 1"],
    ["a: # why\n  - x\nb: 1", [], "a: # why\n  []\nb: 1"],
    ["a:\n  - |\n    x\nb: 1", [], "a: []\nb: 1"],
    [
      "a:\n  - n: x # ex\n    m: 1\n  - n: y # why\n    m: 1\nb: 1",
      [{ n: "y", m: 2 }],
      "a:\n  - n: y # why\n    m: 2\nb: 1",
    ],
    [
      "a:\n  - { n: x, m: 1 }\n  - { n: x, m: 2 } # two\nb: 1",
      [
        { n: "x", m: 3 },
        { n: "x", m: 4 },
      ],
      "a:\n  - { n: x, m: 3 }\n  - { n: x, m: 4 } # two\nb: 1",
    ],
    ["a:\n  - x\n  - y\nb: 1", ["v", "w"], "a:\n  - v\n  - w\nb: 1"],
    [
      "a:\n  -   n: x # ex\n      m: 1\n  - { n: y, m: 1 }\nb: 1",
      [
        { n: "x", m: 2 },
        { n: "y", m: 3 },
      ],
      "a:\n  -   n: x # ex\n      m: 2\n  - { n: y, m: 3 }\nb: 1",
    ],
    ["a:\n  - { n: x }\nb: 1", [{ n: "x" }, { n: "y", m: [1] }], "a:\n  - { n: x }\n  - { n: y, m: [1] }\nb: 1"],
    [
      "a:\n  - n: x\nb: 1",
      [
        { n: "x", m: 1 },
        { n: "y", m: 2 },
      ],
      "a:\n  - n: x\n    m: 1\n  - n: y\n    m: 2\nb: 1",
    ],
    ["a:\n  - n: x\n    m: 1\nb: 1", [{ m: 1 }], "a:\n  - m: 1\nb: 1"],
    ["a: [{ n: x }, { n: y }]", [{ n: "y" }], "a: [{ n: y }]"],
  ])("%j becomes %j", (before, a, after) => {
    expect(spec(before, before.includes("b: 1") ? { a, b: 1 } : { a })).toBe(after);
  });
});

describe("a mapping keeps its style and its other members", () => {
  test.each([
    ["a: 1\nb: 2 # two\nc: 3", { a: 1, c: 3 }, "a: 1\nc: 3"],
    ["a: 1 # one\n\n# end", { a: 1, b: "x", c: ["y"] }, "a: 1 # one\nb: x\nc: [y]\n\n# end"],
    ["a: { x: 1, y: 2 }", { a: { y: 2, z: 3 } }, "a: { y: 2, z: 3 }"],
    ["a: {x: 1}", { a: { z: 3 } }, "a: { z: 3 }"],
    ["a: {\n    x: 1,\n    y: 2\n  }", { a: { x: 1, z: 3 } }, "a: {\n    x: 1,\n    z: 3\n  }"],
    ["a: { x: 1 }", { a: {} }, "a: {}"],
    ["a:\n  x: 1\n  y: 2\nb: 1", { a: { y: 2, z: "a\nb\n" }, b: 1 }, "a:\n  y: 2\n  z: |\n    a\n    b\nb: 1"],
    ["a:\n  x: 1\nb: 1", { a: { z: 3 }, b: 1 }, "a:\n  z: 3\nb: 1"],
    ["a: 1", { a: 1, b: [{ c: { d: [1] } }] }, "a: 1\nb:\n  - c:\n      d: [1]"],
    ["a: 1", { a: 1, "x: y": {}, ["n".repeat(10)]: { d: "e" } }, 'a: 1\n"x: y": {}\nnnnnnnnnnn: { d: e }'],
  ])("%j becomes %j", (before, live, after) => {
    expect(spec(before, live)).toBe(after);
  });

  test("a member is removed from the line of its dash, and where the kind leaves out repeated entries, the whole list is written", () => {
    expect(spec("a:\n  - m: 1\n    n: x", { a: [{ n: "x" }] }, { a: [{ n: "x", m: 1 }] })).toBe("a:\n  - n: x");
    expect(spec("a: [x, x, y]", { a: ["y"] }, { a: ["x", "y"] })).toBe("a: [y]");
  });

  test("a value that no longer equals its default is written out", () => {
    expect(spec("a: 1", { a: 1, b: false, c: true }, { b: true, c: true })).toBe("a: 1\nb: false");
  });
});

test("JSON stays JSON", () => {
  const before = JSON.stringify({ kind: "K", spec: { a: "x", list: [{ n: "x" }], b: { c: 1 } } }, null, 2);
  const live = { a: "y", list: [{ n: "x" }, { n: "y" }], b: { c: 1, d: "z" }, e: [true] };
  const { text } = rewrite(before.replace('"kind"', '"kind"').replace('{\n  "kind": ', "{\n  kind: "), live);
  expect(parse(text).spec).toEqual(live);
  expect(JSON.parse(text.replace("kind: ", '"kind": ')).spec).toEqual(live);
});

test("JSON stays JSON also where nothing beside a value is in quotes, or all of it has to be", () => {
  const before = JSON.stringify({ kind: "K", spec: { a: "x: y", b: 1, c: [], d: {}, e: ["*.c"], f: null } });
  const live = { a: "z", b: "1", c: ["p", { q: "r" }], d: { s: "t" }, e: ["*.c", "u"], f: ["v"] };
  const source = sourceText("a.json", before);
  const place = { file: "a.json", line: 1, column: before.indexOf('"K"') + 1 };
  const stated: JsonObject = JSON.parse(before).spec;
  const { edits } = rewriteDocument(openManifest(source), { place, stated, live, fields: Object.keys(live) });
  expect(JSON.parse(withEdits(before, edits)).spec).toEqual(live);
});

test("new text has quotes only if it needs them, unless other text has quotes that it does not need", () => {
  expect(spec('a: "*.c"\nl:\n  - "*.c"\n  - x\n', { a: "x.c", l: ["*.c", "x", "y"] })).toBe(
    'a: x.c\nl:\n  - "*.c"\n  - x\n  - y',
  );
  expect(spec('a: "x"\nl: ["*.c", "x"]\n', { a: "y", l: ["*.c", "x", "y"] })).toBe('a: "y"\nl: ["*.c", "x", "y"]');
});

test("Windows line endings, other documents, a missing last line break and directives are kept", () => {
  const other = "---\r\n# next\r\nkind: K\r\nspec: {a: x,   b: [ ]}\r\n...\r\n";
  const before = `%YAML 1.2\r\n---\r\nkind: K\r\nspec:\r\n  a: x\r\n  l:\r\n    - y\r\n  t: |\r\n    one\r\n`;
  const source = before.replace("%YAML 1.2\r\n---\r\n", "");
  const { text, refusals } = rewrite(source + other, { a: "z", l: ["y", "w"], t: "two\nthree\n", n: 1 });
  expect(refusals).toEqual([]);
  expect(text).toBe(
    `kind: K\r\nspec:\r\n  a: z\r\n  l:\r\n    - y\r\n    - w\r\n  t: |\r\n    two\r\n    three\r\n  n: 1\r\n${other}`,
  );
  expect(rewrite("kind: K\nspec:\n  a: 1", { a: 1, b: 2 }).text).toBe("kind: K\nspec:\n  a: 1\n  b: 2");
  expect(rewrite("kind: K\nspec:\n  a: [1]", { a: [1, 2] }).text).toBe("kind: K\nspec:\n  a: [1, 2]");
});

test("text that looks like a placeholder or a reference to a secret is escaped", () => {
  const a = "${env:TOKEN} ${var.x} $${y}";
  const { text } = rewrite("kind: K\nspec: { a: x }\n", { a });
  expect(text).toBe('kind: K\nspec: { a: "$${env:TOKEN} $${var.x} $$${y}" }\n');
});

test("a list in brackets can get any entries, however its lines are broken", () => {
  const open = fc.constantFrom("[", "[\n    ", "[ # all\n    ");
  const between = fc.constantFrom(", ", ",\n    ", ", # ex\n    ", " # ex\n    , ", ",\n    # above\n    ");
  const close = fc.constantFrom("]", " ]", "\n  ]", ",\n  ]", ", ]", ", # end\n  ]");
  const entries = (minLength: number) => fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { minLength, maxLength: 5 });
  const lists = fc.record({
    open,
    close,
    entries: entries(1),
    breaks: fc.array(between, { minLength: 4 }),
    a: entries(0),
  });
  fc.assert(
    fc.property(lists, ({ open, close, entries: [first, ...others], breaks, a }) => {
      const list = `${open}${first}${others.map((entry, index) => `${breaks[index]}${entry}`).join("")}${close}`;
      const { text, refusals } = rewrite(`kind: K\nspec:\n  a: ${list}\n  b: 1\n`, { a, b: 1 });
      if (refusals.length === 0) expect(parse(text)).toEqual({ kind: "K", spec: { a, b: 1 } });
    }),
    { numRuns: lawRuns * 10 },
  );
});

test("live lists get the order in which they are written, at every level", () => {
  const stated = { a: [2, 1], b: [{ n: "x", m: 1 }, { n: "y" }] };
  const live = { a: [1, 2, 3], b: [{ n: "y" }, { n: "x", m: 2 }], c: [5] };
  expect(arranged(stated, live)).toEqual({ a: [2, 1, 3], b: [{ n: "x", m: 2 }, { n: "y" }], c: [5] });
  expect([arranged([1], { a: 1 }), arranged({ a: 1 }, [1])]).toEqual([{ a: 1 }, [1]]);
});

const scalar = fc.oneof(fc.string({ unit: "grapheme", maxLength: 12 }), fc.integer(), fc.boolean(), fc.constant(null));
const value = fc.letrec<{ readonly any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(fc.stringMatching(/^[a-z][a-z .:]{0,3}$/), tie("any"), { maxKeys: 4 }),
  ),
}));

/** A specification in one of several styles, as it appears below `spec:`. */
function written(spec: unknown, style: number): string {
  if (style < 2) return ` ${JSON.stringify(spec, null, style * 2).replaceAll("\n", "\n  ")}\n`;
  const options = { lineWidth: 0, aliasDuplicateObjects: false, indentSeq: style === 2, indent: style };
  return `\n${stringify(spec, options).replace(/^(?=.)/gm, "  ")}`;
}

test("any value can be rewritten to any other, and the rest of the document stays", () => {
  const pairs = fc.record({ before: value.any, after: value.any, style: fc.integer({ min: 0, max: 3 }) });
  fc.assert(
    fc.property(pairs, ({ before, after, style }) => {
      const [stated = {}, live = {}] = [before, after].map(
        (one): JsonObject => JSON.parse(JSON.stringify({ a: one, b: "stays" })),
      );
      const placeholders = (text: string) => text.replaceAll("${", () => "$${");
      const text = `# head\nkind: K # kind\nspec:${placeholders(written(stated, style))}# tail\n`;
      const { text: rewritten, refusals } = rewrite(text, live, stated);
      expect(refusals).toEqual([]);
      expect(rewritten).toMatch(/^# head\nkind: K # kind\nspec:[\s\S]*\n# tail\n$/);
      const read: unknown = JSON.parse(JSON.stringify(parse(rewritten)).replaceAll("$${", () => "${"));
      expect(read).toEqual({ kind: "K", spec: live });
    }),
    { numRuns: lawRuns * 30 },
  );
});
