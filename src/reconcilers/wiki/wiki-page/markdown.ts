import { escapeText, escapeUTF8 } from "entities/escape";
import { Marked } from "marked";
import { onceForText } from "../../../core/once.ts";
import { withoutReferences } from "../../../core/text/references.ts";
import { quote } from "../../../core/text/words.ts";
import { cdata, findMistake } from "./storage-format.ts";

/** Storage markup, and the parts of the Markdown that a page cannot contain. */
export interface Rendered {
  readonly markup: string;
  readonly mistakes: readonly string[];
  /** The links that might point to a place in the wiki, in order. */
  readonly links: readonly WrittenLink[];
}

/** A link with its target, and as written. */
interface WrittenLink {
  readonly target: string;
  readonly raw: string;
}

/** A place in the wiki: a page by its id, or this page; `anchor` is the wiki's name for a heading. */
export interface PageLink {
  readonly page?: string;
  readonly anchor?: string;
}

/** Returns the place in the wiki that a link points to; undefined if it points elsewhere. */
type PageLinks = (target: string) => PageLink | undefined;

/** The characters of Markdown that are kept while a plan is made, because a page is checked, linked and compared. */
export const keptCharacters = 8 * 1024 * 1024;

/** Renders Markdown without changing its links, and remembers the result. */
export const rendered = onceForText(keptCharacters, (markdown) => markdownToStorage(markdown));

/**
 * Renders Markdown (CommonMark with tables, strike-through and task lists) to storage markup. Code blocks become code
 * macros.
 *
 * These are errors: raw HTML, except for `<br>`, `<sub>`, `<sup>` and `<u>`, which Markdown has no marks for, and comments, which
 * are dropped; links with schemes that a browser might execute; and images without a URL on the web, which are attachments in a wiki.
 */
