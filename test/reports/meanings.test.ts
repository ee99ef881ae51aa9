import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { legend, type Meaning, markOf } from "../../src/reports/meanings.ts";
import { styleOf } from "../../src/reports/text/style.ts";

const style = styleOf({ width: 80, color: false });
const meanings = Object.keys(legend).filter((name): name is Meaning => name in legend);

test("docs/reading-plans.md has the legend that screens show", () => {
  const rows = readFileSync("docs/reading-plans.md", "utf8")
    .split("\n")
    .flatMap((line) => /^\| (?:`.`)? *\| (?:green|yellow|red|magenta|cyan|dim) (?=\| \S.* \|$)/.exec(line) ?? []);
  expect(rows).toEqual(
    meanings.map((meaning) => {
      const { glyph, paint } = markOf(meaning, style);
      return `| ${glyph === "" ? "" : `\`${glyph}\``} | ${paint} `;
    }),
  );
});

test("no other source file gives a colour a meaning", () => {
  const colours = /(?:paint|Paint)\w*\(?.*"(?:green|yellow|red|magenta|cyan)"/;
  const files = globSync("src/{cli,reports}/**/*.ts").filter(
    (file) => !/reports\/(?:meanings|text\/style)\.ts$/.test(file) && colours.test(readFileSync(file, "utf8")),
  );
  expect(files).toEqual([]);
});

test("without colour the glyphs of a plan, and those of a report, still differ", () => {
  const glyphs = (of: readonly Meaning[]) => of.map((meaning) => markOf(meaning, style).glyph);
  for (const screen of [
    ["create", "update", "delete", "conflict", "unknown", "person", "unmanaged", "in sync"],
    ["done", "wrong", "skipped", "unknown", "person"],
    ["before", "after"],
  ] satisfies readonly (readonly Meaning[])[])
    expect(new Set(glyphs(screen)).size).toBe(screen.length);
});
