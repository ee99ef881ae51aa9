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
  readonly heading: string | undefined;
}

/**
 * Pages and lists that a text names, as `docs/facts.md, <heading>: <remark>`, and any file after `@see`. Links are
 * relative, and are resolved by test/docs.test.ts.
 */
function citationsIn(text: string): readonly Citation[] {
  const joined = text.replaceAll(/\]\([^)\s]+\)/g, "]").replaceAll(/\n\s*(?:\*(?!\/)|\/\/)?\s*/g, " ");
  const pages = joined.matchAll(/(?<![\w./-])((?:[\w.-]+\/)*[\w-]+\.(?:md|tsv))\b(?!#)(?:, ([^:;.()"'`*<>@]+))?/g);
  const sources = joined.matchAll(/@see ((?:[\w.-]+\/)*[\w.-]+\.(?:ts|js|json|yaml|xml))\b/g);
  return [...pages, ...sources].map(([, file = "", heading]) => ({ file, heading: heading?.trim() }));
}

function resolves({ file, heading }: Citation): boolean {
  if (!existsSync(join(root, file))) return false;
  if (heading === undefined) return true;
  const headings = [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title.toLowerCase());
  return headings.includes(heading.toLowerCase());
}

const written = filesOf("*.{md,cjs,ts}", "docs/**/*.md", "scripts/**/*.ts", "src/**/*.ts", "test/**/*.ts");

describe("a citation", () => {
  test("resolves to a file of the repository and a heading in it, wherever it is", () => {
    const citations = written.flatMap((by) => citationsIn(wordsOf(by)).map((citation) => ({ by, ...citation })));
    expect(citations.length).toBeGreaterThan(100);
    expect(citations.filter((citation) => !resolves(citation))).toEqual([]);
  });

  test.each([
    ["a page", "/** Why. @see docs/facts.md */", [true]],
    ["a heading in any case, with a remark", "@see docs/facts.md, CI: 409 if not buildable", [true]],
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
