import type { z } from "zod";
import { member } from "./json.ts";
import { alternatives, didYouMean, nearest, quote } from "./words.ts";

export type SchemaIssue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The value that the issues of a schema are about. */
export interface IssueSubject {
  /** The name of a path, such as `rules[0].group`; for the empty path that of the whole, such as `BranchLock`. */
  nameOf(path: Path): string;
  valueAt(path: Path): Shown;
  /** Names that are allowed in a mapping, for suggestions. */
  fieldsAt?(path: Path): readonly string[];
}

/** A value, worded as the beginning of a sentence. */
export interface Shown {
  /** False if nothing is written. */
  readonly found: boolean;
  /** Such as `"red"` or `A list`, or the value's name if it must not be shown. */
  readonly words: string;
  /** Undefined if it must not be shown; then no correction is suggested. */
  readonly value?: unknown;
}

/** One error in the input, as a sentence. `path` leads to the value, or to the field that is missing or unknown. */
export interface Mistake {
  readonly is: "wrong" | "missing" | "unknown" | "misnamed";
  readonly path: Path;
  readonly sentence: string;
}

/** A value of which only names are shown, because it might contain a secret. */
export function unshown(input: unknown, nameOf: IssueSubject["nameOf"]): IssueSubject {
  return { nameOf, valueAt: (path) => ({ found: path.reduce(member, input) !== undefined, words: nameOf(path) }) };
}

/** Names of paths below a whole. */
export function named(whole: string): IssueSubject["nameOf"] {
  return (path) => pathText(path) || whole;
}

/** Describes the first errors of a value that is not shown, for the middle of a sentence. */
export function describeIssues(issues: readonly SchemaIssue[], input: unknown, whole: string): string {
  const sentences = mistakesOf(unshown(input, named(whole)), issues.slice(0, 3)).map(({ sentence }) => sentence);
  return sentences.map((sentence) => sentence.replace(/\.$/, "")).join("; ");
}

/** Returns why a schema refuses a text, in a sentence without the text: `Expected a duration such as 12h.` */
export function refusalOf(schema: z.ZodType, text: string): string | undefined {
  const { error } = schema.safeParse(text);
  if (error === undefined) return undefined;
  const words = describeIssues(error.issues, text, "It").replace(/^It: /, "");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/**
 * Describes every issue in a sentence. For a union, the issues are those of the alternative that was most likely
 * intended. A field that is missing because its name is misspelt is reported once.
 */
export function mistakesOf(subject: IssueSubject, issues: readonly SchemaIssue[]): readonly Mistake[] {
  const misspelt = new Set(issues.flatMap((issue) => meantBy(subject, issue)));
  return issues.flatMap((issue): readonly Mistake[] => {
    const { path } = issue;
    const value = subject.valueAt(path);
    if (issue.code === "unrecognized_keys") return issue.keys.map((name) => unknownField(subject, path, name));
    if (!value.found) return misspelt.has(pathText(path)) ? [] : [missingField(subject, issue)];
    const branch = issue.code === "invalid_union" ? closestBranch(issue.errors) : undefined;
    if (branch !== undefined)
      return mistakesOf(
        subject,
        branch.map((inner) => ({ ...inner, path: [...path, ...inner.path] })),
      );
    if (issue.code !== "invalid_key") return [{ is: "wrong", path, sentence: wrongValue(value, issue) }];
    const reasons = issue.issues.map(({ message }) => message).join(", ");
    return [{ is: "misnamed", path, sentence: `The name ${quote(String(path.at(-1)))}: ${reasons}.` }];
  });
}

/** A path for a message: `rules[0].group`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text === "" ? String(step) : `${text}.${String(step)}`;
  }, "");
}

/** The fields that unknown ones were probably intended to be. */
function meantBy({ fieldsAt }: IssueSubject, issue: SchemaIssue): readonly string[] {
  if (issue.code !== "unrecognized_keys") return [];
  const known = fieldsAt?.(issue.path) ?? [];
  const names = issue.keys.map((name) => nearest(name, known)).filter((name) => name !== undefined);
  return names.map((name) => pathText([...issue.path, name]));
}

function unknownField({ nameOf, fieldsAt }: IssueSubject, owner: Path, name: string): Mistake {
  const meant = didYouMean(name, fieldsAt?.(owner) ?? []);
  return { is: "unknown", path: [...owner, name], sentence: `${nameOf(owner)} has no field ${quote(name)}.${meant}` };
}

function missingField({ nameOf }: IssueSubject, { code, path, message }: SchemaIssue): Mistake {
  const name = path.at(-1);
  const needed = name === undefined ? "a value" : quote(String(name));
  const sentence = code === "custom" ? `${message}.` : `${nameOf(path.slice(0, -1))} needs ${needed}.`;
  return { is: "missing", path, sentence };
}

/** What is wrong with a value, and what to write instead. */
function wrongValue(shown: Shown, issue: SchemaIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return mismatch(shown, expectedWords(issue));
    case "invalid_value": {
      const { words, value } = shown;
      const isText = typeof value === "string";
      if (value !== undefined && issue.values.some((one) => one !== value && String(one) === String(value)))
        return isText ? `${words} is text: leave out the quotes.` : `${words} is not text: put it in quotes.`;
      return notAllowed(shown, issue.values.map(String));
    }
    case "invalid_union":
      return "options" in issue && issue.options !== undefined
        ? notAllowed(shown, issue.options.map(String))
        : mismatch(shown, expectedWords(issue));
    case "too_small":
    case "too_big":
      return `${shown.words} is ${sizeWords(issue)}.`;
    case "not_multiple_of":
      return `${shown.words} is not a multiple of ${issue.divisor}.`;
    case "invalid_format": {
      const form = issue.format === "regex" ? `text that matches ${issue.pattern}` : `text of the form ${issue.format}`;
      // Zod's default messages begin like this; a schema's own message says more.
      return `${shown.words}: ${issue.message.startsWith("Invalid ") ? `expected ${form}` : issue.message}.`;
    }
    default:
      return `${shown.words}: ${issue.message}.`;
  }
}

