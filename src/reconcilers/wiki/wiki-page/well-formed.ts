import { decodeHTMLStrict } from "entities";
import { maxDepth } from "./storage-format.ts";

const name = String.raw`[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?`;
const value = `"[^"<]*"|'[^'<]*'`;
const attribute = new RegExp(String.raw`\s+(${name})\s*=\s*(${value})`, "g");
const referenceName = String.raw`(?:#\d+|#x[\da-fA-F]+|[A-Za-z]\w*)`;
/** One token of storage markup. What does not match where the one before ended is malformed. */
const token = new RegExp(
  [
    String.raw`<!--(?<comment>[\s\S]*?)-->`,
    String.raw`<!\[CDATA\[[\s\S]*?\]\]>`,
    String.raw`<\/(?<closes>${name})\s*>`,
    String.raw`<(?<opens>${name})(?<attributes>(?:\s+${name}\s*=\s*(?:${value}))*)\s*(?<empty>\/?)>`,
    `(?<reference>&(?:${referenceName};)?)`,
    "(?<text>[^<&]+)",
  ].join("|"),
  "gy",
);
const reference = new RegExp(`&(?:${referenceName};)?`, "g");
const forbidden = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const prefixes = ["ac", "ri", "at", "xml"];

interface Element {
  readonly name: string;
  readonly index: number;
}

/**
 * The first mistake of storage markup, with its line and column (from 1) and what to write instead; undefined where the
 * wiki can read it. A check of its own, because the parser that reads markup for comparison repairs what is malformed
 * instead of saying where it is.
 */
export function findMistake(markup: string): string | undefined {
  const character = forbidden.exec(markup);
  if (character !== null)
    return at(markup, character.index, `the character ${codePoint(character[0])} may not stand in XML`);
  const open: Element[] = [];
  let end = 0;
  for (const { 0: text, index, groups = {} } of markup.matchAll(token)) {
    const mistake = tokenMistake(groups, open);
    if (mistake !== undefined) return at(markup, index, mistake);
    if (groups.opens !== undefined && groups.empty === "") open.push({ name: groups.opens, index });
    if (open.length > maxDepth) return at(markup, index, `elements are nested more than ${maxDepth} deep`);
    if (groups.closes !== undefined) open.pop();
    end = index + text.length;
  }
  if (end < markup.length) return at(markup, end, unreadable(markup.slice(end, end + 30)));
  const unclosed = open.at(-1);
  return unclosed && at(markup, unclosed.index, `<${unclosed.name}> is never closed`);
}

function tokenMistake(token: Readonly<Record<string, string>>, open: readonly Element[]): string | undefined {
  const { comment, closes, opens, attributes, reference, text } = token;
  if (comment?.includes("--")) return "a comment may not contain --";
  if (closes !== undefined) {
    const innermost = open.at(-1)?.name;
    if (innermost === closes) return undefined;
    return innermost === undefined
      ? `</${closes}> closes nothing`
      : `</${closes}> stands where </${innermost}> must come first`;
  }
  if (opens !== undefined) return prefixMistake(opens) ?? attributesMistake(attributes ?? "");
  if (text?.includes("]]>")) return "write ]]> as ]]&gt;";
  return reference === undefined ? undefined : referenceMistake(reference);
}

function attributesMistake(attributes: string): string | undefined {
  const seen = new Set<string>();
  for (const [, key = "", written = ""] of attributes.matchAll(attribute)) {
    if (seen.has(key)) return `the attribute ${key} stands twice`;
    seen.add(key);
    const references = (written.match(reference) ?? []).map(referenceMistake);
    const mistake = prefixMistake(key) ?? references.find((found) => found !== undefined);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

function prefixMistake(qualified: string): string | undefined {
  const [prefix, local] = qualified.split(":");
  if (local === undefined || prefix === undefined || prefixes.includes(prefix)) return undefined;
  return `the wiki has no namespace "${prefix}" (in ${qualified}); it has ac, ri and at`;
}

function referenceMistake(written: string): string | undefined {
  if (written === "&") return 'write "&" as &amp;';
  const decoded = decodeHTMLStrict(written);
  return decoded === written || forbidden.test(decoded) ? `${written} stands for no character` : undefined;
}

function unreadable(text: string): string {
  if (text.startsWith("<!--")) return "the comment is never closed";
  if (text.startsWith("<![CDATA[")) return "the CDATA section is never closed";
  return `${JSON.stringify(text)} begins no tag: write "<" as &lt;, and attributes as name="value"`;
}

function at(markup: string, index: number, mistake: string): string {
  const before = markup.slice(0, index).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}: ${mistake}`;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
