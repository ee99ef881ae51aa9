import kleur from "kleur";

// Whether to paint is for a screen's options to say, not for what kleur finds in the environment.
kleur.enabled = true;

/** How a screen is made. */
export interface ScreenOptions {
  /** Columns of the terminal. */
  readonly width: number;
  readonly color: boolean;
  /** False where the terminal shows ASCII only; what comes from outside stays as it is. */
  readonly unicode?: boolean;
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

/** Below this number of columns nothing is readable any more: wider lines that the terminal breaks are better. */
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
