import { parseSecretReference } from "../core/secret.ts";
import { isList, isObject, type Json } from "../core/text/json.ts";
import { sharedEnds, shortened } from "../core/text/words.ts";
import type { Style } from "./text/style.ts";
import { longLine } from "./text-difference.ts";
import type { ToldField } from "./told-change.ts";

/** Whether to show a difference line by line. A long text can be a single line. */
export function isText(before: Json | undefined, after: Json | undefined): boolean {
  const texts = [before, after].filter((value) => typeof value === "string");
  return (
    texts.some((text) => text.includes("\n")) || (texts.length > 1 && texts.some((text) => text.length > longLine))
  );
}

/** Whether a side has no value; a service's `null` means the same. */
function isNone(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}

/** Matches text that needs no quotes: it cannot be mistaken for a number, a list or the end of a value. */
const bare = /^(?!(?:true|false|null|-?\d+(?:\.\d+)?)$)[^\s"',{}[\]()]+$/u;

/** A value on one line, uncut. A secret is shown as dots; `undefined` means that a side has no value. */
export function renderValue(value: Json | undefined, style: Style): string {
  if (isNone(value)) return "(none)";
  if (!isList(value)) return renderElement(value, style);
  return value.length === 0 ? "(empty)" : value.map((element) => renderElement(element, style)).join(", ");
}

/** A value as lines to compare: the lines of a text, the elements of a list, or the members of an object. */
export function linesOf(value: Json | undefined, style: Style): readonly string[] {
  if (isNone(value)) return [];
  if (typeof value === "string" && value.includes("\n")) return value.split("\n");
  if (typeof value === "string") return [isSecret(value) ? style.symbols.secret : value];
  if (isList(value)) return value.map((element) => renderElement(element, style));
  return isObject(value) ? members(value, style) : [renderElement(value, style)];
}

function renderElement(value: Json, style: Style): string {
  if (typeof value === "string") return isSecret(value) ? style.symbols.secret : quoted(value);
  if (isList(value)) return `[${value.map((element) => renderElement(element, style)).join(", ")}]`;
  return isObject(value) ? `{${members(value, style).join(", ")}}` : String(value);
}

function members(value: Readonly<Record<string, Json | undefined>>, style: Style): readonly string[] {
  return Object.entries(value).flatMap(([name, inner]) =>
    inner === undefined ? [] : [`${quoted(name)}: ${renderElement(inner, style)}`],
  );
}

/** Quotes a string unless it is `bare`. `visibleStrings` has already escaped its invisible characters. */
function quoted(text: string): string {
  return bare.test(text) ? text : `"${text.replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}

function isSecret(text: string): boolean {
  return parseSecretReference(text) !== undefined;
}

/** The maximum length of a value, in characters. The JSON has all of it. */
const longestValue = 200;

/** The number of equal characters to keep before the difference of values that are too long. */
const kept = 40;

/** Two values on one line of a page or a file, each cut so that their difference can be seen. */
export function valueTexts(...values: readonly [Json | undefined, Json | undefined]): readonly [string, string] {
  const [before, after] = [valueText(values[0]), valueText(values[1])];
  const [differsAt] = sharedEnds(before, after);
  const from = differsAt < longestValue - kept ? 0 : differsAt - kept;
  const cut = (text: string) => shortened(`${from > 0 ? "…" : ""}${text.slice(from).toWellFormed()}`, longestValue);
  return [cut(before), cut(after)];
}

/** A value as JSON unless it is a text, with dots for secrets. */
function valueText(value: Json | undefined): string {
  if (isNone(value)) return "(none)";
  return typeof value === "string" && !isSecret(value)
    ? value
    : JSON.stringify(value, (_name, inner: unknown) => (typeof inner === "string" && isSecret(inner) ? "•••" : inner));
}

/** A field with both of its values, each part as `written` writes a text. */
export function fieldChange({ name, before, after }: ToldField, written: (text: string) => string): string {
  return `${written(name)}: ${valueTexts(before, after).map(written).join(" → ")}`;
}
