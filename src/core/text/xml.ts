import { type SaxesOptions, SaxesParser } from "saxes";
import { withoutReferences } from "./references.ts";
import { explainMistake, noCharacter, noReference, XmlMistake, type XmlTag } from "./xml-mistake.ts";

export interface XmlElement {
  readonly is: "element";
  readonly name: string;
  /** References in values are decoded. */
  readonly attributes: XmlAttributes;
  readonly children: readonly XmlNode[];
  /** The index of its start tag in the text that was read, in which a line end is one character. @see mistakeAt */
  readonly start: number;
}

export type XmlAttributes = Readonly<Record<string, string>>;

/** A node that is not an element. */
export interface XmlText {
  readonly is: "text" | "cdata" | "comment";
  readonly text: string;
}

/** Declarations and processing instructions are left out. */
export type XmlNode = XmlElement | XmlText;

/** The versions differ in the characters that a document can have. */
export type XmlVersion = "1.0" | "1.1";

/** Receives what a text contains, in order, and makes something from it. */
export interface XmlVisitor<T> {
  /** An element begins. Everything up to its `end` is inside it. */
  begin(name: string, attributes: XmlAttributes, start: number): void;
  end(): void;
  add(is: XmlText["is"], text: string): void;
  /** Returns what it has made, once it has received everything. */
  made(): T;
}

/** `mistake` is the first error, with its line and column (from 1) and what to write instead. */
interface Malformed {
  readonly is: "malformed";
  readonly mistake: string;
}

export type XmlReading = { readonly is: "read"; readonly root: XmlElement } | Malformed;

/** What a visitor has made from a fragment. */
export type XmlVisit<T> = { readonly is: "read"; readonly made: T } | Malformed;

/** Far above any real document: walking a deeper tree would exhaust the stack. */
const maxDepth = 200;

/** The element around a fragment while it is read. */
const wrapper = "_";

const lessThan = 60;

const predefined: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["apos", "'"],
  ["gt", ">"],
  ["lt", "<"],
  ["quot", '"'],
]);

/**
 * Reads an XML document. XML 1.1 has references to control characters, XML 1.0 has none; `undeclared` is the version of a
 * document without a declaration. A document type declaration is an error, so entities are never declared, expanded or
 * fetched.
 */
export function readDocument(text: string, undeclared: XmlVersion = "1.1"): XmlReading {
  const reading = read(text, treeVisitor(), undeclared);
  if (reading.is === "malformed") return reading;
  const root = reading.made.find((node) => node.is === "element");
  return root ? { is: "read", root } : { is: "malformed", mistake: mistakeAt(text, 0, "it has no element") };
}

/** Reads elements and text as the content of an XHTML element, with HTML's entities. Prefixes need no declaration. */
export function readFragment(text: string): XmlReading {
  const reading = visitFragment(text, treeVisitor());
  if (reading.is === "malformed") return reading;
  return { is: "read", root: { is: "element", name: wrapper, attributes: {}, children: reading.made, start: 0 } };
}

/** Reads a fragment as `readFragment` does, and passes what is in it to a visitor; if malformed, only its beginning. */
export function visitFragment<T>(text: string, visitor: XmlVisitor<T>): XmlVisit<T> {
  return read(text, visitor, "fragment");
}

function treeVisitor(): XmlVisitor<readonly XmlNode[]> {
  const nodes: XmlNode[] = [];
  const above: XmlNode[][] = [];
  let inner = nodes;
  return {
    begin(name, attributes, start) {
      const children: XmlNode[] = [];
      inner.push({ is: "element", name, attributes, children, start });
      above.push(inner);
      inner = children;
    },
    end() {
      inner = above.pop() ?? nodes;
    },
    add: (is, text) => void inner.push({ is, text }),
    made: () => nodes,
  };
}

