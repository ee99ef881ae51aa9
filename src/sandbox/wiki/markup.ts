import { hash } from "node:crypto";
import { escapeText } from "entities/escape";
import { readFragment, type XmlElement, type XmlNode } from "../../core/text/xml.ts";
import { Refusal } from "../refusal.ts";

/** The facts that `storeMarkup` needs to complete markup. */
export interface MarkupContext {
  /** Id of the page, from which macro ids are derived. */
  readonly page: string;
  /** Returns the current version of a linked page; undefined if there is no such page. */
  versionOf(title: string, space: string | undefined): number | undefined;
  /** The same for a page that is linked by its id. */
  versionOfId(id: string): number | undefined;
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
  { page, versionOf, versionOfId }: MarkupContext,
): XmlElement["attributes"] {
  switch (name) {
    case "ri:page": {
      const version = versionOf(attributes["ri:content-title"] ?? "", attributes["ri:space-key"]);
      return { ...attributes, "ri:version-at-save": String(version ?? 1) };
    }
    case "ri:content-entity":
      return { ...attributes, "ri:version-at-save": String(versionOfId(attributes["ri:content-id"] ?? "") ?? 1) };
    case "ac:structured-macro": {
      const id = hash("sha1", `${page} ${start} ${attributes["ac:name"]}`);
      const uuid = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5");
      return { "ac:name": "", "ac:schema-version": "1", "ac:macro-id": uuid, ...attributes };
    }
    default:
      return attributes;
  }
}

/** Escapes text as the service does, including quotation marks. */
function escaped(text: string): string {
  return escapeText(text).replaceAll('"', "&quot;");
}
