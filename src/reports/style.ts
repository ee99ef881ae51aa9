import kleur from "kleur";
import { isObject } from "../core/json.ts";

// Whether to paint is for a screen's options to say, not for what kleur finds in the environment.
kleur.enabled = true;

/** How a screen is made. */
export interface ScreenOptions {
  /** Columns of the terminal. */
  readonly width: number;
  readonly color: boolean;
  /** False if the terminal shows ASCII only; text from outside is unchanged. */
  readonly unicode?: boolean;
  /** Whether only what is wrong or refused and the summary are shown. */
  readonly quiet?: boolean;
}

const unicodeSymbols = {
  arrow: "→",
  ellipsis: "…",
  times: "×",
  bar: "│",
  done: "✓",
  failed: "✗",
  secret: "•••",
} as const;
const asciiSymbols = {
  arrow: "->",
  ellipsis: "...",
  times: "x",
  bar: "|",
  done: "v",
  failed: "X",
  secret: "***",
} as const;

/** Colours that repeat what a glyph or a word says. */
export type Paint = "green" | "yellow" | "red" | "magenta" | "cyan" | "dim" | "bold";

/** A screen's width, symbols and colours. */
export interface Style {
  readonly width: number;
  readonly symbols: Readonly<Record<keyof typeof unicodeSymbols, string>>;
  paint(paint: Paint, text: string): string;
}

/** With fewer columns nothing is readable: wider lines that the terminal breaks are better. */
const minimalWidth = 40;

export function styleOf({ width, color, unicode = true }: ScreenOptions): Style {
  return {
    width: Math.max(minimalWidth, width),
    symbols: unicode ? unicodeSymbols : asciiSymbols,
    paint: (paint, text) => (color && text !== "" ? kleur[paint](text) : text),
  };
}

/** Paints the first occurrence of `part` in a line that is laid out already. */
export function paintPart(style: Style, paint: Paint, line: string, part: string): string {
  return line.replace(part, () => style.paint(paint, part));
}

/** Everything that a terminal acts upon or does not show: controls, bidi marks, lone surrogates, odd spaces, fillers. */
export const invisible = /(?![ \u{3000}])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;
const invisibleButNewline = new RegExp(`(?!\\n)${invisible.source}`, "gu");

const names: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Text from outside, with every character that a terminal would act upon or would not show written as an escape, so
 * that no service can paint the terminal and no two different texts look the same.
 */
export function visible(text: string): string {
  return isPlain(text) ? text : text.replace(invisible, escapeCharacter);
}

/** Whether all characters are printable ASCII: most texts are, and need no closer look. */
function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/**
 * Plain JSON with all its strings and names visible; what is visible already is the same object, because a plan is large.
 * Newlines stay: a text's lines are compared.
 */
export function visibleStrings<T>(value: T): T;
export function visibleStrings(value: unknown): unknown {
  if (typeof value === "string") return visibleLines(value);
  if (isVisible(value)) return value;
  if (Array.isArray(value)) return value.map((element) => visibleStrings(element));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).map((name) => [visible(name), visibleStrings(value[name])]));
}

/** Looks without making anything: nearly all of what is shown is visible. */
function isVisible(value: unknown): boolean {
  if (typeof value === "string") return visibleLines(value) === value;
  if (Array.isArray(value)) return value.every(isVisible);
  return !isObject(value) || Object.keys(value).every((name) => visible(name) === name && isVisible(value[name]));
}

function visibleLines(text: string): string {
  return isPlain(text) ? text : text.replace(invisibleButNewline, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return names[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
