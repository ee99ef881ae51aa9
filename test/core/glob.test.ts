import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { namePattern, pathPattern } from "../../src/core/text/glob.ts";

describe("a name pattern", () => {
  test.each([
    ["*", "platform/core", true],
    ["firmware-*", "firmware-", true],
    ["firmware-*", "our-firmware-x", false],
    ["a?c", "a/c", true],
    ["a?c", "ac", false],
    ["{ci,cd}-*", "cd-1", true],
    ["{ci,cd}-*", "c-1", false],
    ["a{b,}", "a", true],
    ["{a,{b,c}d}", "cd", true],
    ["job-[0-9]", "job-7", true],
    ["job-[!0-9]", "job-7", false],
    ["job-[!0-9]", "job-x", true],
    ["[]a]", "]", true],
    ["[z-a]", "-", true],
    ["\\*", "*", true],
    ["\\*", "a", false],
    ["a\\", "a\\", true],
    ["a\\", "a", false],
    ["{a,b}}", "a}", true],
    ["[a-c-e]", "-", true],
    ["[a-c-e]", "d", false],
    ["a.b+(c|d)^$", "a.b+(c|d)^$", true],
    ["a.b", "axb", false],
    ["{a}", "{a}", true],
    ["{a,b", "{a,b", true],
    ["a,b}", "a,b}", true],
    ["[ab", "[ab", true],
    ["[]", "[]", true],
    ["two\n*", "two\nlines", true],
    ["?", "😀", true],
    ["[😀-\ufffd]", "😀", true],
  ])("%j on %j: %s", (pattern, name, fits) => {
    expect(namePattern([pattern])(name)).toBe(fits);
  });

  test("never fits in an empty list, and any one of several can fit", () => {
    expect(namePattern([])("a")).toBe(false);
    expect(namePattern(["a", "b"])("b")).toBe(true);
  });

  test("can be limited to fewer special characters, and the others stand for themselves", () => {
    const name = "[x]{a,b}?\\";
    expect(namePattern([name], "*")(name)).toBe(true);
    expect(namePattern(["[x]*"], "*")(name)).toBe(true);
    expect(namePattern(["[x]{a,b}??"], "*?")(name)).toBe(true);
    expect(namePattern(["[x]{a,b}??"], "*")(name)).toBe(false);
  });

  test("means what its parts mean one after the other", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.string({ unit: letter, maxLength: 8 }), (parts, name) => {
        expect(namePattern([parts.map(written).join("")])(name)).toBe(rests(parts, [name]).includes(""));
      }),
      { numRuns: 500 },
    );
  });

  test("with unclosed brackets is not an error", () => {
    expect(namePattern(["*[[!{a,]-[^-\\"])("x")).toBe(false);
  });
});

describe("a hostile pattern", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const stars = "*a".repeat(99);
  const groups = "{a,aa,*a}".repeat(22);
  test.each([
    ["*a*a*a*a*a*a*a*ab", "a".repeat(40)],
    [`${stars}b`, "a".repeat(1000)],
    [`${groups}b`, "a".repeat(1000)],
    [`${"{".repeat(90)}a${",}".repeat(90)}`, "a".repeat(1000)],
    [`${"[!b]*".repeat(40)}b`, "a".repeat(1000)],
  ])("reads no character of a name more often than the pattern is long: %j", (pattern, name) => {
    const fits = namePattern([pattern]);
    const reads = [vi.spyOn(String.prototype, "charCodeAt"), vi.spyOn(String.prototype, "codePointAt")];
    expect(fits(name)).toBe(false);
    const steps = reads.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    expect(steps).toBeGreaterThan(0);
    expect(steps).toBeLessThanOrEqual(pattern.length * (name.length + 1));
  });
});

/** A part of a pattern, by its meaning. */
type Part =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "star" }
  | { readonly is: "one" }
  | { readonly is: "of"; readonly not: boolean; readonly members: string }
  | { readonly is: "either"; readonly choices: readonly (readonly Part[])[] };

const letter = fc.constantFrom("a", "b", "/");
const { part } = fc.letrec<{ part: Part }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 2 },
    fc.record({ is: fc.constant("text" as const), text: letter }),
    fc.constant({ is: "star" as const }),
    fc.constant({ is: "one" as const }),
    fc.record({
      is: fc.constant("of" as const),
      not: fc.boolean(),
      members: fc.string({ unit: letter, minLength: 1, maxLength: 2 }),
    }),
    fc.record({
      is: fc.constant("either" as const),
      choices: fc.array(fc.array(tie("part"), { maxLength: 2 }), { minLength: 2, maxLength: 3 }),
    }),
  ),
}));

function written(part: Part): string {
  switch (part.is) {
    case "text":
      return part.text;
    case "star":
      return "*";
    case "one":
      return "?";
    case "of":
      return `[${part.not ? "!" : ""}${part.members}]`;
    case "either":
      return `{${part.choices.map((choice) => choice.map(written).join("")).join(",")}}`;
  }
}

/** What can be left of names after the parts have taken what they can. */
function rests(parts: readonly Part[], names: readonly string[]): readonly string[] {
  return parts.reduce((left, part) => [...new Set(left.flatMap((name) => after(part, name)))], names);
}

function after(part: Part, name: string): readonly string[] {
  switch (part.is) {
    case "text":
      return name.startsWith(part.text) ? [name.slice(1)] : [];
    case "star":
      return Array.from({ length: name.length + 1 }, (_, taken) => name.slice(taken));
    case "one":
      return name === "" ? [] : [name.slice(1)];
    case "of":
      return name !== "" && part.members.includes(name.charAt(0)) !== part.not ? [name.slice(1)] : [];
    case "either":
      return part.choices.flatMap((choice) => rests(choice, [name]));
  }
}

test.each([
  ["paths", pathPattern],
  ["names", namePattern],
])(
  "a simple pattern of %s, matched by JavaScript, fits exactly what it fits among alternatives, matched by RE2",
  (_, of) => {
    const part = fc.stringMatching(/^[ab./\n😀-]{0,4}$/u);
    const pattern = fc.tuple(part, fc.constantFrom("", "**/"), part, fc.constantFrom("", "*"), part);
    const text = fc.oneof(
      fc.stringMatching(/^[ab./\n😀-]{0,9}$/u),
      pattern.map((parts) => parts.join("").replaceAll("*", "\n")),
    );
    fc.assert(
      fc.property(pattern, fc.array(text, { maxLength: 9 }), (parts, texts) => {
        const simple = parts.join("").replace(/^(?:\.\/)+/, "");
        const [own, re2] = [of([simple]), of([`{${simple},\\0}`])];
        for (const one of [...texts, simple.replaceAll("*", "\n")]) expect(own(one)).toBe(re2(one));
      }),
    );
  },
);
