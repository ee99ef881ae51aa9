import kleur from "kleur";
import { isObject } from "../../core/text/json.ts";

// The options of a screen decide whether to paint, not what kleur finds in the environment.
kleur.enabled = true;

export interface ScreenOptions {
  /** The width of the terminal in columns. */
  readonly width: number;
  readonly color: boolean;
  /** False if the terminal shows only ASCII. Text from outside is unchanged. */
  readonly unicode?: boolean;
  /** Whether to show only what is wrong or refused, and the summary. */
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

/** The least width. Narrower lines are not readable; wider lines that the terminal breaks are better. */
const minimalWidth = 40;

export function styleOf({ width, color, unicode = true }: ScreenOptions): Style {
  return {
    width: Math.max(minimalWidth, width),
    symbols: unicode ? unicodeSymbols : asciiSymbols,
    paint: (paint, text) => (color && text !== "" ? kleur[paint](text) : text),
  };
}

/** A style without a width limit, where something else wraps the lines. */
export const unbounded = styleOf({ width: 100_000, color: false });

/** Paints the first occurrence of `part` in a finished line. */
export function paintPart(style: Style, paint: Paint, line: string, part: string): string {
  return line.replace(part, () => style.paint(paint, part));
}

/**
 * Matches characters that a terminal obeys or does not show: controls, bidi marks, lone surrogates, unusual spaces, fillers.
 * Excludes printable ASCII first, because most of any text is, and the classes are slow.
 */
export const invisible =
  /(?![ -~\u{3000}])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}\u{1d159}]/gu;
const invisibleButNewline = new RegExp(`(?!\\n)${invisible.source}`, "gu");

const names: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Escapes every character that a terminal would obey or not show, in text from outside, so that no service can control the
 * terminal and no two different strings look the same.
 */
export function visible(text: string): string {
  return isPlain(text) ? text : text.replace(invisible, escapeInvisible);
}

/** Whether all characters are printable ASCII. Most strings are, and need no further check. */
function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/**
 * Makes all strings and names in plain JSON visible. A value that is already visible is returned as it is, because a plan can be
 * large. Newlines stay, because texts are compared by line.
 */
export function visibleStrings<T>(value: T): T;
export function visibleStrings(value: unknown): unknown {
  if (typeof value === "string") return visibleLines(value);
  if (isVisible(value)) return value;
  if (Array.isArray(value)) return value.map((element) => visibleStrings(element));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).map((name) => [visible(name), visibleStrings(value[name])]));
}

/** Whether a value is visible already. Allocates nothing, because nearly all values are. */
function isVisible(value: unknown): boolean {
  if (typeof value === "string") return visibleLines(value) === value;
  if (Array.isArray(value)) return value.every(isVisible);
  if (!isObject(value)) return true;
  for (const name in value) if (visible(name) !== name || !isVisible(value[name])) return false;
  return true;
}

function visibleLines(text: string): string {
  return isPlain(text) ? text : text.replace(invisibleButNewline, escapeInvisible);
}

function escapeInvisible(character: string): string {
  return names[character] ?? escapedCodePoint(character);
}

/** A character as `\u{200b}`. */
export function escapedCodePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
