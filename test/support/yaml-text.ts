import type { Chance } from "../simulator/chance.ts";

const names = [
  "kind",
  "spec",
  "name",
  "$schema",
  "a-b",
  "a.b",
  "a/b",
  "x1",
  '"quoted"',
  "'it''s'",
  "e\u0301t\u00e9",
  "2x",
];
const oddNames = ["true", "1", "null", "<<", "-a", "a b", '"a\\n"', "? a", "constructor", "&n n", "01", ".5", "~"];
const words = [
  ..."plain, two words, a:b, https://example.com/x#y, ${var.x}, ${each}, x${env:Y}, 2027-03-31, 10.0.0.1, refs/heads/*".split(
    ", ",
  ),
  ...["true", "false", "null", "0", "-1", "42", "2.10", "-0.5", "1.2.3", '"in # quotes: "', "'it''s'", '""', "''"],
  ...[
    ".github",
    "/root",
    "x - y",
    "don't",
    'a "b" c',
    "$x",
    "(x)",
    "a, b",
    "[a, b]",
    "{ a: b, c: [1, 'd'] }",
    "[]",
    "{}",
    '"a\\tb \\"c\\" \\\\"',
    ">-\n          one\n          two\n\n          three\n",
    ">\n\n          one: x\n",
    "[a,\n          b, # c\n\n          'd'\n          ]",
    "{ a: b,\n          c: [d,\n          e] }",
  ],
];
const oddWords = [
  ..."True, NULL, ~, 0x1F, 0o17, 007, +1, 1e3, .5, 5., .inf, -.NaN, -0, 9007199254740993, 1_000, - x, -x, -, @a, `a".split(
    ", ",
  ),
  ...[
    '"a\\tb"',
    '"a',
    "'a",
    "[a",
    "[a,b]",
    "[a, b: c]",
    "[a:b]",
    "{a}",
    "{ a: }",
    "{ a, b }",
    "[,]",
    "[a, ]",
    "[[a], {b: c}]",
  ],
  ...[
    "a: b",
    "a:",
    "a #b",
    "a# b",
    "#b",
    "&x a",
    "*x",
    "!t a",
    "|\n    a",
    "|\n          a: b\n\n           - c\n          # d",
    "|-\n          a\n        # b\n\n",
    "|\n\n          a\n",
    "|-\n  a\n---\n  b",
    "|\n          a\n    \n          b",
    "|\n            a\n          b",
    "|\n\n",
    "|+\n          a\n\n",
    "|2\n          a",
    "| # a\n          b",
    ">-\n    a",
    ">\n          a\n           b\n",
    ">-\n          a\n\n\n          b\n         # c\n\n",
    ">-\n\n\n          a\n",
    ">+\n          a\n",
    ">-\n          a\n          - b\n          # c\n",
    "[\n          a,\n          b,\n          ]",
    "[a\n          , b]",
    "[a\n          b]",
    "[a,\nb]",
    "[a,\n  b]",
    "[a,\n          b\n]",
    "[a, #b\n          c]",
    "[a,#b\n          c]",
    "[a, # b]",
    "[\n\n          # c\n]",
    "{ a: b,\n          }",
    "{ a:\n          b }",
    "{\n          a: b\n          }",
    '"a\\qb"',
    '"a\\x41"',
    '"a\\"',
    '"\\u00e9"',
    '"\\/"',
    '"a\n          b"',
    "“a”",
    "„a“",
    "é",
    "😀",
    "% a",
    "? a",
    ": a",
    ", a",
  ],
  ...[
    "a\n      b",
    "a\tb",
    "a\r",
    "a\u0007b",
    "\ufeffa",
    "\u00a0a",
    "a\u2028b",
    "",
    "{ 'a': 1, \"b\": 2 }",
    "{ a: 1, a: 2 }",
    "[1, true, ~]",
    '["a"b]',
    "= a",
    "^a",
    "\\a",
  ],
];

/** Every name and every text, in every place where it can occur. */
export const everyWord: readonly string[] = [
  ...[...names, ...oddNames].flatMap((name) => [
    `${name}: x\n`,
    `- ${name}: x\n`,
    `a:\n  ${name}:\n    - b\n`,
    `a: { ${name}: x }\n`,
  ]),
  ...[...words, ...oddWords].flatMap((word) => [
    `a: ${word}\n`,
    `a: ${word} # b\nc: d`,
    `- ${word}\n`,
    `a: [b, ${word}]\n`,
    `a: { b: ${word} }\n`,
  ]),
].flatMap((text) => [text, text.replaceAll("\n", "\r\n")]);

/** Draws mappings, lists and texts in many spellings, some of them invalid. */
export function yamlText(chance: Chance): string {
  const parts = Array.from({ length: 1 + chance.below(3) }, () => block(chance, 0, 3));
  const separators = chance.hit(0.9)
    ? ["---\n"]
    : ["---\n", "--- # c\n", "--- \n", "...\n", "", "---\n---\n", " ---\n"];
  const text = (chance.hit(0.3) ? "---\n" : "") + parts.join(chance.pick(separators));
  const ended = chance.hit(0.2) ? text.trimEnd() : text;
  return chance.hit(0.15) ? ended.replaceAll("\n", "\r\n") : ended;
}

function block(chance: Chance, column: number, levels: number): string {
  const count = 1 + chance.below(4);
  const isList = chance.hit(0.3);
  return Array.from(
    { length: count },
    () => around(chance, column) + (isList ? item : field)(chance, column, levels),
  ).join("");
}

function item(chance: Chance, column: number, levels: number): string {
  const dash = `${" ".repeat(column)}-${chance.hit(0.9) ? " " : chance.pick(["   ", "", "\n  "])}`;
  if (levels === 0 || chance.hit(0.5)) return `${dash}${word(chance)}${rest(chance)}`;
  return dash + block(chance, column + 2, levels - 1).trimStart();
}

function field(chance: Chance, column: number, levels: number): string {
  const wrong = chance.hit(0.02) ? 1 : 0;
  const name = `${" ".repeat(column + wrong)}${chance.pick(chance.hit(0.97) ? names : oddNames)}:`;
  if (chance.hit(0.05)) return `${name}${rest(chance)}`;
  if (levels === 0 || chance.hit(0.5)) return `${name} ${chance.pick(["", "", "", " "])}${word(chance)}${rest(chance)}`;
  return `${name}${rest(chance)}${block(chance, column + chance.pick([2, 2, 2, 0, 1, 4]), levels - 1)}`;
}

function word(chance: Chance): string {
  return chance.pick(chance.hit(0.96) ? words : oddWords);
}

/** Draws the end of a line. */
function rest(chance: Chance): string {
  return chance.pick(["\n", "\n", "\n", "\n", "\n", " # why\n", "  \n", " #\n", "\n\n"]);
}

/** Draws what can stand between lines. */
function around(chance: Chance, column: number): string {
  if (chance.hit(0.9)) return "";
  return chance.pick([
    "\n",
    "   \n",
    "# note\n",
    `${" ".repeat(column)}# note\n`,
    `${" ".repeat(column + 3)}# note\n`,
    "#\n\n",
  ]);
}
