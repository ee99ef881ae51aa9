import { decodeHTMLStrict } from "entities/decode";
import { type SaxesOptions, SaxesParser } from "saxes";

export interface XmlElement {
  readonly is: "element";
  readonly name: string;
  /** References in values are decoded. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
  /** The index of its start tag in the text that was read, in which a line end is one character. @see mistakeAt */
  readonly start: number;
}

/** Declarations and processing instructions are left out. */
export type XmlNode = XmlElement | { readonly is: "text" | "cdata" | "comment"; readonly text: string };

/** `mistake` is the first one, with its line and column (from 1) and what to write instead. */
export type XmlReading =
  | { readonly is: "read"; readonly root: XmlElement }
  | { readonly is: "malformed"; readonly mistake: string };

/** Far above any real document: whoever walks a deeper tree would exhaust the stack. */
const maxDepth = 200;

/** The element around a fragment while it is read. */
const wrapper = "_";

const predefined: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["apos", "'"],
  ["gt", ">"],
  ["lt", "<"],
  ["quot", '"'],
]);

/** The parser's words for a mistake and ours, which begins so many characters back, or else where the construct does. */
const words: ReadonlyMap<string, readonly [mistake: string, back?: number]> = new Map([
  ['the string "]]>" is disallowed in char data.', ["write ]]> as ]]&gt;", 3]],
  ["malformed comment.", ["a comment may not contain --", 3]],
  ["text data outside of root node.", ["text is outside of the root element"]],
  ["documents may contain only one root.", ["a second root element begins"]],
  ["document must contain a root element.", ["it has no element"]],
]);

/** The text of a named entity. */
type Entities = (name: string) => string | undefined;

/**
 * Reads an XML document. Without a declaration it is taken for XML 1.1, which has references to control characters. A
 * document type declaration is a mistake, so entities are never declared, expanded or fetched.
 */
export function readDocument(text: string): XmlReading {
  return read(text, false, (name) => predefined.get(name));
}

/** Reads the content of an XHTML element: any elements and text, with HTML's entities. Prefixes need no declaration. */
export function readFragment(text: string): XmlReading {
  return read(text, true, (name) => {
    const reference = `&${name};`;
    const decoded = decodeHTMLStrict(reference);
    return decoded === reference ? undefined : decoded;
  });
}

