import { describe, expect, test } from "vitest";
import { exampleOf, isRefName } from "../../src/core/text/ref-pattern.ts";

describe("the example of a ref pattern", () => {
  test.each([
    ["refs/heads/x", "refs/heads/x"],
    ["refs/heads/*", "refs/heads"],
    ["refs/heads/${username}/*", "refs/heads/${username}"],
    ["refs/heads/it's(a)+{2}", "refs/heads/it's(a)+{2}"],
    ['refs/heads/"a', 'refs/heads/"a'],
    ["^refs/heads/.*", "refs/heads/"],
    ["^refs/heads/.+", "refs/heads/-"],
    ["^refs/heads/x$", "refs/heads/x$"],
    ["^refs/heads/(release|v[0-9]+)\\.(x|[^a])", "refs/heads/v0.-"],
    ["^refs/heads/a{2,}b{3}c?", "refs/heads/aabbb"],
    ["^refs/heads/a{1}{2}", "refs/heads/aa"],
    ["^refs/heads/(b|a)()[z-]", "refs/heads/a-"],
    ["^refs/heads/(b|aa)[cba]", "refs/heads/ba"],
    ["^refs/heads/a{12}", `refs/heads/${"a".repeat(12)}`],
    ["^refs/heads/(a)?+b", "refs/heads/b"],
    ["^refs/heads/a?{2}b", "refs/heads/b"],
    ["^a{10000}", "a".repeat(10_000)],
    ["^", ""],
    ["^refs/heads/\\d+", "refs/heads/d"],
    ['^refs/"heads/*"', "refs/heads/*"],
    ["^refs/heads/sandbox/${username}/x++", "refs/heads/sandbox/_/x"],
    ["^refs/heads/(?!x).+", "refs/heads/?!x-"],
  ])("%s: %s", (pattern, example) => {
    expect(exampleOf(pattern)).toBe(example);
  });

  test.each([
    "[unclosed",
    "(a",
    "a)",
    "a|",
    "(a|)",
    "a{x}",
    "a{}",
    "a{2",
    "a{10001}",
    'a"',
    "a\\",
    "a**",
    "((a{9999}){9999})",
    "${user}/x",
  ])("^refs/heads/%s has none, because it is broken", (expression) => {
    expect(exampleOf(`^refs/heads/${expression}`)).toBeUndefined();
  });

  test.each(["fix(core", "a)", "{a}", "a{2", "${user}/*"])("refs/heads/%s has none: Java compiles it too", (name) => {
    expect(exampleOf(`refs/heads/${name}`)).toBeUndefined();
  });

  test("a pattern that is nested too deeply is broken and causes no crash", () => {
    expect(exampleOf(`^refs/${"(".repeat(100_000)}`)).toBeUndefined();
  });
});

test("a ref name is valid if git accepts it", () => {
  const names = ["refs/heads/x", "refs/heads/ü+(x)$", "refs/heads/v1.0"];
  const others = [
    "x",
    "refs/heads/",
    "refs/heads/.x",
    "refs/a..b",
    "refs/x.lock",
    "refs/x.",
    "refs/a b",
    "refs/@{x",
    "refs/\u0007",
  ];
  expect(names.filter(isRefName)).toEqual(names);
  expect(others.filter(isRefName)).toEqual([]);
});
