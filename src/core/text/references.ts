import { decodeHTMLStrict } from "entities/decode";

/**
 * Decodes the references in a text: characters by number, and by the names that HTML has for them. Most texts have none,
 * and the table of names takes a while to unpack.
 */
export function withoutReferences(text: string): string {
  return text.includes("&") ? decodeHTMLStrict(text) : text;
}