export function markdownToStorage(markdown: string, pageLink: PageLinks = () => undefined): Rendered {
  const mistakes: string[] = [];
  const links: WrittenLink[] = [];
  // marked looks for the end of each emphasis, and of a link with brackets inside, in the whole rest of its paragraph.
  let left = 10_000_000 + 100 * markdown.length;
  const counted = (sign: RegExp, cost: number) => (rest: string) => {
    if (sign.test(rest)) left -= cost * rest.length;
    if (left < 0) throw new RangeError();
    return false as const;
  };
  const marked = new Marked({
    tokenizer: { ...tokenizerFor(markdown), emStrong: counted(/^[*_]/, 1), link: counted(/^!?\[[^\]]*\[/, 1 / 8) },
    renderer: {
      code: ({ text, lang = "" }) => codeMacro(text, lang.split(/\s/)[0] ?? ""),
      html({ text }) {
        const end = text.lastIndexOf("-->") + 3;
        const markup = (text.slice(0, end).replace(/<!--[\s\S]*?-->/g, "") + text.slice(end)).trim();
        if (/^<br *\/?>$/i.test(markup)) return "<br />";
        if (/^<\/?(?:su[bp]|u)>$/i.test(markup)) return markup.toLowerCase();
        if (markup !== "")
          mistakes.push(`${quotedMarkup(text)} is HTML: write it as storage markup, or its "<" as \\<`);
        return "";
      },
      image({ href, title, tokens, raw }) {
        const source = withoutReferences(href);
        if (/^https?:\/\//i.test(source)) {
          const alternative = this.parser.parseInline(tokens, this.parser.textRenderer);
          return imageElement(source, withoutReferences(alternative), withoutReferences(title ?? ""));
        }
        mistakes.push(
          `${quotedMarkup(raw)} is an image without an http or https URL, and attachments are not managed: link to it instead`,
        );
        return "";
      },
      link({ href, title, text, tokens, autolink, raw }) {
        const target = autolink ? href : withoutReferences(href);
        if (!isSafeLink(target)) mistakes.push(`${quotedMarkup(raw)} is not an http, https, mailto or relative link`);
        const label = autolink ? escapeText(text) : this.parser.parseInline(tokens);
        if (!autolink) links.push({ target, raw });
        const page = autolink ? undefined : pageLink(target);
        if (page !== undefined) return linkElement(page, label);
        const tooltip = title ? ` title="${escapeUTF8(withoutReferences(title))}"` : "";
        return `<a href="${escapeUTF8(target)}"${tooltip}>${label}</a>`;
      },
      text(token) {
        if ("tokens" in token && token.tokens) return this.parser.parseInline(token.tokens);
        return escapeText(withoutReferences(token.text));
      },
      tablecell({ header, align, tokens }) {
        const name = header ? "th" : "td";
        const style = align === null ? "" : ` style="text-align: ${align};"`;
        return `<${name}${style}>${this.parser.parseInline(tokens)}</${name}>`;
      },
      br: () => "<br />",
      hr: () => "<hr />\n",
      checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    },
  });
  try {
    const markup = marked.parse(markdown, { async: false });
    const malformed = findMistake(markup);
    return { markup, mistakes: malformed === undefined ? mistakes : [...mistakes, malformed], links };
  } catch (error) {
    // marked recurses for each nested quote, until the stack is exhausted.
    if (error instanceof RangeError)
      return {
        markup: "",
        mistakes: ["the text is nested too deeply, or has too many *, _ and [ in one paragraph"],
        links: [],
      };
    throw error;
  }
}

/** Signs without which a text cannot have a construct, whose expression in marked takes milliseconds at its first use. */
const signs = {
  blockquote: />/,
  def: /\]:/,
  fences: /```|~~~/,
  heading: /#/,
  hr: /[-_*]/,
  html: /</,
  lheading: /[=-][ \t]*$/m,
  list: /[-+*\d]/,
  table: /:-|-:|\| *-|- *\|/,
  url: /www\.|:\/\/|@/i,
};

/** Returns tokenizers that skip the constructs that a text cannot have. */
export function tokenizerFor(markdown: string): Readonly<Record<string, () => undefined>> {
  const missing = Object.entries(signs).filter(([, sign]) => !sign.test(markdown));
  return Object.fromEntries(missing.map(([name]) => [name, () => undefined]));
}

/**
 * Returns the wiki's own form of a link, which still works if the page is moved or renamed.
 * @see Confluence Storage Format, links and resource identifiers
 */
function linkElement({ page, anchor }: PageLink, label: string): string {
  const place = anchor === undefined ? "" : ` ac:anchor="${escapeUTF8(anchor)}"`;
  const target = page === undefined ? "" : `<ri:content-entity ri:content-id="${page}" />`;
  return `<ac:link${place}>${target}<ac:link-body>${label}</ac:link-body></ac:link>`;
}

/** An image from the web. @see Confluence Storage Format, images */
function imageElement(url: string, alternative: string, title: string): string {
  const attribute = (name: string, value: string) => (value === "" ? "" : ` ac:${name}="${escapeUTF8(value)}"`);
  const attributes = `${attribute("alt", alternative)}${attribute("title", title)}`;
  return `<ac:image${attributes}><ri:url ri:value="${escapeUTF8(url)}" /></ac:image>`;
}

/** Languages that the code macro can highlight; for others it shows an error instead of the code. @see docs/facts.md, wiki: the code macro */
const languages = new Set(
  "actionscript3 applescript bash c# coldfusion cpp css delphi diff erl groovy java jfx js perl php powershell py ruby sass scala sql text vb xml yml".split(
    " ",
  ),
);
/** Other names of these languages, and languages that look like them. */
const likeLanguages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bash: "console sh shell zsh",
    "c#": "cs csharp",
    cpp: "c c++",
    diff: "patch",
    erl: "erlang",
    jfx: "javafx",
    js: "javascript json json5 jsonc jsx ts tsx typescript",
    perl: "pl",
    powershell: "ps1 pwsh",
    py: "python",
    ruby: "rb",
    sass: "scss",
    text: "none plain plaintext txt",
    xml: "html svg xhtml",
    yml: "yaml",
  }).flatMap(([language, others]) => others.split(" ").map((other) => [other, language] as const)),
);

function codeMacro(text: string, written: string): string {
  const name = withoutReferences(written).toLowerCase();
  const language = likeLanguages.get(name) ?? name;
  const parameter = languages.has(language) ? `<ac:parameter ac:name="language">${language}</ac:parameter>` : "";
  // The last line end belongs to the fence, but marked keeps it after blank lines.
  const body = `<ac:plain-text-body>${cdata(text.replace(/\n$/, ""))}</ac:plain-text-body>`;
  return `<ac:structured-macro ac:name="code">${parameter}${body}</ac:structured-macro>\n`;
}

/** Whether a link is relative, or has a scheme that only opens a page or an email. */
function isSafeLink(target: string): boolean {
  const scheme = /^([^/?#:]*):/.exec(target)?.[1];
  return scheme === undefined || /^(?:https?|mailto)$/i.test(scheme);
}

/** Returns a link or an image as written, truncated and quoted. */
export function quotedMarkup(raw: string): string {
  return quote(raw.trim());
}
