import type { YAMLError } from "yaml";
import type { Problem } from "../../core/problem.ts";
import { withoutSecrets } from "../../core/text/url-secret.ts";
import { counted } from "../../core/text/words.ts";
import { type Lexeme, lexemes } from "./lexemes.ts";
import { pointOf, problemAt, type Range, type SourceText } from "./source-text.ts";

interface SyntaxMistake extends Pick<YAMLError, "code" | "message" | "pos"> {
  /** Where its document starts. */
  readonly from: number;
}

interface Line {
  readonly text: string;
  readonly start: number;
}

/** Recognises one mistake in the line where it was made. Returns its problem, or undefined if it is another mistake. */
type Recognize = (source: SourceText, error: SyntaxMistake, lines: Near) => Problem | undefined;

/** The lines around an error, from its own document only. */
interface Near {
  /** The line in which the parser noticed it. */
  readonly at: Line;
  /** The nearest lines above and below that have more than a comment; undefined at an end of the document. */
  readonly above: Line | undefined;
  readonly below: Line | undefined;
}

/**
 * Returns the problem of a document with invalid YAML. The parser notices most mistakes after the place where they were
 * made, and then reports errors that only follow from them. So only the first one is reported, at its origin and in the
 * author's terms.
 */
export function syntaxProblem(source: SourceText, error: SyntaxMistake): Problem {
  const near = linesNear(source, error.pos[0]);
  for (const recognize of mistakes) {
    const problem = recognize(source, error, near);
    if (problem !== undefined) return problem;
  }
  const [start, end] = error.pos;
  const message = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
  const hint = hints.get(error.code);
  return problemAt({ source, start, end: Math.max(start + 1, end) }, "SP1001", message, { hint });
}

const mistakes: readonly Recognize[] = [
  conflict,
  oddSpace,
  tab,
  separator,
  unclosedQuote,
  bracesInBraces,
  textAfterQuote,
  afterEnd,
  unclosedBracket,
  oddQuotes,
  colonInText,
  noSpaceAfterColon,
  wrongColumn,
  noField,
  specialStart,
  noComma,
];

/** The lines that git writes around both sides of a merge conflict. */
function conflict(source: SourceText, { from }: SyntaxMistake): Problem | undefined {
  const found = /^(?:<{7}|={7}|>{7}|\|{7})(?=[ \r\n]|$)/m.exec(source.text.slice(from));
  if (found === null) return undefined;
  const range = within(source, lineAt(source, from + found.index));
  const hint = "Keep what is right, and delete the lines that begin with <<<<<<<, ======= or >>>>>>>.";
  return problemAt(range, "SP1001", "The file has a merge conflict that is not resolved.", { hint });
}

