import { hash } from "node:crypto";
import { escapeText } from "entities/escape";
import { own } from "../../core/text/json.ts";
import { readFragment, type XmlElement, type XmlNode } from "../../core/text/xml.ts";
import { Refusal } from "../refusal.ts";
import { currentVersion, type WikiPage, type WikiState } from "./state.ts";

/** The page that has the markup, and all pages, to which it can link. */
interface MarkupContext extends Pick<WikiState, "pages"> {
  /** Macro ids are derived from it. */
  readonly id: string;
  readonly space: string;
}

/**
 * Rewrites markup to the form that the service stores: empty tags closed in one way, entities as characters,
 * `ri:version-at-save` on page links, `ac:schema-version` and `ac:macro-id` on macros. Throws `Refusal` 400 for markup
 * that is not well-formed.
 *
 * @see docs/facts.md, wiki: the server rewrites markup
 */
export function storeMarkup(markup: string, context: MarkupContext): string {
  const reading = readFragment(markup);
  if (reading.is === "malformed") throw new Refusal(400, `Error parsing xhtml: ${reading.mistake}`);
  return reading.root.children.map((node) => stored(node, context)).join("");
}

function stored(node: XmlNode, context: MarkupContext): string {
  switch (node.is) {
    case "text":
      return escaped(node.text);
    case "cdata":
      return `<![CDATA[${node.text}]]>`;
    case "comment":
      return `<!--${node.text}-->`;
    case "element": {
      const attributes = Object.entries(completeAttributes(node, context));
      const tag = [node.name, ...attributes.map(([name, value]) => `${name}="${escaped(value)}"`)].join(" ");
      const content = node.children.map((child) => stored(child, context)).join("");
      return content === "" ? `<${tag} />` : `<${tag}>${content}</${node.name}>`;
    }
  }
}

function completeAttributes(
  { name, attributes, start }: XmlElement,
  { id, space, pages }: MarkupContext,
): XmlElement["attributes"] {
  switch (name) {
    case "ri:page": {
      const { "ri:content-title": title, "ri:space-key": key = space } = attributes;
      const page = Object.values(pages).find((other) => other.title === title && other.space === key);
      return linked(attributes, page);
    }
    case "ri:content-entity":
      return linked(attributes, own(pages, attributes["ri:content-id"] ?? ""));
    case "ac:structured-macro": {
      const digits = hash("sha1", `${id} ${start} ${attributes["ac:name"]}`);
      const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5");
      return { "ac:name": "", "ac:schema-version": "1", "ac:macro-id": uuid, ...attributes };
    }
    default:
      return attributes;
  }
}

/** Adds the current version of a linked page; 1 if there is no such page. */
function linked(attributes: XmlElement["attributes"], page: WikiPage | undefined): XmlElement["attributes"] {
  return { ...attributes, "ri:version-at-save": String(page === undefined ? 1 : currentVersion(page)) };
}

/** Escapes text as the service does, including quotation marks. */
function escaped(text: string): string {
  return escapeText(text).replaceAll('"', "&quot;");
}
