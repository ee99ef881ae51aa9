import { applyEdits, type JSONPath, modify, type ParseError, parse, visit } from "jsonc-parser";
import { type Problem, ProblemError } from "../../core/problem.ts";
import { isObject, own, sameJson } from "../../core/text/json.ts";
import { deepest } from "../../core/text/json-text.ts";
import type { NewFile } from "./new-files.ts";

/** Returns the text of an existing file with what a new workspace adds. Throws `ProblemError` SP1001. */
export function merged({ path, content, present }: NewFile, before: string): string {
  switch (present) {
    case "keep":
      return before;
    case "lines":
      return withLines(before, content);
    case "settings":
      return withSettings(path, before, content);
  }
}

/** Appends the missing lines. A git pattern is not missing if another spelling of the same folder is present. */
function withLines(before: string, content: string): string {
  const meant = (line: string) => line.trim().replace(/^\/|\/$/g, "");
  const there = new Set(before.split("\n").map(meant));
  const lines = content.split("\n").filter((line) => line !== "" && !there.has(meant(line)));
  if (lines.length === 0) return before;
  const end = before.includes("\r\n") ? "\r\n" : "\n";
  const start = before === "" || before.endsWith("\n") ? before : `${before}${end}`;
  return `${start}${lines.map((line) => `${line}${end}`).join("")}`;
}

/** Adds the missing settings. Existing content stays, comments included. */
function withSettings(path: string, before: string, content: string): string {
  if (before.trim() === "") return content;
  refuseDepth(path, before);
  const errors: ParseError[] = [];
  const there: unknown = parse(before, errors, { allowTrailingComma: true });
  const wanted: unknown = JSON.parse(content);
  if (errors.length > 0 || !isObject(there) || !isObject(wanted)) throw new ProblemError(unreadable(path));
  const formattingOptions = {
    insertSpaces: !/^\t/m.test(before),
    tabSize: /^( +)\S/m.exec(before)?.[1]?.length ?? 2,
    eol: before.includes("\r\n") ? "\r\n" : "\n",
  };
  return additions(there, wanted, []).reduce(
    (text, { at, value, isArrayInsertion }) =>
      applyEdits(text, modify(text, at, value, { formattingOptions, isArrayInsertion })),
    before,
  );
}

/** Throws `ProblemError` SP1001 if JSON with comments is nested so deeply that reading it would exhaust the stack. */
function refuseDepth(path: string, text: string): void {
  let depth = 0;
  const begin = () => {
    if (++depth > deepest) throw new ProblemError(unreadable(path));
  };
  const end = () => void depth--;
  visit(text, { onObjectBegin: begin, onArrayBegin: begin, onObjectEnd: end, onArrayEnd: end });
}

function unreadable(path: string): Problem {
  const message = `${path} is not a JSON object, so nothing can be added to it.`;
  return { code: "SP1001", message, hint: "Repair it, or move it away." };
}

type Mapping = Readonly<Record<string, unknown>>;

interface Addition {
  readonly at: JSONPath;
  readonly value: unknown;
  /** Whether the value is inserted into a list at this place. */
  readonly isArrayInsertion: boolean;
}

/** Returns what is missing. A value that both have stays unchanged, except that lists and mappings are merged. */
function additions(there: Mapping, wanted: Mapping, at: JSONPath): readonly Addition[] {
  return Object.entries(wanted).flatMap(([name, value]): readonly Addition[] => {
    const place = [...at, name];
    const old = own(there, name);
    if (old === undefined) return [{ at: place, value, isArrayInsertion: false }];
    if (isObject(old) && isObject(value)) return additions(old, value, place);
    if (!Array.isArray(value)) return [];
    if (!Array.isArray(old))
      return value.some((one) => sameJson(one, old))
        ? []
        : [{ at: place, value: [old, ...value], isArrayInsertion: false }];
    const missing = value.filter((one) => !old.some((other) => sameJson(one, other)));
    return missing.map((one, index) => ({ at: [...place, old.length + index], value: one, isArrayInsertion: true }));
  });
}