/** Characters that look like a space but are not one in YAML, at the beginning of a line or after a colon. */
function oddSpace(source: SourceText, _error: SyntaxMistake, { at, below }: Near): Problem | undefined {
  for (const line of [at, below]) {
    const found = /^([ \t]*|[^#"']*:)([\u00a0\u2000-\u200b\u202f\u3000]+)/.exec(line?.text ?? "");
    if (line === undefined || found === null) continue;
    const [, before = "", odd = ""] = found;
    const code = odd.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    const range = { source, start: line.start + before.length, end: line.start + before.length + odd.length };
    const hint = "Replace it with plain spaces. It often comes from a web page or a word processor.";
    return problemAt(range, "SP1001", `The character U+${code} looks like a space but is not one in YAML.`, { hint });
  }
  return undefined;
}

function tab(source: SourceText, error: SyntaxMistake, { at, below }: Near): Problem | undefined {
  // If a tab precedes the next field, the parser treats that line as the continuation of a text.
  const line = [at, error.code === "TAB_AS_INDENT" ? undefined : below].find((one) => /^ *\t/.test(one?.text ?? ""));
  if (line === undefined) return undefined;
  const start = line.start + line.text.indexOf("\t");
  const message = "The line is indented with a tab, which YAML does not allow.";
  return problemAt({ source, start, end: start + 1 }, "SP1001", message, { hint: "Indent with spaces." });
}

function separator(source: SourceText, _error: SyntaxMistake, { at, below }: Near): Problem | undefined {
  const line = [at, below].find((one) => /^\s*(--|-{4,}|- --?|[–—]+-?)\s*$|^\s+---\s*$/.test(one?.text ?? ""));
  if (line === undefined) return undefined;
  const message = "Documents are separated by a line of three hyphens that starts in the first column.";
  return problemAt(within(source, line), "SP1001", message, { hint: "Write ---." });
}

/** An unclosed quote: the parser reads on to the next quote, or to the end of the file. */
function unclosedQuote(source: SourceText, { code, message, pos, from }: SyntaxMistake): Problem | undefined {
  const sign = code === "MISSING_CHAR" ? /^Missing closing (["'])/.exec(message)?.[1] : undefined;
  if (sign === undefined) return undefined;
  const opening = lexemes(source.text.slice(from, pos[0])).findLast(({ text }) => text.startsWith(sign));
  if (opening === undefined) return undefined;
  const start = from + opening.start;
  const range = within(source, lineAt(source, start), start);
  return problemAt(range, "SP1001", "The quote that begins here is not closed.", {
    hint: `Write ${sign} at the end of the text.`,
  });
}

/** A placeholder without quotes, whose brace the parser takes for a mapping. */
function bracesInBraces(source: SourceText, { pos: [at] }: SyntaxMistake): Problem | undefined {
  const [placeholder] = /^\$\{[^{}\n]*\}?/.exec(source.text.slice(at - 1, at + longest)) ?? [];
  if (placeholder === undefined) return undefined;
  const range = { source, start: at - 1, end: at - 1 + placeholder.length };
  return problemAt(range, "SP1001", "Within { } or [ ], a text with a placeholder must be in quotes.", {
    hint: 'Put " before and after the text.',
  });
}

function textAfterQuote(source: SourceText, { code, pos }: SyntaxMistake, { at }: Near): Problem | undefined {
  const sign = source.text.slice(at.start, pos[0]).trimEnd().at(-1);
  if (code !== "UNEXPECTED_TOKEN" || (sign !== "'" && sign !== '"')) return undefined;
  const hint =
    sign === "'"
      ? `An apostrophe within '…' is written twice: ''. Or put the whole text in "…".`
      : 'Put the whole text in quotes, with \\" for a quote within it; or leave the quotes out.';
  return problemAt(within(source, at, pos[0]), "SP1001", "The text continues after its closing quote.", { hint });
}

/** What follows a list or mapping in brackets: another document, or the rest of a text. */
function afterEnd(source: SourceText, { message, pos: [start] }: SyntaxMistake, { at }: Near): Problem | undefined {
  if (!message.endsWith(" at node end")) return undefined;
  const [what, hint] =
    at.start === start
      ? ["A second document begins here, without a line before it.", "Write a line --- before it."]
      : ["The value continues after its closing bracket.", "Put text that begins with a bracket in quotes."];
  return problemAt(within(source, at, start), "SP1001", what, { hint });
}

function unclosedBracket(source: SourceText, { message, pos, from }: SyntaxMistake): Problem | undefined {
  if (!/^Flow (sequence|map)\b.* end with a/.test(message)) return undefined;
  const open: Lexeme[] = [];
  for (const lexeme of lexemes(source.text.slice(from, pos[0]))) {
    if (lexeme.text === "[" || lexeme.text === "{") open.push(lexeme);
    else if (lexeme.text === "]" || lexeme.text === "}") open.pop();
  }
  const bracket = open.at(-1);
  if (bracket === undefined) return undefined;
  const start = from + bracket.start;
  const hint = `Write ${bracket.text === "[" ? "]" : "}"} at its end, with a comma between two entries.`;
  return problemAt({ source, start, end: start + 1 }, "SP1001", `The ${bracket.text} is not closed.`, { hint });
}

/** The maximum number of characters of a line that are searched: hand-written lines are shorter. */
const longest = 1000;

/** A name and the text after its colon. */
const field = /^([ \t]*(?:- +)*)([^\s#'"[\]{}&*!|>%@`,:](?:[^#:]*[^\s#:])?):[ \t]+(\S.*)$/;

function oddQuotes(source: SourceText, _error: SyntaxMistake, { at }: Near): Problem | undefined {
  const text = field.exec(at.text.trimEnd())?.[3];
  if (text === undefined || !/^[“”„‘’«]/.test(text)) return undefined;
  return curlyQuotes({ source, start: at.start + at.text.indexOf(text), end: at.start + at.text.trimEnd().length });
}

/** Returns the problem of quotes that are not quotes in YAML, but part of the text. */
export function curlyQuotes(range: Range): Problem {
  const hint = `Write " before and after the text. To keep them, put " around the whole text.`;
  return problemAt(range, "SP1001", "These quotes are part of the text: YAML has only \" and '.", { hint });
}

function colonInText(source: SourceText, { code }: SyntaxMistake, { at }: Near): Problem | undefined {
  const found = field.exec(at.text.trimEnd());
  const [, , name = "", text = ""] = found ?? [];
  if (code !== "BLOCK_AS_IMPLICIT_KEY" || !/:(\s|$)/.test(text)) return undefined;
  const start = at.start + at.text.lastIndexOf(text);
  const quoted = `${name}: ${JSON.stringify(text)}`;
  const shown = quoted.length <= 60 && withoutSecrets(text) === text ? `: ${quoted}` : "";
  return problemAt({ source, start, end: start + text.length }, "SP1001", `The text of "${name}" has a colon in it.`, {
    hint: `Put the text in quotes${shown}`,
  });
}

function noSpaceAfterColon(source: SourceText, { code }: SyntaxMistake, { at }: Near): Problem | undefined {
  const found = /^(\s*(?:- +)*)([A-Za-z][\w-]*):(\S.*)$/.exec(at.text.trimEnd());
  if (found === null || (code !== "MULTILINE_IMPLICIT_KEY" && code !== "MISSING_CHAR")) return undefined;
  const [, before = "", name = "", text = ""] = found;
  const start = at.start + before.length;
  const shown = text.length <= 60 && withoutSecrets(text) === text ? `: ${name}: ${text}` : "";
  return problemAt({ source, start, end: start + name.length + 1 }, "SP1001", `There is no space after "${name}:".`, {
    hint: `Write one${shown}`,
  });
}

/** A field that starts in another column than the one above it. */
function wrongColumn(source: SourceText, { code }: SyntaxMistake, { at, above, below }: Near): Problem | undefined {
  const isDeeper = code === "MULTILINE_IMPLICIT_KEY" || code === "BLOCK_AS_IMPLICIT_KEY";
  if (code !== "BAD_INDENT" && !isDeeper) return undefined;
  const [upper, lower] = isDeeper && below !== undefined && columnOf(below) > columnOf(at) ? [at, below] : [above, at];
  const [first, second] = [nameIn(upper), nameIn(lower)];
  if (upper === undefined || first === undefined || second === undefined) return undefined;
  if (columnOf(upper) === columnOf(lower)) return undefined;
  const spaces = (line: Line) => counted(columnOf(line), "space");
  const start = lower.start + columnOf(lower);
  const message = `"${second}" is indented by ${spaces(lower)}, and "${first}" above it by ${spaces(upper)}.`;
  const hint = "Fields of one mapping start in the same column.";
  return problemAt({ source, start, end: start + second.length }, "SP1001", message, { hint });
}

function noField(source: SourceText, { code }: SyntaxMistake, { at }: Near): Problem | undefined {
  if (code !== "MULTILINE_IMPLICIT_KEY" && code !== "MISSING_CHAR") return undefined;
  if (at.text.includes(":") || !/^\s*[\p{L}\d]/u.test(at.text)) return undefined;
  const hint = "A field is a name, a colon, a space and a value.";
  return problemAt(within(source, at), "SP1001", "This line has no colon, so it is not a field.", { hint });
}

function specialStart(source: SourceText, { code, pos }: SyntaxMistake): Problem | undefined {
  if (code !== "BAD_SCALAR_START" && code !== "BAD_ALIAS") return undefined;
  const [start] = pos;
  const sign = source.text.charAt(start);
  const message = `A text cannot begin with ${sign} unless it is in quotes.`;
  return problemAt({ source, start, end: start + 1 }, "SP1001", message, { hint: 'Put " before and after the text.' });
}

function noComma(source: SourceText, { code, pos }: SyntaxMistake, { at }: Near): Problem | undefined {
  if (code !== "BLOCK_IN_FLOW") return undefined;
  const hint = "Write a comma between two entries, and quotes around a text with a colon.";
  return problemAt(within(source, at, pos[0]), "SP1001", "Two entries in { } or [ ] are not separated.", { hint });
}

const inQuotes = 'Put text that contains ": " or starts with a special character in quotes.';
const hints: ReadonlyMap<string, string> = new Map([
  ["BAD_INDENT", "Fields of one mapping start in the same column."],
  ["BLOCK_AS_IMPLICIT_KEY", inQuotes],
  ["MULTILINE_IMPLICIT_KEY", inQuotes],
  ["BAD_DQ_ESCAPE", "Double the backslash, or use single quotes."],
  ["TAG_RESOLVE_FAILED", "Manifests cannot have tags."],
]);

/** Returns the name of the field that a line begins with. */
function nameIn(line: Line | undefined): string | undefined {
  return /^ *(?:- +)*([^\s#'"[\]{}&*!|>%@`,:][^#:]*?):(?:\s|$)/.exec(line?.text ?? "")?.[1];
}

/** Returns the number of characters before a line's first name, including the hyphens of lists. */
function columnOf({ text }: Line): number {
  return /^ *(?:- +)*/.exec(text)?.[0].length ?? 0;
}

function within(source: SourceText, { text, start }: Line, from = start + text.search(/\S|$/)): Range {
  return { source, start: from, end: Math.max(from + 1, start + text.trimEnd().length) };
}

function lineAt(source: SourceText, offset: number): Line {
  return lineOf(source, pointOf({ source, start: offset, end: offset }).line);
}

function lineOf(source: SourceText, number: number): Line {
  const [start = 0, next] = source.lineStarts().slice(number - 1, number + 1);
  const end = Math.min(start + longest, next === undefined ? source.text.length : next - 1);
  return { start, text: source.text.slice(start, end).replace(/\r$/, "") };
}

function linesNear(source: SourceText, offset: number): Near {
  const { line } = pointOf({ source, start: Math.min(offset, source.text.length), end: offset });
  const last = source.lineStarts().length;
  const hasMore = (one: Line) => /^\s*[^\s#]/.test(one.text);
  const search = (from: number, step: -1 | 1): Line | undefined => {
    // Nearby lines are enough: the parser notices a mistake in the next field.
    for (let at = from; at >= 1 && at <= last && Math.abs(at - line) <= 20; at += step) {
      const one = lineOf(source, at);
      if (hasMore(one)) return /^(---|\.\.\.)(\s|$)/.test(one.text) ? undefined : one;
    }
    return undefined;
  };
  return { at: lineOf(source, line), above: search(line - 1, -1), below: search(line + 1, 1) };
}
