import { escapeAttribute, escapeText } from "entities/escape";
import { onceForText } from "../../../core/once.ts";
import { inOrder, withoutEnd } from "../../../core/text/words.ts";
import { mistakeAt, visitFragment, type XmlAttributes, type XmlVisitor } from "../../../core/text/xml.ts";

/** The characters of markup that are kept while a plan is made, because a page is checked, compared and marked. */
const keptCharacters = 16 * 1024 * 1024;

/** Plain names, and those in the wiki's own namespaces. */
const knownName = /^(?:(?:ac|ri|at|xml):)?[^:]+$/;

const macro = "ac:structured-macro";
/** Elements that contain a line of text. */
const phrasing = names("p h1 h2 h3 h4 h5 h6");
/** Elements on their own lines: white space next to them, and at their ends, is not significant. */
const blocks = new Set([
  ...phrasing,
  ...names("blockquote col colgroup dd div dl dt hr li ol pre table tbody td tfoot th thead tr ul"),
  ...names("ac:layout ac:layout-cell ac:layout-section ac:parameter ac:plain-text-body ac:rich-text-body"),
  ...names("ac:task ac:task-body ac:task-id ac:task-list ac:task-status"),
]);
/** Elements in which white space is significant. */
const verbatim = names("pre ac:parameter ac:plain-text-body ac:plain-text-link-body");
/** White space that a browser collapses. */
const space = " \t\n";
const cdataElements = names("ac:plain-text-body ac:plain-text-link-body");
/** @see docs/facts.md, wiki: the server rewrites markup */
const serverAttributes = names("ac:local-id ac:macro-id ac:schema-version ri:version-at-save");
const serverElements = names("ac:task-uuid");
/** A reader's comment, around the text that it is about. @see docs/facts.md, wiki: inline comments */
const commented = "ac:inline-comment-marker";
/** The wiki converts these when it saves a page. @see Confluence Storage Format, text effects */
const synonyms: ReadonlyMap<string, string> = new Map([
  ["b", "strong"],
  ["i", "em"],
]);

type Content = string | Element;

interface Element {
  readonly name: string;
  /** Whether it is on its own lines. */
  readonly isBlock: boolean;
  /** The text on one line; an element that spans several lines is kept in parts. */
  readonly written: string | Parts;
}

interface Parts {
  /** As written in the tag, each after a space. */
  readonly attributes: string;
  readonly content: readonly Content[];
}

/** The result of reading markup; `mistake` is the first error, with its line and column (from 1) and what to write instead. */
type MarkupReading =
  | { readonly is: "read"; readonly canonical: string; readonly mistake: string | undefined }
  | { readonly is: "malformed"; readonly mistake: string };

/** Reads storage markup. Well-formed markup can still have an error: a name that the wiki does not know. */
export const readMarkup = onceForText(keptCharacters, (markup): MarkupReading => {
  const reading = visitFragment(markup, pageVisitor());
  if (reading.is === "malformed") return reading;
  const { canonical, foreign } = reading.made;
  if (foreign === undefined) return { is: "read", canonical, mistake: undefined };
  const [prefix] = foreign.name.split(":");
  const mistake = `the wiki has no namespace "${prefix}" (in ${foreign.name}); it has ac, ri and at`;
  return { is: "read", canonical, mistake: mistakeAt(markup, foreign.start, mistake) };
});

/**
 * Returns storage markup in canonical form, so that equal pages have equal text: attributes and the parameters of macros
 * sorted and without what the server adds, entities decoded, CDATA equal to text, comments (also those of readers) and
 * insignificant white space removed. Each block is on its own line (a table row with its cells), which makes differences
 * readable. The result is well-formed; markup that is not well-formed is returned unchanged.
 */
export function canonicalMarkup(markup: string): string {
  const reading = readMarkup(markup);
  return reading.is === "read" ? reading.canonical : markup;
}

/** Returns the first error in storage markup, with its place and what to write instead; undefined if the wiki can read it. */
export function findMistake(markup: string): string | undefined {
  return readMarkup(markup).mistake;
}