/** Text as written in XML, in an attribute's double quotes or between tags. */
export function escapeXml(text: string, place: "attribute" | "content"): string {
  const special = place === "attribute" ? /[&<>"\p{Cc}\u2028]/gu : /[&<>\u2028]|(?![\t\n])\p{Cc}/gu;
  return text.replace(special, (character) => {
    const [name] = [...predefined].find(([, meant]) => meant === character) ?? [`#${character.charCodeAt(0)}`];
    return `&${name};`;
  });
}

/** A mistake with its line and column, from 1. The index counts a line end as one character. */
export function mistakeAt(text: string, index: number, mistake: string): string {
  const before = withLineFeeds(text).slice(0, index).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}: ${mistake}`;
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

class Malformed extends Error {
  readonly index: number;

  constructor(index: number, mistake: string) {
    super(mistake);
    this.index = index;
  }
}

function read(text: string, isFragment: boolean, entities: Entities): XmlReading {
  try {
    return { is: "read", root: parse(withLineFeeds(text), isFragment, entities) };
  } catch (error) {
    if (error instanceof Malformed) return { is: "malformed", mistake: mistakeAt(text, error.index, error.message) };
    throw error;
  }
}

/** The root, which is the wrapper of a fragment. Throws `Malformed`. */
function parse(text: string, isFragment: boolean, entities: Entities): XmlElement {
  // The parser takes half a character for a whole one.
  const half = text.search(/\p{Surrogate}/u);
  if (half !== -1) throw noCharacter(text, half);
  const defaultXMLVersion = isFragment ? "1.0" : "1.1";
  const parser = new SaxesParser<SaxesOptions & { xmlns: false }>({ xmlns: false, position: false, defaultXMLVersion });
  const open: (XmlElement & { readonly children: XmlNode[] })[] = [];
  let closed: XmlElement | undefined;
  /** Where the last construct ended: a tag, a comment, text between them. */
  let end = 0;
  const position = () => parser.position - (isFragment ? `<${wrapper}>`.length : 0);
  /** Where the construct begins that is being read. */
  const begin = () => {
    const character = /\S/g;
    character.lastIndex = end;
    return character.exec(text)?.index ?? end;
  };
  const add = (node: XmlNode, next: number) => {
    open.at(-1)?.children.push(node);
    end = next;
  };

  parser.on("opentag", ({ name, attributes }) => {
    const start = begin();
    if (open.length === (isFragment ? maxDepth + 1 : maxDepth))
      throw new Malformed(start, `elements are nested more than ${maxDepth} deep`);
    open.push({ is: "element", name, attributes, children: [], start });
    end = Math.max(position(), 0);
  });
  parser.on("closetag", () => {
    closed = open.pop();
    if (closed !== undefined) add(closed, position());
  });
  parser.on("text", (content) => {
    if (open.length === 0 && content.trim() !== "") throw explained("text data outside of root node.");
    // Text ends if the next construct has begun.
    add({ is: "text", text: content }, position() - 1);
  });
  parser.on("cdata", (content) => add({ is: "cdata", text: content }, position()));
  // The parser tells a comment before its last character.
  parser.on("comment", (content) => add({ is: "comment", text: content }, position() + 1));
  parser.on("doctype", () => {
    throw explained("document type declarations are not read.");
  });
  parser.on("processinginstruction", () => {
    if (isFragment) throw explained("processing instructions are not read.");
    end = position();
  });
  parser.on("error", ({ message }) => {
    throw explained(message);
  });
  // The parser takes whatever stands between an ampersand and the next semicolon for the name of an entity.
  parser.ENTITIES = new Proxy(parser.ENTITIES, {
    get(_predefined, key) {
      const name = String(key);
      const meant = /^\w+$/.test(name) ? entities(name) : undefined;
      if (meant === undefined) throw noReference(position() - `&${name};`.length, name);
      return meant;
    },
  });

  function explained(said: string): Malformed {
    const at = position();
    const [ours, back] = words.get(said) ?? [];
    if (ours !== undefined) return new Malformed(back === undefined ? begin() : at - back, ours);
    const [what = "", name = ""] = said.split(": ");
    switch (what) {
      case "duplicate attribute":
        return new Malformed(begin(), `duplicate attribute ${name.slice(0, -1)}`);
      case "malformed character entity.":
      case "empty entity name.": {
        const index = text.lastIndexOf("&", at - 1);
        return noReference(index, text.slice(index + 1, at - 1));
      }
      case "unexpected close tag.":
      case "unmatched closing tag": {
        const innermost = what === "unmatched closing tag" || (isFragment && open.length === 0) ? undefined : closed;
        if (innermost !== undefined && at > text.length) return neverClosed(innermost);
        const index = text.lastIndexOf("</", at - 1);
        const wrong = innermost ? `is out of place: expected </${innermost.name}> first` : "has no start tag";
        return new Malformed(index, `${text.slice(index, text.indexOf(">", index) + 1)} ${wrong}`);
      }
      case "unclosed tag": {
        const innermost = text.includes("<", end) ? undefined : open.at(-1);
        return innermost ? neverClosed(innermost) : noTag(text, begin(), "it does not end");
      }
      case "disallowed character.":
        if (at <= text.length && text[at - 1] !== "<") return noCharacter(text, at - 1);
    }
    return noTag(text, begin(), said);
  }

  if (isFragment) parser.write(`<${wrapper}>`);
  parser.write(text);
  if (isFragment) parser.write(`</${wrapper}>`);
  // Ends the name of an entity that the rest of the text was taken for.
  if (open.length > 0) parser.write(";");
  parser.close();
  if (closed === undefined) throw new Malformed(0, "it has no element");
  return closed;
}

function neverClosed({ name, start }: XmlElement): Malformed {
  return new Malformed(start, `<${name}> is never closed`);
}

function noCharacter(text: string, index: number): Malformed {
  const code = text.charCodeAt(index).toString(16).toUpperCase().padStart(4, "0");
  return new Malformed(index, `the character U+${code} is not allowed in XML`);
}

function noReference(index: number, name: string): Malformed {
  return new Malformed(index, /^#?\w+$/.test(name) ? `&${name}; is not a character` : 'write "&" as &amp;');
}

/** What begins like a tag and is none; `said` are the parser's words for what is wrong. */
function noTag(text: string, index: number, said: string): Malformed {
  const rest = text.slice(index);
  const quoted = JSON.stringify(rest.slice(0, 30));
  if (rest.startsWith("<!--")) return new Malformed(index, "the comment is never closed");
  if (rest.startsWith("<![CDATA[")) return new Malformed(index, "the CDATA section is never closed");
  const why = `is not allowed here: ${said.replace(/\.$/, "")}`;
  const instead = 'begins no tag: write "<" as &lt;, and attributes as name="value"';
  return new Malformed(index, `${quoted} ${/^<[?!]/.test(rest) ? why : instead}`);
}
