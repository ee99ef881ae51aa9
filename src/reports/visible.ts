import { isObject } from "../core/json.ts";

/** Everything that a terminal acts upon or does not show: controls, bidi marks, lone surrogates, odd spaces, fillers. */
const invisible = /(?![ \u{3000}])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;
const invisibleButNewline = new RegExp(`(?!\\n)${invisible.source}`, "gu");

const names: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Text from outside, with every character that a terminal would act upon or would not show written as an escape, so
 * that no service can paint the terminal and no two different texts look the same.
 */
export function visible(text: string): string {
  return text.replace(invisible, escapeCharacter);
}

/** A copy of plain JSON with all its strings and names visible. Newlines stay: a text's lines are compared. */
export function visibleStrings<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_name, inner: unknown) => visibleValue(inner)));
}

function visibleValue(value: unknown): unknown {
  if (typeof value === "string") return value.replace(invisibleButNewline, escapeCharacter);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [visible(name), inner]));
}

function escapeCharacter(character: string): string {
  return names[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
