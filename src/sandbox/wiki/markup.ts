import { createHash } from "node:crypto";
import { decodeHTMLStrict } from "entities";
import { Refusal } from "../refusal.ts";

/** Elements that may stand without an end tag. */
const voidElements = new Set(["br", "col", "hr", "img"]);

const attributePattern = String.raw`\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*')`;
const tokenPattern = [
  String.raw`(?<verbatim><!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->)`,
  String.raw`<\/(?<end>[\w:.-]+)\s*>`,
  String.raw`<(?<start>[\w:.-]+)(?<attributes>(?:${attributePattern})*)\s*(?<closed>\/?)>`,
  "(?<text>[^<]+)",
].join("|");

/** What storing must know to complete the markup. */
export interface MarkupContext {
  /** Id of the page, which macro ids are derived from. */
  readonly page: string;
  /** Current version of a page that is linked to; undefined where there is none. */
  versionOf(title: string, space: string | undefined): number | undefined;
  /** The same of a page that is named by its id. */
  versionOfId(id: string): number | undefined;
}

/**
 * Markup as the service stores it: tags closed in one way, entities as characters, `ri:version-at-save` on page links,
 * `ac:schema-version` and `ac:macro-id` on macros. Throws `Refusal` 400 for markup that is not well-formed; a parser
 * for browsers would forgive it, which the service does not.
 *
 * @see docs/facts.md, wiki: the server rewrites markup
 */
export function storeMarkup(markup: string, context: MarkupContext): string {
  const open: string[] = [];
  const written: string[] = [];
  const token = new RegExp(tokenPattern, "y");
  /** The element whose start tag was the last thing written. */
  let empty: string | undefined;
  while (token.lastIndex < markup.length) {
    const at = token.lastIndex;
    const { verbatim, end, start, attributes = "", closed, text } = token.exec(markup)?.groups ?? {};
    if (start !== undefined) {
      const tag = writeTag(start, completeAttributes(start, readAttributes(attributes), context, written.length));
      const isClosed = closed === "/" || voidElements.has(start);
      written.push(isClosed ? `${tag} />` : `${tag}>`);
      if (!isClosed) open.push(start);
      empty = closed === "/" ? undefined : start;
    } else if (end !== undefined) {
      const isVoid = end === empty && voidElements.has(end);
      if (!isVoid && open.pop() !== end) throw malformed(`Unexpected close tag </${end}>`);
      if (!isVoid) written.push(end === empty ? `${written.pop()?.slice(0, -1)} />` : `</${end}>`);
      empty = undefined;
    } else if (verbatim !== undefined || text !== undefined) {
      written.push(verbatim ?? escapeText(decodeText(text ?? "")));
      empty = undefined;
    } else throw malformed(`Unexpected character '${markup[at]}' at offset ${at}`);
  }
  const unclosed = open.pop();
  if (unclosed !== undefined)
    throw malformed(`Unexpected end of input; was expecting a close tag for element <${unclosed}>`);
  return written.join("");
}

type Attributes = ReadonlyMap<string, string>;

function readAttributes(text: string): Attributes {
  const read = new Map<string, string>();
  for (const [, name = "", double, single] of text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (read.has(name)) throw malformed(`Duplicate attribute '${name}'`);
    read.set(name, decodeText(double ?? single ?? ""));
  }
  return read;
}

function completeAttributes(
  element: string,
  attributes: Attributes,
  { page, versionOf, versionOfId }: MarkupContext,
  position: number,
): Attributes {
  switch (element) {
    case "ri:page": {
      const version = versionOf(attributes.get("ri:content-title") ?? "", attributes.get("ri:space-key"));
      return new Map([...attributes, ["ri:version-at-save", String(version ?? 1)]]);
    }
    case "ri:content-entity": {
      const version = versionOfId(attributes.get("ri:content-id") ?? "");
      return new Map([...attributes, ["ri:version-at-save", String(version ?? 1)]]);
    }
    case "ac:structured-macro": {
      const id = createHash("sha1")
        .update(`${page} ${position} ${attributes.get("ac:name")}`)
        .digest("hex");
      const uuid = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5");
      return new Map([["ac:name", ""], ["ac:schema-version", "1"], ["ac:macro-id", uuid], ...attributes]);
    }
    default:
      return attributes;
  }
}

function writeTag(element: string, attributes: Attributes): string {
  return `<${element}${[...attributes].map(([name, value]) => ` ${name}="${escapeText(value)}"`).join("")}`;
}

function decodeText(text: string): string {
  return text.replace(/&[^;\s&]*;?/g, (entity) => {
    const decoded = decodeHTMLStrict(entity);
    if (decoded === entity) throw malformed(`Undeclared entity "${entity}"`);
    return decoded;
  });
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\u00a0": "&nbsp;",
};

function escapeText(text: string): string {
  return text.replace(/[&<>"\u00a0]/g, (character) => escapes[character] ?? character);
}

function malformed(reason: string): Refusal {
  return new Refusal(400, `Error parsing xhtml: ${reason}`);
}
