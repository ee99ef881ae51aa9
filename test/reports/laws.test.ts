import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Problem, ProblemCode } from "../../src/core/problem.ts";
import { formatAddress } from "../../src/core/resource.ts";
import type { Report } from "../../src/core/run/outcome.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import type { Json } from "../../src/core/text/json.ts";
import { displayWidth } from "../../src/reports/text/layout.ts";
import { renderPlan } from "../../src/reports/text/plan-text.ts";
import { renderProblems } from "../../src/reports/text/problems.ts";
import { renderReport } from "../../src/reports/text/report-text.ts";
import { anyCharacter } from "../support/any-character.ts";
import { lawRuns } from "../support/worlds/parts.ts";
import { asDrift, emptyPlan } from "./fixture.ts";

const hostile = [
  "\u001b[31mred\u001b[0m",
  "\u001b]0;title\u0007",
  "\r",
  "\n",
  "\t",
  "\u202e",
  "\u200b",
  "\u00a0",
  "\ud800",
];
const text = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.string({ unit: anyCharacter, maxLength: 6 }),
      fc.constantFrom(...hostile),
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(""));
const long = fc.array(text, { minLength: 1, maxLength: 20 }).map((parts) => parts.join(" "));

const { value: json } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(fc.boolean(), fc.integer(), fc.constant(null), text, long, fc.constant("${env:TOKEN}")),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  ),
}));

const place = fc.record({
  file: text,
  line: fc.integer({ min: 1, max: 100_000 }),
  column: fc.integer({ min: 1, max: 200 }),
  length: fc.integer({ min: 1, max: 200 }),
  excerpt: fc.array(long, { maxLength: 2 }),
});
const problem: fc.Arbitrary<Problem> = fc.record(
  {
    code: fc.constantFrom<ProblemCode>("SP1002", "SP3101", "SP4002"),
    message: long,
    hint: long,
    place,
    other: place,
    service: text,
    operation: text,
    address: text,
  },
  { requiredKeys: ["code", "message"] },
);

const verdict = fc.constantFrom("pending" as const, "drift" as const, "conflict" as const);
const services = ["review", "wiki"] as const;
const field = fc.record({
  path: fc.array(text, { minLength: 1, maxLength: 3 }),
  live: fc.option(json, { nil: undefined }),
  desired: fc.option(json, { nil: undefined }),
  verdict,
});
const change = fc
  .record({
    service: fc.constantFrom(...services),
    kind: fc.constantFrom("BranchLock", "WikiPage"),
    key: text,
    action: fc.constantFrom("create" as const, "update" as const, "delete" as const, "check" as const),
    verdict,
    fields: fc.array(field, { maxLength: 4 }),
    risks: fc.subarray(["widens-access", "narrows-access", "irreversible", "secret-rotates"] as const),
    note: long,
    instruction: long,
  })
  .map((part) => ({ ...part, address: formatAddress(part.service, part.kind, part.key), dependsOn: [], phase: 0 }));
const address = fc
  .tuple(fc.constantFrom(...services), text)
  .map(([service, key]) => formatAddress(service, "Kind", key));

const plan: fc.Arbitrary<Plan> = fc
  .record({
    urls: fc.tuple(text, text),
    changes: fc.array(change, { maxLength: 5 }),
    inSync: fc.array(address, { maxLength: 4 }),
    unknown: fc.array(fc.record({ address, service: fc.constantFrom(...services), problem }), { maxLength: 5 }),
    ignored: fc.array(fc.record({ address, field: text }), { maxLength: 2 }),
    refusals: fc.array(problem, { maxLength: 2 }),
    writes: fc.dictionary(text, fc.integer({ min: 1, max: 5000 }), { maxKeys: 3 }),
  })
  .map(({ urls, writes, ...part }) => ({
    ...emptyPlan,
    ...part,
    services: services.map((name, index) => ({ name, role: name, url: urls[index] ?? "", reads: index })),
    calls: part.changes.map((each, index) => ({
      id: index + 1,
      service: each.service,
      operation: "write",
      args: {},
      carries: [each.address],
      phase: 0,
      lane: `${each.service} ${each.key}`,
    })),
    forecast: { writes, verifyScopes: 1 },
  }));

const report: fc.Arbitrary<Report> = fc
  .record({ plan, problem, run: text, journal: text, results: fc.infiniteStream(result()) })
  .map(({ results, ...part }) => ({
    ...part,
    version: 1,
    calls: part.plan.calls.map(({ id }) => ({ id, result: "done", duration: id * 100 })),
    outcomes: part.plan.changes.map((each) => ({
      address: each.address,
      result: results.next().value ?? "applied",
      problem: part.problem,
    })),
    requests: {},
  }));

function result() {
  return fc.constantFrom("applied", "failed", "skipped", "stale", "unknown");
}

interface Screen {
  readonly width: number;
  readonly color: boolean;
}

const width = fc.integer({ min: 40, max: 160 });
const screens = fc.oneof(
  plan.map((value) => (screen: Screen) => renderPlan(value, { ...screen, all: true })),
  plan.map((value) => (screen: Screen) => renderPlan(asDrift(value), { ...screen, all: false, unicode: false })),
  report.map((value) => (screen: Screen) => renderReport(value, screen)),
  fc
    .array(problem, { minLength: 1 })
    .map((all) => (screen: Screen) => renderProblems(all, { ...screen, summary: "Done." })),
);

const isOneWord = (line: string) => /^(?:[×✓✗?~!+=-] |\d+ [×x] )?\S*$/u.test(line.trim());

// The cost of these laws is in generating a report and rendering it.
test("no line is wider than the terminal unless it is one word; colour adds and hides nothing; no text from outside can paint the terminal or hide on it", () => {
  fc.assert(
    fc.property(screens, width, (render, columns) => {
      const [plain, painted] = [render({ width: columns, color: false }), render({ width: columns, color: true })];
      expect(plain.split("\n").filter((line) => displayWidth(line) > columns && !isOneWord(line))).toEqual([]);
      expect(stripVTControlCharacters(painted)).toBe(plain);
      expect(plain).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0]/u);
    }),
    { numRuns: lawRuns * 15 },
  );
});
