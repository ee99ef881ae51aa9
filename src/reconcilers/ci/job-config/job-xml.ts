import { type ChildNode, type Element, isCDATA, isTag, isText } from "domhandler";
import { escapeAttribute, escapeText } from "entities";
import { parseDocument } from "htmlparser2";

/** Far above any real document: reading a deeper one would exhaust the stack. */
const maxDepth = 200;

const name = String.raw`[^\s<>/=&"'!?][^\s<>/=&"']*`;
/** One token of a document. What does not match where the one before ended is malformed. */
const token = new RegExp(
  [
    String.raw`<!--[\s\S]*?-->`,
    String.raw`<\?[\s\S]*?\?>`,
    String.raw`(?<content><!\[CDATA\[[\s\S]*?\]\]>|&(?:lt|gt|amp|quot|apos|#\d+|#x[\da-fA-F]+);)`,
    String.raw`<\/(?<closes>${name})\s*>`,
    String.raw`<(?<opens>${name})(?:\s+${name}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(?<empty>\/?)>`,
    "(?<text>[^<&]+)",
  ].join("|"),
  "gy",
);

/** The first mistake of an XML document, with its line; undefined where there is none. */
export function xmlMistake(document: string): string | undefined {
  const open: string[] = [];
  let roots = 0;
  let end = 0;
  for (const { 0: all, index, groups = {} } of document.matchAll(token)) {
    const { closes, opens, empty, text, content } = groups;
    const at = (mistake: string) => `line ${lineOf(document, index)}: ${mistake}`;
    if (closes !== undefined && open.pop() !== closes) return at(`</${closes}> closes another element, or none`);
    if (open.length === 0 && (content ?? text?.trim() ?? "") !== "")
      return at("text stands outside of the root element");
    if (opens !== undefined) {
      if (open.length === 0) roots += 1;
      if (roots > 1) return at(`<${opens}> is a second root element`);
      if (empty === "") open.push(opens);
      if (open.length > maxDepth) return at(`elements are nested more than ${maxDepth} deep`);
    }
    end = index + all.length;
  }
  if (end < document.length) return `line ${lineOf(document, end)}: what begins here is no XML`;
  if (open.length > 0) return `<${open.at(-1)}> is never closed`;
  return roots === 0 ? "it has no element" : undefined;
}

function lineOf(document: string, index: number): number {
  return document.slice(0, index).split("\n").length;
}

/**
 * A well-formed document in one spelling, so that documents that say the same to the server have equal text: without
 * declaration, comments and processing instructions; attributes in order and without `plugin`, in which the server notes
 * which version of a plugin wrote the element; CDATA and references as text; without white space between elements and
 * without lines of white space alone in an element; empty elements in the short form. The order of elements counts.
 */
export function canonicalXml(document: string): string {
  // A declaration of XML 1.1 and its encoding mean nothing to text that is already decoded.
  return parseDocument(document, { xmlMode: true }).children.filter(isTag).flatMap(lines).join("\n");
}

function lines(element: Element): readonly string[] {
  const { name: tag, children } = element;
  const attributes = Object.entries(element.attribs)
    .filter(([key]) => key !== "plugin")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`)
    .join("");
  const elements = children.filter(isTag);
  const text = children.map(textOf).join("").replace(/\r\n?/g, "\n");
  const said = text.trim() === "" && (elements.length > 0 || text.includes("\n")) ? "" : escapeText(text);
  if (elements.length === 0) return [said === "" ? `<${tag}${attributes}/>` : `<${tag}${attributes}>${said}</${tag}>`];
  const inner = elements.flatMap(lines).map((line) => `  ${line}`);
  return [`<${tag}${attributes}>${said}`, ...inner, `</${tag}>`];
}

/** The text of a node, but not that of elements in it. */
function textOf(node: ChildNode): string {
  if (isText(node)) return node.data;
  return isCDATA(node) ? node.children.map(textOf).join("") : "";
}
