import { escapeXml, readDocument, type XmlElement } from "../../../core/xml.ts";

/**
 * A document in canonical form, so that documents with the same meaning to the server have equal text: no declaration,
 * comments or processing instructions; attributes sorted and without `plugin`, in which the server records which version
 * of a plugin wrote the element; CDATA and references as text; no white space between elements and no lines of only
 * white space in an element; empty elements in the short form. The order of elements counts. A document that is not
 * well-formed is returned unchanged.
 */
export function canonicalXml(document: string): string {
  const reading = readDocument(document);
  return reading.is === "read" ? lines(reading.root).join("\n") : document;
}

function lines({ name, attributes, children }: XmlElement): readonly string[] {
  const stated = Object.entries(attributes)
    .filter(([key]) => key !== "plugin")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ` ${key}="${escapeXml(value, "attribute")}"`)
    .join("");
  const elements = children.filter((child) => child.is === "element");
  const text = children.map((child) => (child.is === "text" || child.is === "cdata" ? child.text : "")).join("");
  const said = text.trim() === "" && (elements.length > 0 || text.includes("\n")) ? "" : escapeXml(text, "content");
  if (elements.length === 0) return [said === "" ? `<${name}${stated}/>` : `<${name}${stated}>${said}</${name}>`];
  const inner = elements.flatMap(lines).map((line) => `  ${line}`);
  return [`<${name}${stated}>${said}`, ...inner, `</${name}>`];
}
