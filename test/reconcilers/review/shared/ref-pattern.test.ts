import fc from "fast-check";
import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import {
  commonRefs,
  isUserReached,
  measuredShape,
  patternShape,
  searchedRefs,
} from "../../../../src/reconcilers/review/shared/automaton.ts";
import { compareSpecificity, matches, mayMeet } from "../../../../src/reconcilers/review/shared/ref-pattern.ts";
import { lawRuns } from "../../../support/worlds/parts.ts";

// The results of dk.brics.automaton 1.12 for these expressions.
test.each<[pattern: string, example: string, finite: boolean, transitions: number]>([
  ["^refs/heads/x", "refs/heads/x", true, 12],
  ["^refs/heads/x$", "refs/heads/x$", true, 13],
  ["^refs/heads/(x|rel-1)", "refs/heads/x", true, 17],
  ["^refs/heads/.*", "refs/heads/", false, 12],
  ["^refs/heads/[a-z]+\\d", "refs/heads/ad", false, 18],
  ["^refs/heads/rel-.+$", "refs/heads/rel--$", false, 22],
  ["^(a|ab)(c|bcd)*", "a", false, 11],
  ["^a{2,3}", "aa", true, 3],
  ["^a+?", "", false, 1],
  ["^(|a)b", "|ab", true, 3],
  ["^[^a]b", "-b", true, 3],
  ['^"x.y"z', "x.yz", true, 4],
  ['^"x😀"z', "x😀z", true, 4],
  ["^x[a-cb-d]y", "xay", true, 3],
  ["^[]a]x", "]x", true, 3],
  ["^[a-]b", "-b", true, 3],
  ["^x(?:y)z", "x?:yz", true, 5],
  ["^x{0}y", "y", true, 1],
  ["^ü.+", "ü-", false, 3],
  ["^((ab)+|c{2,})d?", "ab", false, 8],
])("the shape of %s is that of the server's automaton", (pattern, example, finite, transitions) => {
  expect(patternShape(pattern)).toEqual({ example, isFinite: finite, transitions });
});

test.each(["^a\\(.b)", "^a{2,3", "^(a", "^a)", "^[b-a]x", "^(a|b|)c", "^(.{999}){999}"])(
  "%s has no shape",
  (pattern) => {
    expect(patternShape(pattern)).toBeUndefined();
  },
);

test.each<[pattern: string, ref: string, match: boolean | undefined]>([
  ["refs/heads/*", "refs/heads/a/b", true],
  ["refs/heads/*", "refs/tags/a", false],
  ["refs/heads/*", "refs/heads", false],
  ["refs/heads/a", "refs/heads/a", true],
  ["^refs/heads/rel-.*", "refs/heads/rel-1", true],
  ["^refs/heads/rel-.*", "refs/heads/x-rel-", false],
  ["^refs/heads/a", "refs/heads/ab", false],
  ["refs/heads/a*", "refs/heads/ab", false],
  ["^refs/heads/\\d+", "refs/heads/12", true],
  ["^refs/heads/\\d+", "refs/heads/12x", false],
  ["^refs/heads/a|b$", "b", true],
  ["^refs/heads/[a-z&&[^b]]", "refs/heads/a", undefined],
  ["^refs/heads/[a[b]]", "refs/heads/b", undefined],
  ["^refs/heads/[[A]b]", "refs/heads/b", undefined],
  ["^refs/heads/[A\\\\[b]]", "refs/heads/b", undefined],
  ["^refs/heads/[[:alpha:]]", "refs/heads/b", undefined],
  ["^refs/heads/[A\\[b]", "refs/heads/b", true],
  ["^refs/heads/(?i)A", "refs/heads/a", undefined],
  ["^refs/heads/a++b", "refs/heads/aab", undefined],
  ["^refs/heads/(", "refs/heads/a", undefined],
  [`refs/heads/\${username}/*`, "refs/heads/jdoe/x", undefined],
  [`refs/heads/users/\${username}/*`, "refs/heads/x", false],
  [`^refs/heads/users/\${username}/.*`, "refs/heads/x", false],
])("%s matches %s: %s", (pattern, ref, match) => {
  expect(matches(pattern, ref)).toBe(match);
});

test.each([
  ["^refs/heads/ab?${username}", false],
  ["^refs/heads/main|refs/heads/${username}/.+", false],
  ["^refs/heads/sandbox/${username}(-x)?", true],
  ["^refs/heads/v1\\.0/(${username})/.+", true],
  ["^refs/heads/a*", true],
])("the server can find the user's name in %s: %s", (pattern, can) => {
  expect(isUserReached(pattern)).toBe(can);
});

