import { own } from "../core/text/json.ts";
import type { Paint, Style } from "./text/style.ts";

/** What a glyph or a word on a screen means. */
export type Meaning =
  | "create"
  | "update"
  | "delete"
  | "conflict"
  | "unknown"
  | "person"
  | "done"
  | "wrong"
  | "skipped"
  | "unmanaged"
  | "in sync"
  | "risk"
  | "before"
  | "after"
  | "aside";

/** How a meaning looks. It is the same on every screen. */
export interface Look {
  /** Undefined if the meaning is shown only by a word and its colour. */
  readonly glyph?: string | keyof Style["symbols"];
  readonly paint: Paint;
  readonly words: string;
}

/** The legend. Green is fine, red is wrong or lost, yellow needs care, magenta cannot be decided here, cyan needs a person. */
export const legend: Readonly<Record<Meaning, Look>> = {
  create: { glyph: "+", paint: "green", words: "will be created, or was" },
  update: { glyph: "~", paint: "yellow", words: "will be changed, or was" },
  delete: { glyph: "-", paint: "red", words: "will be deleted, or was" },
  conflict: { glyph: "!", paint: "magenta", words: "conflict: both the manifests and the service changed it" },
  unknown: { glyph: "?", paint: "magenta", words: "unknown: its service gave no usable answer" },
  person: { glyph: "times", paint: "cyan", words: "needs a person" },
  done: { glyph: "done", paint: "green", words: "applied, or fine" },
  wrong: { glyph: "failed", paint: "red", words: "failed, stale, refused or wrong" },
  skipped: { glyph: "-", paint: "yellow", words: "skipped: nothing was sent" },
  unmanaged: { glyph: "o", paint: "dim", words: "unmanaged: on the service, but in no manifest" },
  "in sync": { glyph: "=", paint: "dim", words: "in sync" },
  risk: { paint: "yellow", words: "a risk, such as wider access" },
  before: { glyph: "-", paint: "red", words: "in a difference: as it was" },
  after: { glyph: "+", paint: "green", words: "in a difference: as it becomes" },
  aside: { paint: "dim", words: "places, counts and what is left out" },
};

/** How a line of a difference looks, by its sign. */
export function diffLook(sign: string): Look {
  return legend[sign === "-" ? "before" : sign === "+" ? "after" : "aside"];
}

/** The glyph of a meaning on a screen, and its colour. */
export function markOf(meaning: Meaning, { symbols }: Style): { readonly glyph: string; readonly paint: Paint } {
  const { glyph = "", paint } = legend[meaning];
  return { glyph: own<string>(symbols, glyph) ?? glyph, paint };
}
