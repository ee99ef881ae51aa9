import { parseDocument } from "yaml";
import { isList, isObject, type Json } from "../../core/text/json.ts";
import { escapedCharacter } from "../../core/text/words.ts";
import { escapedText } from "../../core/trigger.ts";
import { yamlOptions } from "../yaml/parse-yaml.ts";

/** The style of the surrounding text, which new text follows. */
export interface ScalarStyle {
  /** The quotes of the surrounding strings; undefined if they have none. */
  readonly quotes: "single" | "double" | undefined;
  /** Whether names are in double quotes too, as in JSON. */
  readonly json: boolean;
}

/** The column up to which a list or mapping of scalars is written on the line of its name. */
const widest = 100;

/** Renders a value on one line. Text that would be read as a placeholder is escaped. */
export function renderFlow(value: Json, look: ScalarStyle): string {
  if (typeof value === "string") return renderText(value, look.quotes);
  if (isList(value)) return `[${value.map((entry) => renderFlow(entry, look)).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).flatMap(([name, inner]) =>
    inner === undefined ? [] : [renderEntry(name, inner, look)],
  );
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

/** Renders a name and its value on one line. */
export function renderEntry(name: string, value: Json, look: ScalarStyle): string {
  return `${renderName(name, look)}: ${renderFlow(value, look)}`;
}

function renderName(name: string, { json }: ScalarStyle): string {
  return renderText(name, json ? "double" : undefined);
}

function renderText(text: string, quotes: ScalarStyle["quotes"]): string {
  const escaped = escapedText(text);
  if (quotes === undefined && isPlain(escaped)) return escaped;
  if (quotes === "single" && !unprintable.test(escaped)) return `'${escaped.replaceAll("'", "''")}'`;
  return withEscapes(JSON.stringify(escaped));
}

/** Escapes the characters that JSON does not escape, but that YAML or a reader would not see as text. */
export function withEscapes(quoted: string): string {
  return quoted.replace(/[\x7f-\x9f\u2028\u2029\ufeff\p{Bidi_Control}\p{Cs}]/gu, escapedCharacter);
}

/** Characters that a string has only in double quotes. */
export const unprintable = /[\p{Cc}\u2028\u2029\ufeff\p{Bidi_Control}\p{Cs}]/u;

/** Whether a string needs no quotes in any position. */
export function isPlain(text: string): boolean {
  return (
    /^[\p{L}\p{N}_/(^](?:[\p{L}\p{N}_./()^$+=@~;<>* -]*[\p{L}\p{N}_./()^$+=@~;<>*-])?$/u.test(text) && reads(text, text)
  );
}

/** Whether a YAML text is a scalar with the given value. */
function reads(yaml: string, value: string): boolean {
  const document = parseDocument(yaml, yamlOptions);
  return document.errors.length === 0 && document.toJS() === value;
}

/**
 * Renders a string of several lines as a block scalar: its header and its lines, each ended by `newline`. Undefined if it
 * cannot be one.
 */
export function renderLiteral(
  text: string,
  indent: number,
  newline: string,
): { readonly head: string; readonly body: string } | undefined {
  const escaped = escapedText(text);
  if (!/^\S/.test(escaped) || /(?![\n\t])[\p{Cc}]|[\u2028\u2029\ufeff\p{Bidi_Control}\p{Cs}]/u.test(escaped))
    return undefined;
  const chomping = escaped.endsWith("\n\n") ? "+" : escaped.endsWith("\n") ? "" : "-";
  const lines = (chomping === "-" ? escaped : escaped.slice(0, -1)).split("\n");
  const body = lines.map((line) => (line === "" ? newline : `${" ".repeat(indent)}${line}${newline}`)).join("");
  const head = `|${chomping}`;
  return reads(`${head}\n${body.replaceAll(newline, "\n")}`, escaped) ? { head, body } : undefined;
}

/** Renders a name and its value on several lines. The first line is not indented, and the last one has no line break. */
export function renderBlockEntry(
  name: string,
  value: Json,
  indent: number,
  newline: string,
  look: ScalarStyle,
): string {
  const start = `${renderName(name, look)}:`;
  const deeper = indent + 2;
  if (typeof value === "string" && value.includes("\n")) {
    const literal = renderLiteral(value, deeper, newline);
    if (literal !== undefined) return `${start} ${literal.head}${newline}${literal.body.slice(0, -newline.length)}`;
  }
  if (isOneLine(value, indent, look)) return `${start} ${renderFlow(value, look)}`;
  return `${start}${newline}${" ".repeat(deeper)}${renderBlock(value, deeper, newline, look)}`;
}

/** Renders a value on several lines. The first line is not indented, and the last one has no line break. */
export function renderBlock(value: Json, indent: number, newline: string, look: ScalarStyle): string {
  const next = `${newline}${" ".repeat(indent)}`;
  if (isList(value) && value.length > 0)
    return value.map((entry) => `- ${renderBlock(entry, indent + 2, newline, look)}`).join(next);
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value)
      .flatMap(([name, inner]) => (inner === undefined ? [] : [renderBlockEntry(name, inner, indent, newline, look)]))
      .join(next);
  return renderFlow(value, look);
}

function isOneLine(value: Json, indent: number, look: ScalarStyle): boolean {
  if (!isList(value) && !isObject(value)) return true;
  const isFlat = Object.values(value).every((inner) => !isList(inner) && !isObject(inner));
  return isFlat && indent + renderFlow(value, look).length <= widest;
}