test("the most specific pattern comes first, in the order of the server", () => {
  const sorted = [
    "^refs/heads/(x|yz)",
    "^refs/heads/(((x)))",
    "^refs/heads/x",
    "refs/heads/x",
    "^refs/heads/(x)$",
    "^refs/heads/x$",
    "^refs/heads/.*",
    "refs/heads/*",
    "refs/*",
  ];
  const order = compareSpecificity("refs/heads/x");
  expect(sorted.toReversed().sort(order)).toEqual(sorted);
});

test("a pattern that cannot be read counts as the most specific, and one with a user's name as the least", () => {
  const sorted = ["^refs/heads/x(|a|)", "refs/heads/x", "refs/heads/*", "refs/*", "refs/heads/${username}"];
  expect(sorted.toReversed().sort(compareSpecificity("refs/heads/x"))).toEqual(sorted);
});

test("a name has itself in common with every pattern that matches it", () => {
  const main = "refs/heads/main";
  for (const other of [
    main,
    "^refs/heads/main",
    "^refs/heads/(main)$",
    "^refs/heads/ma.*",
    "^refs/heads/main.*$",
    "refs/heads/*",
  ])
    for (const name of [main, "^refs/heads/main$"]) {
      expect([name, other, commonRefs(name, other)]).toEqual([name, other, [main]]);
      expect([other, name, commonRefs(other, name)]).toEqual([other, name, [main]]);
    }
});

test("the refs that two patterns have in common are found, whatever their form", () => {
  expect(commonRefs("^refs/heads/rel-.*$", "refs/heads/*")).toContain("refs/heads/rel-0");
  expect(commonRefs("^refs/heads/rel-.*$", "^refs/heads/.*x$")).toContain("refs/heads/rel-x");
  expect(commonRefs("^refs/heads/(a|b)$", "refs/heads/b")).toEqual(["refs/heads/b"]);
  expect(commonRefs("^refs/heads/a.*$", "refs/heads/b")).toEqual([]);
  // Billions of refs are shorter than the second one.
  const [short, long] = commonRefs("^refs/heads/(.*1\\.0)$", "^refs/(?:for/refs/)?heads/.+") ?? [];
  expect([short, long]).toEqual(["refs/heads/1.0", expect.stringMatching(/^refs\/heads\/.{12,}1\.0$/)]);
  expect(commonRefs("^refs/heads/a.*$", "^refs/heads/(?=a).*")).toBeUndefined();
  for (const ofUsers of ["refs/heads/sandbox/${username}/*", "^refs/heads/sandbox/${username}/.+"]) {
    expect(commonRefs("^refs/heads/(main|rel-.*)$", ofUsers)).toEqual([]);
    expect(commonRefs("^refs/heads/(main|s.*)$", ofUsers)).toBeUndefined();
  }
  expect(commonRefs("^refs/heads/(x|rel)$", "^refs/heads/[${username}]")).toBeUndefined();
});

test.each([
  ["refs/heads/x", "refs/heads/*", true],
  ["refs/heads/x", "refs/heads/y", false],
  ["^refs/heads/xy?", "refs/heads/x", true],
  ["^refs/(heads|tags)/x", "refs/heads/y", true],
  ["^refs/tags/.*", "refs/heads/*", false],
])("%s and %s can overlap: %s", (a, b, may) => {
  expect([mayMeet(a, b), mayMeet(b, a)]).toEqual([may, may]);
});

test("results for simple patterns without an automaton equal those with one", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "/", "-", "_", "refs/heads/", "\\."), maxLength: 4 });
  const pattern = fc.oneof(
    fc.tuple(text, fc.constantFrom("", ".*", "$", ".*$")).map(([start, end]) => `^${start}${end}`),
    fc
      .tuple(text, text, fc.constantFrom(")", ".*)", ")$", ".*)$", ")*", "$)"))
      .map(([start, inner, end]) => `^${start}(${inner}${end}`),
    text.map((start) => `${start}/*`),
    text.map((start) => `refs/${start}`),
  );
  fc.assert(
    fc.property(pattern, pattern, text, (first, second, ref) => {
      for (const one of [first, second]) if (one.startsWith("^")) expect(patternShape(one)).toEqual(measuredShape(one));
      if (first.startsWith("^")) expect(matches(first, ref)).toBe(RE2JS.compile(first).testExact(ref));
      const refs = commonRefs(first, second);
      const searched = searchedRefs(first, second);
      expect(refs?.every((one) => matches(first, one) === true && matches(second, one) === true)).toBe(
        searched && true,
      );
      expect(refs?.length === 0).toBe(searched?.length === 0);
    }),
    { numRuns: lawRuns * 4 },
  );
});

test("an expression of many parts that can all be left out is not read", () => {
  expect(measuredShape(`^${"(.?x)?".repeat(280)}`)).toBeUndefined();
});

test("common refs that would require too large an automaton are unknown, and do not abort the run", () => {
  expect(commonRefs("^refs/heads/([a-z]{7}-|[a-z]{5}/)*x{200}y", "^refs/heads/.*")).toBeUndefined();
});
