import fc from "fast-check";
import { marked } from "marked";
import { expect, test } from "vitest";
import { plainParagraph } from "../../scripts/build/plain-paragraph.ts";

const lines = [
  "a",
  "Word two",
  "  in",
  "    code",
  "===",
  "---",
  "- x",
  "1. y",
  "> q",
  "# h",
  "```",
  "~~~",
  "|a|b|",
  "|-|-|",
];
const more = [
  "a | b",
  "- | -",
  "<div>",
  "<!-- c -->",
  "[x]: /u",
  "",
  "  ",
  "\t",
  "_",
  "é",
  "a  ",
  "* * *",
  "+",
  "12) z",
  ":-",
];
const { normal, gfm, pedantic } = marked.Lexer.rules.block;

test.each(Object.entries({ normal, gfm, pedantic }))(
  "a text treated as a plain paragraph is exactly the paragraph that marked makes: %s",
  (_name, rules) => {
    let taken = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...lines, ...more), { minLength: 1, maxLength: 6 }), (some) => {
        const text = some.join("\n");
        const plain = plainParagraph.exec(text);
        if (plain === null) return;
        taken++;
        expect(rules.paragraph.exec(text)?.slice(0, 2)).toEqual([...plain]);
      }),
      { numRuns: 3000 },
    );
    expect(taken).toBeGreaterThan(100);
  },
);
