import type { z } from "zod";
import { alternatives, didYouMean } from "../../core/suggest.ts";
import { quote } from "../yaml/source-text.ts";
import type { Tree } from "../yaml/tree.ts";

type Issue = z.core.$ZodIssue;

/** A value for the beginning of a sentence: as written where it is short. */
export function valueWords(tree: Tree): string {
  switch (tree.is) {
    case "scalar":
      return typeof tree.value === "string" ? quote(tree.value) : tree.written || "An empty value";
    case "list":
      return "A list";
    case "mapping":
      return "A mapping";
  }
}

/** A path for a message: `rules[0].group`. */
export function pathWords(path: readonly PropertyKey[]): string {
  return path.reduce<string>((words, step) => {
    if (typeof step === "number") return `${words}[${step}]`;
    return words === "" ? String(step) : `${words}.${String(step)}`;
  }, "");
}

/** What a value should have been, one word for each alternative. */
function expectedWords(issue: Issue): readonly string[] {
  switch (issue.code) {
    case "invalid_type":
      return [typeWords[issue.expected] ?? issue.expected];
    case "invalid_value":
      return issue.values.map((value) => JSON.stringify(value));
    case "invalid_union":
      return issue.errors.flat().flatMap(expectedWords);
    default:
      return [];
  }
}

const typeWords: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "a boolean",
  array: "a list",
  tuple: "a list",
  object: "a mapping",
  record: "a mapping",
};

/** Says that a value is of none of the expected types, and what to write instead. */
function mismatchWords(tree: Tree, expected: readonly string[]): string {
  const value = valueWords(tree);
  const [only = "a value that is allowed here", ...others] = [...new Set(expected)];
  if (others.length > 0) return `${value} is neither ${[only, ...others].join(" nor ")}.`;
  const text = tree.is === "scalar" && typeof tree.value === "string" ? tree.value : undefined;
  if (only === "text" && tree.is === "scalar") return `${value} is not text: put it in quotes.`;
  if (only === "a boolean" && (text === "true" || text === "false"))
    return `${value} is text, not a boolean: leave out the quotes.`;
  if (only === "a boolean") return `${value} is not a boolean: write true or false.`;
  if (/^a (whole )?number$/.test(only) && text !== undefined && text.trim() !== "" && Number.isFinite(Number(text)))
    return `${value} is text, not ${only}: leave out the quotes.`;
  if (only === "a list" && tree.is === "scalar") return `${value} is not a list: put it in [ ].`;
  return `${value} is not ${only}.`;
}

/** Says that a value is none of those that are allowed. */
export function choiceWords(tree: Tree, allowed: readonly string[]): string {
  const suggestion = tree.is === "scalar" && typeof tree.value === "string" ? didYouMean(tree.value, allowed) : "";
  return `${valueWords(tree)} is not allowed here: write ${alternatives(allowed)}.${suggestion}`;
}

/** Says what is wrong with a value, and what to write instead. */
export function wrongWords(tree: Tree, issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return mismatchWords(tree, expectedWords(issue));
    case "invalid_value":
      return choiceWords(tree, issue.values.map(String));
    case "invalid_union":
      return "options" in issue && issue.options !== undefined
        ? choiceWords(tree, issue.options.map(String))
        : mismatchWords(tree, expectedWords(issue));
    case "too_small":
    case "too_big":
      return `${valueWords(tree)} is ${sizeWords(issue)}.`;
    case "not_multiple_of":
      return `${valueWords(tree)} is not a multiple of ${issue.divisor}.`;
    case "invalid_format": {
      const form = issue.format === "regex" ? `text that matches ${issue.pattern}` : `text of the form ${issue.format}`;
      // Zod's own words begin so; a schema's own message says more.
      return `${valueWords(tree)}: ${issue.message.startsWith("Invalid ") ? `expected ${form}` : issue.message}.`;
    }
    case "unrecognized_keys":
    case "invalid_key":
    case "invalid_element":
    case "custom":
      return `${valueWords(tree)}: ${issue.message}.`;
  }
}

function sizeWords(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const small = issue.code === "too_small";
  const bound = String(small ? issue.minimum : issue.maximum);
  const limit = issue.inclusive === false ? `${small ? "more" : "less"} than` : small ? "at least" : "at most";
  const unit = issue.origin === "string" ? " characters" : issue.origin === "array" ? " entries" : "";
  const plain = bound === "1" ? unit.replace("entries", "entry").replace(/s$/, "") : unit;
  const fault = unit === "" ? (small ? "too small" : "too large") : small ? "too short" : "too long";
  return `${fault}: expected ${limit} ${bound}${plain}`;
}

/**
 * The issues of the alternative that a value comes closest to; undefined where it has the type of none. Unknown fields
 * and a wrong literal speak against an alternative more than a field that is missing or of the wrong type.
 */
export function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const [closest] = branches
    .filter((issues) => !issues.some((issue) => isOfWhole(issue) && /^invalid_(type|value)$/.test(issue.code)))
    .map((issues) => ({ issues, distance: issues.reduce((sum, issue) => sum + weight(issue), 0) }))
    .sort((a, b) => a.distance - b.distance);
  const words = branches
    .flat()
    .flatMap((issue) => (isOfWhole(issue) && issue.code === "invalid_value" ? issue.values : []));
  // Text that has none of the forms may have been meant as one of the words.
  return closest?.issues.map((issue) =>
    isOfWhole(issue) && issue.code === "invalid_format" && words.length > 0
      ? { ...issue, message: `${issue.message}, or ${alternatives(words.map(String))}` }
      : issue,
  );
}

function isOfWhole({ path }: Issue): boolean {
  return path.length === 0;
}

function weight(issue: Issue): number {
  if (issue.code === "unrecognized_keys") return 3 * issue.keys.length;
  return issue.code === "invalid_value" ? 3 : 1;
}
