import { isObject } from "./json.ts";

/** The longest text that is read, in characters. A longer one takes more memory than any plan is worth. */
const longest = 64 * 1024 * 1024;
/** The deepest nesting that is read. No specification is deeper, and walking deeper values would exhaust the stack. */
const deepest = 128;

/** An object of a JSON file, or what is wrong with the file, as the end of "The file is". */
export type ReadObject =
  | { readonly is: "read"; readonly value: Readonly<Record<string, unknown>> }
  | { readonly is: "too large" }
  | { readonly is: "no object" }
  | { readonly is: "not JSON"; readonly where: string };

/** Reads the text of a file that anyone might have written. */
export function readJsonObject(text: string): ReadObject {
  if (text.length > longest) return { is: "too large" };
  const parsed = parseJson(text);
  if ("where" in parsed) return { is: "not JSON", where: parsed.where };
  const { value } = parsed;
  return isObject(value) && !isDeeper(value, deepest) ? { is: "read", value } : { is: "no object" };
}

/** Parses JSON. Reports only the place of an error, because the file might contain secrets. */
function parseJson(text: string): { readonly value: unknown } | { readonly where: string } {
  try {
    // PowerShell writes a byte order mark, or UTF-16, whose own mark is not UTF-8.
    return { value: JSON.parse(text.replace(/^\ufeff/, "")) };
  } catch (error) {
    if (text.startsWith("\ufffd\ufffd")) return { where: ": it is UTF-16 and must be UTF-8" };
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(error instanceof Error ? error.message : "") ?? [];
    return { where: line === undefined ? "" : `: see line ${line}, column ${column}` };
  }
}

/** Whether a value is nested deeper than `levels`. Does not recurse. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
}
