import { escapedCharacter } from "../core/text/words.ts";
import { escapeXml } from "../core/text/xml.ts";
import { escapedCodePoint, invisible, visible } from "./text/style.ts";

/*
 * Names and values come from outside, and people are not their only readers: CI runners obey commands in a log, browsers obey
 * markup, and spreadsheets obey formulas. Each function here makes a string mean only itself to one kind of reader.
 */

/** Matches commands that runners obey anywhere in a line, such as `##vso[…]`, `##[…]` and `##teamcity[…]`. */
const command = /##(?=\w{0,32}\[)/g;

/** Matches commands that runners obey at the start of a line, after spaces and colours, such as `::set-env …`. */
const lineCommand = /^((?:[^\S\n\r\u2028\u2029]|\p{Cc}\[[\d;]*m)*):(?=:)/gmu;

/** Matches invisible characters other than line ends and tabs, which a log must not have. Colours match too, so that they can be kept. */
const unseen = new RegExp(`(\\u001b\\[[\\d;]*m)|(?![\\t\\n]|\\r\\n)${invisible.source}`, "gu");

/** Makes text harmless to a terminal or the log of a CI run. */
export function neutralText(text: string, { color = false }: { readonly color?: boolean } = {}): string {
  return text
    .replace(unseen, (found, paint) => (color && paint ? found : visible(found)))
    .replace(command, "\\u{23}\\u{23}")
    .replace(lineCommand, "$1\\u{3a}");
}

/** JSON text with the same value, in which a log shows every character and no runner finds a command. */
export function neutralJson(json: string): string {
  return json
    .replace(command, "\\u0023\\u0023")
    .replace(invisible, (found) => (found === "\n" ? found : found.split("").map(escapedCharacter).join("")));
}

/** One line of text, without invisible characters and commands. */
export function neutralLine(text: string): string {
  return neutralText(visible(text));
}

/**
 * Text as a Markdown code span, which has no markup, mentions, references or links. A bar ends a table cell even in a code
 * span, so bars are escaped.
 */
export function neutralMarkdown(text: string): string {
  const line = neutralLine(text).replaceAll("|", "\\u{7c}");
  if (line.trim() === "") return "(empty)";
  const fence = fenceAround(line, 1);
  return `${fence} ${line} ${fence}`;
}

/** Backticks that a Markdown text in between cannot end: at least so many, and more than in any run of its own. */
export function fenceAround(text: string, least: number): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  return "`".repeat(Math.max(least, longest + 1));
}

/** Escapes text for an element or a quoted attribute of HTML. */
export function neutralHtml(text: string): string {
  return neutralLine(text).replace(/[&<>"'`=]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Escapes text for an element or a quoted attribute of XML 1.0, which does not allow all characters. */
export function neutralXml(text: string): string {
  return escapeXml(neutralLine(text).replace(/[\ufffe\uffff]/g, escapedCodePoint), "attribute");
}

/** A cell of CSV. Spreadsheets treat text that starts with certain signs as a formula, unless a quote precedes it. */
export function neutralCsv(text: string): string {
  const line = neutralLine(text).replaceAll('"', '""');
  return /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(line) ? `"'${line}"` : `"${line}"`;
}