/** What a value should have been, one word for each alternative. */
function expectedWords(issue: SchemaIssue): readonly string[] {
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

/** Says that a value has none of the expected types. */
function mismatch({ words, value }: Shown, expected: readonly string[]): string {
  const [only = "a value that is allowed here", ...others] = [...new Set(expected)];
  if (others.length > 0) return `${words} is neither ${[only, ...others].join(" nor ")}.`;
  const sentence = /^A (?:list|mapping)$/.test(words)
    ? `Expected ${only}, not ${words.toLowerCase()}`
    : `${words} is not ${only}`;
  if (value === undefined) return `${sentence}.`;
  const text = typeof value === "string" ? value : undefined;
  const isScalar = typeof value !== "object" || value === null;
  if (only === "text" && isScalar) return `${sentence}: put it in quotes.`;
  if (only === "a list" && isScalar) return `${sentence}: put it in [ ].`;
  if (only === "a boolean")
    return text === "true" || text === "false"
      ? `${words} is text, not a boolean: leave out the quotes.`
      : `${sentence}: write true or false.`;
  if (/^a (whole )?number$/.test(only) && text !== undefined && text.trim() !== "" && Number.isFinite(Number(text)))
    return `${words} is text, not ${only}: leave out the quotes.`;
  return `${sentence}.`;
}

/** Says that a value is not one of those that are allowed. */
export function notAllowed({ words, value }: Pick<Shown, "words" | "value">, allowed: readonly string[]): string {
  if (value === undefined) return `${words} is not ${alternatives(allowed)}.`;
  const meant = typeof value === "string" ? didYouMean(value, allowed) : "";
  return `${words} is not allowed here: write ${alternatives(allowed)}.${meant}`;
}

function sizeWords(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const small = issue.code === "too_small";
  const bound = String(small ? issue.minimum : issue.maximum);
  const limit = issue.inclusive === false ? `${small ? "more" : "less"} than` : small ? "at least" : "at most";
  const [one, several] = units.get(issue.origin) ?? ["", ""];
  const fault = several === "" ? (small ? "too small" : "too large") : small ? "too short" : "too long";
  return `${fault}: expected ${limit} ${bound}${bound === "1" ? one : several}`;
}

/** The units in which the size of a value is counted, singular and plural. A number has none. */
const units: ReadonlyMap<string, readonly [one: string, several: string]> = new Map([
  ["string", [" character", " characters"]],
  ["array", [" entry", " entries"]],
]);

/**
 * Returns the issues of the alternative that a value comes closest to; undefined if the value has the type of none.
 * Unknown fields and a wrong literal count against an alternative more than a field that is missing or of the wrong type.
 */
function closestBranch(branches: readonly (readonly SchemaIssue[])[]): readonly SchemaIssue[] | undefined {
  const [closest] = branches
    .filter(
      (issues) => !issues.some((issue) => isOfWhole(issue) && ["invalid_type", "invalid_value"].includes(issue.code)),
    )
    .map((issues) => ({ issues, distance: issues.reduce((sum, issue) => sum + weight(issue), 0) }))
    .sort((a, b) => a.distance - b.distance);
  const words = branches
    .flat()
    .flatMap((issue) => (isOfWhole(issue) && issue.code === "invalid_value" ? issue.values : []));
  // Text that has none of the forms might have been intended as one of the words.
  return closest?.issues.map((issue) =>
    isOfWhole(issue) && issue.code === "invalid_format" && words.length > 0
      ? { ...issue, message: `${issue.message}, or ${alternatives(words.map(String))}` }
      : issue,
  );
}

function isOfWhole({ path }: SchemaIssue): boolean {
  return path.length === 0;
}

function weight(issue: SchemaIssue): number {
  if (issue.code === "unrecognized_keys") return 3 * issue.keys.length;
  return issue.code === "invalid_value" ? 3 : 1;
}
