import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wildcard } from "../../src/sandbox/lists.ts";

/** Whether a text matches, by trying every text that a star could stand for. */
function matchesNaively([first, ...rest]: readonly string[], text: readonly string[]): boolean {
  if (first === undefined) return text.length === 0;
  if (first === "*") return text.concat("").some((_, length) => matchesNaively(rest, text.slice(length)));
  return text.length > 0 && (first === "?" || first === text[0]) && matchesNaively(rest, text.slice(1));
}

const characters = fc.constantFrom("a", "b", "*", "?", "/", ".", "\\", "[", "]", "{", "}", ",", "!", "-", "\n", "é");

describe("a wildcard pattern", () => {
  test("matches what a search through all possibilities finds, whatever other characters it has", () => {
    fc.assert(
      fc.property(
        fc.array(characters, { maxLength: 8 }),
        fc.array(characters, { maxLength: 8 }),
        fc.boolean(),
        (pattern, other, isNear) => {
          // Few random texts match: half of them are the pattern with something in place of its marks.
          const text = isNear
            ? pattern.flatMap((one) => (one === "*" ? other.slice(0, 3) : one === "?" ? "x" : one))
            : other;
          expect(wildcard(pattern.join(""))(text.join(""))).toBe(matchesNaively(pattern, text));
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("with many stars is matched in linear time", () => {
    expect(wildcard(`${"*a".repeat(20)}b`)("a".repeat(200))).toBe(false);
  });
});
