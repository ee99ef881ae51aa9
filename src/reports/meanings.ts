import { own } from "../core/text/json.ts";
import type { Paint, Style } from "./text/style.ts";

/** How a meaning looks. It is the same on every screen. */
export interface Look {
  /** Undefined if the meaning is shown only by a word and its colour. */
  readonly glyph?: string | keyof Style["symbols"];
  readonly paint: Paint;
}

/**
 * The looks, with words in `docs/reading-plans.md`. Green is fine, red is wrong or lost, yellow needs care, magenta cannot be
 * decided here, cyan needs a person.
 */
const looks = {
  create: { glyph: "+", paint: "green" },
  update: { glyph: "~", paint: "yellow" },
  delete: { glyph: "-", paint: "red" },
  conflict: { glyph: "!", paint: "magenta" },
  unknown: { glyph: "?", paint: "magenta" },
  person: { glyph: "times", paint: "cyan" },
  done: { glyph: "done", paint: "green" },
  wrong: { glyph: "failed", paint: "red" },
  skipped: { glyph: "-", paint: "yellow" },
  unmanaged: { glyph: "o", paint: "dim" },
  "in sync": { glyph: "=", paint: "dim" },
  risk: { paint: "yellow" },
  before: { glyph: "-", paint: "red" },
  after: { glyph: "+", paint: "green" },
  aside: { paint: "dim" },
} as const satisfies Readonly<Record<string, Look>>;

/** What a glyph or a word on a screen means. */
export type Meaning = keyof typeof looks;

export const legend: Readonly<Record<Meaning, Look>> = looks;

/** How a line of a difference looks, by its sign. */
export function diffLook(sign: string): Look {
  return legend[sign === "-" ? "before" : sign === "+" ? "after" : "aside"];
}

/** The glyph of a meaning on a screen, and its colour. */
export function markOf(meaning: Meaning, { symbols }: Style): { readonly glyph: string; readonly paint: Paint } {
  const { glyph = "", paint } = legend[meaning];
  return { glyph: own<string>(symbols, glyph) ?? glyph, paint };
}
