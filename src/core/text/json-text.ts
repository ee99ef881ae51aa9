import { isObject, type Json } from "./json.ts";

/** The deepest nesting that is read: walking a deeper value would exhaust the stack. */
export const deepest = 500;

/** What a text is that is not read because of its nesting, for a message. */
export const tooDeep = `JSON that is nested deeper than ${deepest} levels`;

/** The value of a text, or why it has none. `said` might quote the text; `at` is the line and column, if they are known. */
export type ReadJson =
  | { readonly is: "read"; readonly value: Json }
  | { readonly is: "too deep" }
  | { readonly is: "not JSON"; readonly said: string; readonly at?: readonly [line: number, column: number] };

/** Reads JSON that anyone might have written. Its depth is known before it is parsed. */
export function readJson(text: string): ReadJson {
  if (isTooDeep(text)) return { is: "too deep" };
  try {
    return { is: "read", value: JSON.parse(text) };
  } catch (error) {
    const said = error instanceof Error ? error.message : "";
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(said) ?? [];
    return { is: "not JSON", said, ...(line === undefined ? {} : { at: [Number(line), Number(column)] }) };
  }
}

/** Reads JSON as `readJson` does. Returns undefined, which JSON cannot express, for any other text. */
export function jsonIn(text: string): Json | undefined {
  const read = readJson(text);
  return read.is === "read" ? read.value : undefined;
}

/** The longest text of a file that is read, in characters. A longer one takes more memory than any plan is worth. */
const longest = 64 * 1024 * 1024;

/** An object of a JSON file, or what is wrong with the file, as the end of "The file is". */
export type ReadObject =
  | { readonly is: "read"; readonly value: Readonly<Record<string, unknown>> }
  | { readonly is: "too large" }
  | { readonly is: "no object" }
  | { readonly is: "not JSON"; readonly where: string };

/** Reads the text of a file that anyone might have written. */
export function readJsonObject(text: string): ReadObject {
  if (text.length > longest) return { is: "too large" };
  // PowerShell writes a byte order mark, or UTF-16, whose own mark is not UTF-8.
  const read = readJson(text.replace(/^\ufeff/, ""));
  if (read.is !== "not JSON")
    return read.is === "read" && isObject(read.value) ? { is: "read", value: read.value } : { is: "no object" };
  if (text.startsWith("\ufffd\ufffd")) return { is: "not JSON", where: ": it is UTF-16 and must be UTF-8" };
  // Only the place of the error, because the file might contain secrets.
  return { is: "not JSON", where: read.at === undefined ? "" : `: see line ${read.at[0]}, column ${read.at[1]}` };
}

const [quote, backslash, openList, openObject, closeList, closeObject] = Array.from('"\\[{]}', (sign) =>
  sign.charCodeAt(0),
);

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    // A character code is a number; a character would be a string that has to be looked up or made.
    const sign = text.charCodeAt(at);
    if (sign === quote) at = endOfString(text, at);
    else if (sign === openList || sign === openObject) {
      if (++depth > deepest) return true;
    } else if (sign === closeList || sign === closeObject) depth--;
  }
  return false;
}

/**
 * Returns where the string that begins at `start` ends, or the end of the text if it does not end. It searches
 * with `indexOf`, since a whole page can be one string.
 */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let from = end;
    while (text.charCodeAt(from - 1) === backslash) from--;
    if ((end - from) % 2 === 0) return end;
  }
  return text.length;
}
