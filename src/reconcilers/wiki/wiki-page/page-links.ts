import { posix } from "node:path";
import { Marked, Parser } from "marked";
import { onceForText } from "../../../core/once.ts";
import { type Problem, ProblemError } from "../../../core/problem.ts";
import { withoutReferences } from "../../../core/text/references.ts";
import { didYouMean } from "../../../core/text/words.ts";
import { keptCharacters, markdownToStorage, type PageLink, quotedMarkup, rendered } from "./markdown.ts";

/** What links need to know about a page. */
export interface LinkedPage {
  readonly id: string;
  /** `file`, relative to the manifest, is the file that `markdown` was read from. */
  readonly body?: { readonly markdown?: string | undefined; readonly file?: string | undefined } | undefined;
}

/** Returns the pages whose body is a file; its path is relative to the manifest. */
type PagesOf = (path: string) => readonly LinkedPage[];

/** The maximum number of errors reported for one page. */
const mostProblems = 100;

type Wrong = { readonly is: "wrong"; readonly problem: Problem };
type Link = { readonly is: "page"; readonly link: PageLink } | Wrong;

/**
 * Returns the page's body as storage markup in which links to Markdown files become links to their pages, and links to
 * headings use the wiki's names; undefined if there are no such links. Links name pages by id, to survive a change of title.
 * Throws `ProblemError` SP1010 for links to pages or headings that do not exist, and SP1002 for links that could mean
 * several pages; places are in `file` if the body was read from one.
 */
export function linkedMarkup(page: LinkedPage, pagesOf: PagesOf): string | undefined {
  const { markdown, file } = page.body ?? {};
  // Every link begins with a bracket.
  if (!markdown?.includes("[")) return undefined;
  const problems: Problem[] = [];
  const found = new Map<string, PageLink>();
  for (const { target, raw } of rendered(markdown).links) {
    if (problems.length >= mostProblems) break;
    const link = linkTo(target, page, pagesOf);
    if (link?.is === "wrong") problems.push(mistake(link, raw, markdown, file));
    if (link?.is === "page") found.set(target, link.link);
  }
  if (problems.length > 0) throw new ProblemError(...problems);
  return found.size > 0 ? markdownToStorage(markdown, (target) => found.get(target)).markup : undefined;
}

/** Returns what a target refers to; undefined if it is neither a file nor a heading of this page. */
function linkTo(target: string, page: LinkedPage, pagesOf: PagesOf): Link | undefined {
  const [, path = "", anchor] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(target) ?? [];
  if (path === "") {
    const heading = anchor === undefined ? undefined : headingsOf(page.body?.markdown ?? "").get(decoded(anchor));
    return heading === undefined ? undefined : { is: "page", link: { anchor: heading } };
  }
  if (path.startsWith("/") || path.includes(":")) return undefined;
  const file = posix.join(posix.dirname(page.body?.file ?? ""), decoded(path));
  const [other, ...more] = pagesOf(file);
  if (other === undefined) {
    if (!/\.md$/i.test(file)) return undefined;
    const what = `${file}, but no page of this wiki is declared with that file as its body.`;
    return wrong("SP1010", what, "Declare a WikiPage with body.file, or link to the page's URL.");
  }
  if (more.length > 0) {
    const ids = [other, ...more].map(({ id }) => id).join(" and ");
    return wrong("SP1002", `${file}, which is the body of pages ${ids}.`, "Use a separate file for each page.");
  }
  if (anchor === undefined || anchor === "") return { is: "page", link: { page: other.id } };
  if (other.body?.markdown === undefined) return { is: "page", link: { page: other.id, anchor } };
  const headings = headingsOf(other.body.markdown);
  const heading = headings.get(decoded(anchor));
  if (heading !== undefined) return { is: "page", link: { page: other.id, anchor: heading } };
  const what = `#${anchor}, but ${file} has no such heading.${didYouMean(anchor, headings.keys())}`;
  const hint = headings.size === 0 ? "The file has no headings." : `Its headings: ${[...headings.keys()].join(", ")}.`;
  return wrong("SP1010", what, hint);
}

function wrong(code: Problem["code"], what: string, hint: string): Wrong {
  return { is: "wrong", problem: { code, message: `points to ${what}`, hint } };
}

/** Returns what is wrong with a link, and its place in the file. */
function mistake({ problem }: Wrong, raw: string, markdown: string, file: string | undefined): Problem {
  const message = `${quotedMarkup(raw)} ${problem.message}`;
  const at = markdown.indexOf(raw);
  if (file === undefined || at === -1) return { ...problem, message };
  const before = markdown.slice(0, at).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  return { ...problem, message, place: { file, line: before.length, column, length: raw.length } };
}

/**
 * Returns the wiki's name for each heading of a page's Markdown, by its anchor there. Cached, because many pages can link to them.
 * @see docs/facts.md, Wiki: The anchor of a heading
 */
const headingsOf = onceForText(keptCharacters, (markdown): ReadonlyMap<string, string> => {
  const marked = new Marked();
  const parser = new Parser<string, string>();
  // Comments and tags are no text.
  parser.textRenderer.html = () => "";
  const headings = new Map<string, string>();
  const slugs = new Map<string, number>();
  const names = new Map<string, number>();
  marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type !== "heading") return;
    const text = withoutReferences(parser.parseInline(token.tokens ?? [], parser.textRenderer));
    const slug = slugOf(text);
    const name = text.replace(/\s+/g, "");
    let anchor = slug;
    while (headings.has(anchor)) anchor = `${slug}-${nth(slugs, slug)}`;
    const before = nth(names, name) - 1;
    headings.set(anchor, before === 0 ? name : `${name}.${before}`);
  });
  return headings;
});

/** Counts, from 1. */
function nth(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}

/** Returns the anchor of a heading as code hosting generates it: lower case, without punctuation, hyphens for spaces. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