/** Returns text as CDATA; a `]]>` in it is split into two sections. */
export function cdata(text: string): string {
  return `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/** A page in canonical form, and the first name in it that the wiki does not know. */
interface Page {
  readonly canonical: string;
  readonly foreign: { readonly name: string; readonly start: number } | undefined;
}

/** An element, or the page, whose end has not been reached. */
interface Open {
  /** Undefined: the page. */
  readonly name: string | undefined;
  readonly attributes: string;
  readonly keepSpace: boolean;
  readonly content: Content[];
}

function pageVisitor(): XmlVisitor<Page> {
  const above: Open[] = [];
  let inner: Open = { name: undefined, attributes: "", keepSpace: false, content: [] };
  let foreign: Page["foreign"];
  return {
    begin(writtenName, attributes, start) {
      const written = Object.keys(attributes);
      const unknown = isKnown(writtenName) ? written.find((one) => !isKnown(one)) : writtenName;
      if (unknown !== undefined) foreign ??= { name: unknown, start };
      const name = synonyms.get(writtenName) ?? writtenName;
      above.push(inner);
      const keepSpace = (inner.keepSpace || verbatim.has(name)) && !hasOnlyElements(name);
      inner = { name, attributes: attributesText(attributes, written), keepSpace, content: [] };
    },
    end() {
      const { name = "", attributes, content } = inner;
      const parts = name === commented ? content : [elementOf(name, { attributes, content: settled(inner) })];
      inner = above.pop() ?? inner;
      if (!serverElements.has(name)) for (const part of parts) addTo(inner.content, part);
    },
    add(is, text) {
      if (is === "comment" || text === "") return;
      // Line ends written as references become like those in text.
      addTo(inner.content, text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text);
    },
    made() {
      const lines: string[] = [];
      addLines(lines, settled(inner), "");
      return { canonical: lines.join("\n"), foreign };
    },
  };
}

/** Adds to the content of an element. Text beside text becomes one. */
function addTo(content: Content[], part: Content): void {
  const last = content.at(-1);
  if (typeof part === "string" && typeof last === "string") content[content.length - 1] = last + part;
  else content.push(part);
}

function isKnown(name: string): boolean {
  return !name.includes(":") || knownName.test(name);
}

/** Returns the content of an element, or of the page, without insignificant white space. */
function settled(open: Open): readonly Content[] {
  const placed = withBlocks(open);
  if (open.keepSpace) return placed;
  const kept: Content[] = [];
  for (let at = 0; at < placed.length; at++) {
    const part = placed[at] ?? "";
    if (typeof part !== "string") {
      kept.push(part);
      continue;
    }
    const start = isEdge(placed[at - 1], open) ? part.replace(/^[ \t\n]+/, "") : part;
    const text = isEdge(placed[at + 1], open) ? withoutEnd(start, space) : start;
    // Most text has only single spaces, and a replacement would copy it.
    if (text !== "") kept.push(/[\t\n]| {2}/.test(text) ? text.replace(/[ \t\n]+/g, " ") : text);
  }
  return open.name === macro ? withSortedParameters(kept) : kept;
}

/** Returns the content of a macro with its parameters sorted. @see docs/facts.md, wiki: the order of a macro's parameters */
function withSortedParameters(content: readonly Content[]): readonly Content[] {
  const isParameter = (part: Content) => typeof part !== "string" && part.name === "ac:parameter";
  const parameters = content.filter(isParameter).map((part) => ({ part, text: inline(part) }));
  const sorted = parameters.sort((one, other) => inOrder(one.text, other.text)).map(({ part }) => part);
  return [...sorted, ...content.filter((part) => !isParameter(part))];
}

/** Whether white space next to the given content, or at the end of an element, is insignificant. */
function isEdge(beside: Content | undefined, { name }: Open): boolean {
  if (hasOnlyElements(name)) return true;
  return beside === undefined ? isBlockName(name) : typeof beside !== "string" && beside.isBlock;
}

/** Returns the content of an element, in which each element knows whether it is on its own lines. */
function withBlocks({ name, keepSpace, content }: Open): readonly Content[] {
  const hasMacro = content.some((part) => typeof part !== "string" && part.name === macro);
  if (!hasMacro && !keepSpace) return content;
  // A macro is inline if text or an inline element is next to it, or if its parent is a line of text.
  const isLine =
    !isBlockName(name) ||
    (name !== undefined && phrasing.has(name)) ||
    content.some((part) => (typeof part === "string" ? /[^ \t\n]/.test(part) : !part.isBlock && part.name !== macro));
  return content.map((part) =>
    typeof part === "string" ? part : { ...part, isBlock: !keepSpace && (part.isBlock || !isLine) },
  );
}

function isBlockName(name: string | undefined): boolean {
  return name === undefined || blocks.has(name);
}

function hasOnlyElements(name: string | undefined): boolean {
  return name === macro || name === "ac:link" || name === "ac:image" || (name?.startsWith("ri:") ?? false);
}

function attributesText(attributes: XmlAttributes, written: readonly string[]): string {
  if (written.length === 0) return "";
  const value = (name: string) => escapeAttribute((attributes[name] ?? "").replace(/\r\n|[\t\n\r]/g, " "));
  return written
    .filter((name) => !serverAttributes.has(name))
    .sort()
    .map((name) => ` ${name}="${value(name)}"`)
    .join("");
}

function elementOf(name: string, parts: Parts): Element {
  // Most elements are on one line, and the text takes less memory than its parts.
  return { name, isBlock: blocks.has(name), written: spansLines(name, parts) ? parts : onOneLine(name, parts) };
}

/** Whether an element spans several lines because it contains a block. A row does only if one of its cells does. */
function spansLines(name: string, { content }: Parts): boolean {
  return content.some(
    (part) => typeof part !== "string" && part.isBlock && (name !== "tr" || typeof part.written !== "string"),
  );
}

function onOneLine(name: string, { attributes, content }: Parts): string {
  if (content.length === 0) return `<${name}${attributes}/>`;
  let inner = "";
  for (const part of content) inner += typeof part === "string" && cdataElements.has(name) ? cdata(part) : inline(part);
  return `<${name}${attributes}>${inner}</${name}>`;
}

function inline(part: Content): string {
  if (typeof part === "string") return escapeText(part);
  const { name, written } = part;
  return typeof written === "string" ? written : onOneLine(name, written);
}

/** Adds blocks on their own lines, and the content between two of them on one line. */
function addLines(lines: string[], content: readonly Content[], indent: string): void {
  let line: string | undefined;
  for (const part of content) {
    if (typeof part === "string" || !part.isBlock) {
      line = (line ?? indent) + inline(part);
      continue;
    }
    if (line !== undefined) lines.push(line);
    line = undefined;
    addBlock(lines, part, indent);
  }
  if (line !== undefined) lines.push(line);
}

/** Adds the lines of a block. Only the first line of a text is indented: further ones are part of the text. */
function addBlock(lines: string[], { name, written }: Element, indent: string): void {
  if (typeof written === "string") {
    lines.push(indent + written);
    return;
  }
  lines.push(`${indent}<${name}${written.attributes}>`);
  addLines(lines, written.content, `${indent}  `);
  lines.push(`${indent}</${name}>`);
}
