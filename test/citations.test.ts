import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";

const root = new URL("../", import.meta.url).pathname;

/** Folders ignored by git, git's own folder, and archives. */
const ignore = ["**/{node_modules,.git,dist,coverage,.cache,.setpoint}/**", "**/*.{gz,tgz}"];

function filesOf(...patterns: readonly string[]): readonly string[] {
  return globSync([...patterns], { cwd: root, dot: true, ignore });
}

function textOf(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** The words of a file for its readers: of a test its comments, of a page everything but code blocks. */
function wordsOf(file: string): string {
  const text = textOf(file);
  if (file.endsWith(".md")) return text.replaceAll(/^```.*?^```/gms, "");
  return file.startsWith("test/") ? (text.match(/^\s*(?:\/[*/]|\*).*$/gm)?.join("\n") ?? "") : text;
}

interface Citation {
  /** Paths from the root of the repository. */
  readonly file: string;
  readonly heading?: string | undefined;
  readonly remark?: string | undefined;
}

/**
 * Pages and lists that a text names, as `docs/facts.md, <heading>: <remark>`, and any file after `@see`. Links are
 * relative, and are resolved by test/docs.test.ts.
 */
function citationsIn(text: string): readonly Citation[] {
  const joined = text.replaceAll(/\]\([^)\s]+\)/g, "]").replaceAll(/\n\s*(?:\*(?!\/)|\/\/)\s*/g, " ");
  const pages = joined.matchAll(
    /(?<![\w./-])((?:[\w.-]+\/)*[\w-]+\.(?:md|tsv))\b(?!#)(?:, ([^:;.()"'`*<>@]+))?(?:: ((?!<).+?)(?=\*\/|[;"@\n]|\)[.,]|$))?/g,
  );
  const sources = joined.matchAll(/@see ((?:[\w.-]+\/)*[\w.-]+\.(?:ts|js|json|yaml|xml))\b/g);
  return [
    ...[...pages].map(([, file = "", heading, remark]) => ({ file, heading: heading?.trim(), remark })),
    ...[...sources].map(([, file = ""]) => ({ file })),
  ];
}

function resolves({ file, heading, remark }: Citation): boolean {
  if (!existsSync(join(root, file))) return false;
  const section = sectionOf(textOf(file), heading);
  return section !== undefined && (remark === undefined || states(section, remark));
}

/** What a page says between a heading and the next one; the whole page if no heading is given. */
function sectionOf(page: string, heading: string | undefined): string | undefined {
  if (heading === undefined) return page;
  const title = heading.replaceAll(/\s+/g, " ").toLowerCase();
  return page.split(/^#+ /m).find((part) => part.split("\n", 1)[0]?.toLowerCase() === title);
}

/** Whether one paragraph, entry or row of a section has all significant words of a remark: it may state them in any order and form. */
function states(section: string, remark: string): boolean {
  const words = significant(remark);
  const items = section.split(/\n(?=[-|#\n]|\d+\. )/).map((item) => new Set(significant(item)));
  return words.length > 0 && items.some((item) => words.every((word) => item.has(word)));
}

/** Numbers, and the beginnings of long words, which have the same beginning in most of their forms. */
function significant(text: string): readonly string[] {
  const words = text.toLowerCase().match(/\d{3,}|\p{L}[\p{L}\p{N}_]{3,}/gu) ?? [];
  return words.filter((word) => !common.has(word)).map((word) => word.slice(0, 5));
}

const common = new Set("have here must that their there these they this what when where which with".split(" "));

const written = filesOf("*.{md,cjs,ts}", "docs/**/*.md", "{bench,scripts,src,test}/**/*.{md,ts,tsx}");

describe("a citation", () => {
  test("resolves to a file of the repository, a heading in it and a statement below that, wherever it is", () => {
    const citations = written.flatMap((by) => citationsIn(wordsOf(by)).map((citation) => ({ by, ...citation })));
    expect(citations.length).toBeGreaterThan(100);
    expect(citations.filter((citation) => !resolves(citation))).toEqual([]);
  });

  test.each([
    ["a page", "/** Why. @see docs/facts.md */", [true]],
    ["a heading in any case, with a remark", "@see docs/facts.md, ci: 409 if a job cannot be built */", [true]],
    [
      "a remark on two lines",
      "// @see docs/facts.md, CI: `builds` holds\n// the newest 100\nconst nothing = 1;",
      [true],
    ],
    ["a remark in a message", '"Needed (docs/facts.md, CI: the newest 100)."', [true]],
    ["a remark on a page without a heading", '"docs/facts.md: the newest 100"', [true]],
    ["a remark below another heading", "@see docs/facts.md, Wiki: `builds` holds the newest 100", [false]],
    ["a remark that no single entry states", "@see docs/facts.md, CI: a plugin holds the newest 100", [false]],
    ["a remark without a significant word", "@see docs/facts.md, CI: it is so", [false]],
    ["a heading on the next line of a comment", "/*\n * (docs/facts.md,\n * across services).\n */", [true]],
    ["two of them", "@see docs/facts.md, wiki; docs/api/review.md, access rights", [true, true]],
    ["an unknown page", "@see facts.md", [false]],
    ["an unknown page in a message", '"Needed: docs/none.md, review."', [false]],
    ["an unknown heading", "@see docs/facts.md, reviews", [false]],
    ["a part of a heading", "@see docs/facts.md, tracker and", [false]],
    ["an unknown source", "@see test/none.test.ts", [false]],
  ])("of %s is read", (_what, text, resolved) => {
    expect(citationsIn(text).map(resolves)).toEqual(resolved);
  });
});

test("no file refers to anything beside the checkout", () => {
  const outside = filesOf("**/*").flatMap((file) =>
    [...textOf(file).matchAll(/(?:\.\.\/)+shared(?:\/[\w.-]+)*/g)]
      .map(([path]) => normalize(join(dirname(file), path)))
      .filter((path) => path.startsWith("..") || !existsSync(join(root, path)))
      .map((path) => `${file}: ${path}`),
  );
  expect(outside).toEqual([]);
});
