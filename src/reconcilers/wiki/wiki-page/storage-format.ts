import { escapeAttribute, escapeText } from "entities/escape";
import { withoutEnd } from "../../../core/words.ts";
import { mistakeAt, readFragment, type XmlElement, type XmlNode } from "../../../core/xml.ts";

/** Plain names, and those in the wiki's own namespaces. */
const knownName = /^(?:(?:ac|ri|at|xml):)?[^:]+$/;

const macro = "ac:structured-macro";
/** Elements that contain a line of text. */
const phrasing = names("p h1 h2 h3 h4 h5 h6");
/** Elements on their own lines: white space next to them, and at their ends, means nothing. */
const blocks = new Set([
  ...phrasing,
  ...names("blockquote col colgroup dd div dl dt hr li ol pre table tbody td tfoot th thead tr ul"),
  ...names("ac:layout ac:layout-cell ac:layout-section ac:parameter ac:plain-text-body ac:rich-text-body"),
  ...names("ac:task ac:task-body ac:task-id ac:task-list ac:task-status"),
]);
/** Elements in which white space counts. */
const verbatim = names("pre ac:parameter ac:plain-text-body ac:plain-text-link-body");
const cdataElements = names("ac:plain-text-body ac:plain-text-link-body");
/** @see docs/facts.md, wiki: the server rewrites markup */
const serverAttributes = names("ac:macro-id ac:schema-version ri:version-at-save");
/** The wiki converts these when it saves a page. @see Confluence Storage Format, text effects */
const synonyms: ReadonlyMap<string, string> = new Map([
  ["b", "strong"],
  ["i", "em"],
]);

type Content = string | Element;

interface Element {
  readonly name: string;
  /** As written in the tag, each after a space. */
  readonly attributes: string;
  readonly content: readonly Content[];
  /** Whether it is on its own lines. */
  readonly isBlock: boolean;
}

/**
 * Storage markup in canonical form, so that equal pages have equal text: attributes sorted and without those that the
 * server adds, entities decoded, CDATA equal to text, comments and meaningless white space removed. Each block is on its
 * own line (a table row with its cells), which makes differences readable. The result is well-formed; markup that is not
 * well-formed is returned unchanged.
 */
export function canonicalMarkup(markup: string): string {
  const reading = readFragment(markup);
  return reading.is === "read" ? lines(settle(reading.root.children, undefined, false)).join("\n") : markup;
}

/**
 * The first mistake in storage markup, with its line and column (from 1) and what to write instead; undefined if the
 * wiki can read it.
 */
export function findMistake(markup: string): string | undefined {
  const reading = readFragment(markup);
  if (reading.is === "malformed") return reading.mistake;
  for (const { name, attributes, start } of elementsIn(reading.root)) {
    const unknown = [name, ...Object.keys(attributes)].find((one) => !knownName.test(one));
    if (unknown === undefined) continue;
    const [prefix] = unknown.split(":");
    return mistakeAt(markup, start, `the wiki has no namespace "${prefix}" (in ${unknown}); it has ac, ri and at`);
  }
  return undefined;
}

function* elementsIn({ children }: XmlElement): Generator<XmlElement> {
  for (const child of children) {
    if (child.is !== "element") continue;
    yield child;
    yield* elementsIn(child);
  }
}

/** Text as CDATA; a `]]>` in it is split into two sections. */
export function cdata(text: string): string {
  return `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/** The content of an element (undefined: of the page), without meaningless white space. */
function settle(children: readonly XmlNode[], parent: string | undefined, keepSpace: boolean): readonly Content[] {
  const content = joinText(children.flatMap((child) => read(child, keepSpace)));
  const isBlock = parent === undefined || blocks.has(parent);
  // A macro is inline if text or an inline element is next to it, or if its parent is a line.
  const isLine =
    !isBlock ||
    (parent !== undefined && phrasing.has(parent)) ||
    content.some((part) => (typeof part === "string" ? /[^ \t\n]/.test(part) : !part.isBlock && part.name !== macro));
  const placed = content.map((part) =>
    typeof part === "string"
      ? part
      : { ...part, isBlock: !keepSpace && (part.isBlock || (part.name === macro && !isLine)) },
  );
  if (keepSpace) return placed;
  const isEdge = (beside: Content | undefined) =>
    hasOnlyElements(parent) || (beside === undefined ? isBlock : typeof beside !== "string" && beside.isBlock);
  return placed
    .map((part, index) => {
      if (typeof part !== "string") return part;
      const start = isEdge(placed[index - 1]) ? part.replace(/^[ \t\n]+/, "") : part;
      const text = isEdge(placed[index + 1]) ? withoutEnd(start, " \t\n") : start;
      return text.replace(/[ \t\n]+/g, " ");
    })
    .filter((part) => part !== "");
}

function hasOnlyElements(name: string | undefined): boolean {
  return name === macro || name === "ac:link" || name === "ac:image" || (name?.startsWith("ri:") ?? false);
}

function read(node: XmlNode, keepSpace: boolean): readonly Content[] {
  if (node.is === "comment") return [];
  if (node.is !== "element") return [newlines(node.text)];
  const name = synonyms.get(node.name) ?? node.name;
  const attributes = Object.entries(node.attributes)
    .filter(([key]) => !serverAttributes.has(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ` ${key}="${escapeAttribute(value.replace(/\r\n|[\t\n\r]/g, " "))}"`)
    .join("");
  const content = settle(node.children, name, (keepSpace || verbatim.has(name)) && !hasOnlyElements(name));
  return [{ name, attributes, content, isBlock: blocks.has(name) }];
}

/** Line ends written as references become those of text. */
function newlines(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

function joinText(content: readonly Content[]): readonly Content[] {
  const joined: Content[] = [];
  for (const part of content) {
    if (part === "") continue;
    const last = joined.at(-1);
    if (typeof part === "string" && typeof last === "string") joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined;
}

/** Blocks on their own lines, and what is between two of them on one line. */
function lines(content: readonly Content[]): readonly string[] {
  const found: string[] = [];
  let isOpen = false;
  for (const part of content) {
    const isBlock = typeof part !== "string" && part.isBlock;
    if (isBlock) found.push(...blockLines(part));
    else found.push((isOpen ? (found.pop() ?? "") : "") + inline(part));
    isOpen = !isBlock;
  }
  return found;
}

function blockLines(element: Element): readonly string[] {
  if (!isBroken(element)) return [inline(element)];
  const { name, attributes, content } = element;
  // Only the first line is indented: further lines belong to the text.
  return [`<${name}${attributes}>`, ...lines(content).map((line) => `  ${line}`), `</${name}>`];
}

/** Whether an element spans lines: it contains a block. A row spans lines only if one of its cells does. */
function isBroken({ name, content }: Element): boolean {
  return content.some((part) => typeof part !== "string" && part.isBlock && (name !== "tr" || isBroken(part)));
}

function inline(part: Content): string {
  if (typeof part === "string") return escapeText(part);
  const { name, attributes, content } = part;
  if (content.length === 0) return `<${name}${attributes}/>`;
  const inner = content.map((child) =>
    typeof child === "string" && cdataElements.has(name) ? cdata(child) : inline(child),
  );
  return `<${name}${attributes}>${inner.join("")}</${name}>`;
}