/** Escapes text for XML, in an attribute's double quotes or between tags. */
export function escapeXml(text: string, place: "attribute" | "content"): string {
  const special = place === "attribute" ? /[&<>"\p{Cc}\u2028]/gu : /[&<>\u2028]|(?![\t\n])\p{Cc}/gu;
  return text.replace(special, (character) => {
    const [name] = [...predefined].find(([, meant]) => meant === character) ?? [`#${character.charCodeAt(0)}`];
    return `&${name};`;
  });
}

/** Writes an error with its line and column, from 1. The index counts a line end as one character. */
export function mistakeAt(text: string, index: number, mistake: string): string {
  const before = withLineFeeds(text).slice(0, index).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}: ${mistake}`;
}

function withLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

function read<T>(text: string, visitor: XmlVisitor<T>, as: XmlVersion | "fragment"): XmlVisit<T> {
  try {
    parse(withLineFeeds(text), visitor, as);
    return { is: "read", made: visitor.made() };
  } catch (error) {
    if (error instanceof XmlMistake) return { is: "malformed", mistake: mistakeAt(text, error.index, error.message) };
    throw error;
  }
}

/** The character of a named entity: HTML has more names than XML. */
function namedCharacter(name: string, isFragment: boolean): string | undefined {
  if (!isFragment) return predefined.get(name);
  const reference = `&${name};`;
  const decoded = withoutReferences(reference);
  return decoded === reference ? undefined : decoded;
}

/** Throws `XmlMistake`. */
function parse(text: string, visitor: XmlVisitor<unknown>, as: XmlVersion | "fragment"): void {
  const isFragment = as === "fragment";
  // The parser accepts half of a character as a whole one.
  const half = text.search(/\p{Surrogate}/u);
  if (half !== -1) throw noCharacter(text, half);
  const defaultXMLVersion = isFragment ? "1.0" : as;
  const parser = new SaxesParser<SaxesOptions & { xmlns: false }>({ xmlns: false, position: false, defaultXMLVersion });
  const open: XmlTag[] = [];
  /** Elements around those that the visitor receives. */
  const around = isFragment ? 1 : 0;
  let closed: XmlTag | undefined;
  /** Where the last construct ended: a tag, a comment, text between them. */
  let end = 0;
  const position = () => parser.position - (isFragment ? `<${wrapper}>`.length : 0);
  /** Where the construct that is being read begins. */
  const begin = () => {
    if (text.charCodeAt(end) === lessThan) return end;
    const character = /\S/g;
    character.lastIndex = end;
    return character.exec(text)?.index ?? end;
  };
  const explained = (said: string) =>
    explainMistake(said, { text, at: position(), begin: begin(), end, open, closed, isFragment });
  const add = (is: XmlText["is"], content: string, next: number) => {
    if (open.length > 0) visitor.add(is, content);
    end = next;
  };

  parser.on("opentag", ({ name, attributes }) => {
    const start = begin();
    if (open.length === maxDepth + around)
      throw new XmlMistake(start, `elements are nested more than ${maxDepth} deep`);
    open.push({ name, start });
    if (open.length > around) visitor.begin(name, attributes, start);
    end = Math.max(position(), 0);
  });
  parser.on("closetag", () => {
    closed = open.pop();
    if (closed === undefined) return;
    if (open.length >= around) visitor.end();
    end = position();
  });
  parser.on("text", (content) => {
    if (open.length === 0 && content.trim() !== "") throw explained("text data outside of root node.");
    // Text ends when the next construct has begun.
    add("text", content, position() - 1);
  });
  parser.on("cdata", (content) => add("cdata", content, position()));
  // The parser reports a comment before its last character.
  parser.on("comment", (content) => add("comment", content, position() + 1));
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
  // The parser treats everything between an ampersand and the next semicolon as the name of an entity.
  parser.ENTITIES = new Proxy(parser.ENTITIES, {
    get(_predefined, key) {
      const name = String(key);
      const meant = /^\w+$/.test(name) ? namedCharacter(name, isFragment) : undefined;
      if (meant === undefined) throw noReference(position() - `&${name};`.length, name);
      return meant;
    },
  });

  if (isFragment) parser.write(`<${wrapper}>`);
  parser.write(text);
  if (isFragment) parser.write(`</${wrapper}>`);
  // Ends the name of an entity, if the rest of the text was read as one.
  if (open.length > 0) parser.write(";");
  parser.close();
}
