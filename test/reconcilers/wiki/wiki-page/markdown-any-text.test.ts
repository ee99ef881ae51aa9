import fc from "fast-check";
import { Marked } from "marked";
import { describe, expect, test } from "vitest";
import { readFragment, type XmlNode } from "../../../../src/core/text/xml.ts";
import { markdownToStorage, tokenizerFor } from "../../../../src/reconcilers/wiki/wiki-page/markdown.ts";
import { findMistake } from "../../../../src/reconcilers/wiki/wiki-page/storage-format.ts";
import { anyCharacter } from "../../../support/any-character.ts";
import { lawRuns } from "../../../support/worlds/parts.ts";

/** The text of the first code macro, as the wiki shows it. */
function codeIn(markup: string): string | undefined {
  const reading = readFragment(markup);
  const inMacros = reading.is === "read" ? reading.root.children.flatMap(childrenOf) : [];
  const body = inMacros.find((node) => node.is === "element" && node.name === "ac:plain-text-body");
  return body && childrenOf(body).map(textOf).join("");
}

function childrenOf(node: XmlNode): readonly XmlNode[] {
  return node.is === "element" ? node.children : [];
}

function textOf(node: XmlNode): string {
  return node.is === "element" ? "" : node.text;
}

describe("for any text", () => {
  const pieces = [
    "# ",
    "* ",
    "1. ",
    "> ",
    "| a | b |\n|---|---|\n",
    "```\n",
    "`",
    "**",
    "_",
    "~~",
    "[a](b)",
    "[",
    "](",
    ")",
    "<",
  ];
  const more = [
    "<b>",
    "</b>",
    "&",
    "&amp;",
    "&#1;",
    "\\",
    "\n",
    "\n\n",
    "    ",
    "\t",
    "]]>",
    "<!--",
    "-->",
    '"',
    "x",
    "é",
    "\u0000",
  ];
  const markdown = fc.oneof(
    fc.array(fc.constantFrom(...pieces, ...more)).map((parts) => parts.join("")),
    fc.string({ unit: anyCharacter }),
  );

  test("accepted text gives well-formed markup", () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const { markup, mistakes } = markdownToStorage(text);
        expect(mistakes.length > 0 || findMistake(markup) === undefined).toBe(true);
      }),
      { numRuns: lawRuns * 50 },
    );
  });

  test("a paragraph of 1,000 pictures with links is accepted", () => {
    const picture = "[![someone](https://example.com/someone.png)](https://example.com/people/someone) ";
    expect(markdownToStorage(picture.repeat(1000)).mistakes).toEqual([]);
  });

  test("a construct whose characters are missing from a text is never found in it", () => {
    const words = [
      "a",
      "1",
      "\n",
      "\n\n",
      "    ",
      " ",
      "| ",
      "\n---\n",
      "\n:-:\n",
      "|-|\n",
      "> ",
      "- ",
      "1. ",
      "1) ",
      "+ ",
      "# ",
      "===\n",
    ];
    const signs = [
      "<b>",
      "</b>\n",
      "<!-- -->",
      "```",
      "~~~\n",
      "[a]: /b\n",
      "[a]",
      "***\n",
      "___\n",
      "www.a.b",
      "https://a.b",
      "ftp://a.b",
      "a@b.c",
      "\r\n",
      "\t",
    ];
    const few = fc.subarray([...words, ...signs], { minLength: 2, maxLength: 6 });
    const text = few.chain((some) =>
      fc.array(fc.constantFrom(...some), { maxLength: 12 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (markdown) => {
        const all = new Marked().parse(markdown);
        expect(new Marked({ tokenizer: tokenizerFor(markdown) }).parse(markdown)).toBe(all);
      }),
      { numRuns: lawRuns * 40 },
    );
  });

  test("nothing is refused unless it contains control characters or HTML", () => {
    const plain = pieces.filter((piece) => piece !== "<" && piece !== "](");
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...plain, "&", "]]>", '"', "\n", "x", "é")), (parts) => {
        expect(markdownToStorage(parts.join("")).mistakes).toEqual([]);
      }),
      { numRuns: lawRuns * 50 },
    );
  });

  test("code is preserved exactly", () => {
    const line = fc.array(
      fc.constantFrom("a", " ", "\t", "<", "&", "&lt;", "]]>", "]", ">", "`", "\\", "**", "é", '"'),
    );
    const text = fc
      .array(
        line.map((parts) => parts.join("")),
        { minLength: 1 },
      )
      .map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, (code) => {
        expect(codeIn(markdownToStorage(`~~~~ text\n${code}\n~~~~\n`).markup)).toBe(code);
      }),
      { numRuns: lawRuns * 50 },
    );
  });
});
