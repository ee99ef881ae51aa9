import { grouped, shortened } from "../../core/text/words.ts";
import { fenceAround, neutralLine, neutralMarkdown } from "../neutral.ts";

/** The most characters that hosts accept in one comment or summary. @see docs/facts.md, hosting */
export const longest = 65_536;

/** Characters reserved for the note at the end of each section. */
const noteRoom = 160;

/** An entry of a section: in full, or on one line if there is no room for more. */
export interface MarkdownEntry {
  readonly line: () => string;
  /** A separate element with the details; left out if there is nothing more to say. */
  readonly block?: () => string;
}

/** A part of a page. A section without entries is left out. */
export interface Section {
  /** One line; empty if the entries speak for themselves. */
  readonly title: string;
  readonly entries: readonly MarkdownEntry[];
  /** The most entries to show. */
  readonly most: number;
  /** Says how many entries are left out, from `start` on; at most 100 characters. */
  readonly left: (start: number) => string;
}

/** A page of at most `most` characters. It is cut between entries, and the entries left out are counted. */
export function markdownPage(head: string, sections: readonly Section[], most: number): string {
  const shown = sections.filter(({ entries }) => entries.length > 0);
  const fixed = shown.reduce((sum, { title }) => sum + title.length + 2 + noteRoom, head.length + 1);
  const texts = new Map<Section, SectionText>();
  let room = most - fixed;
  const fill = (section: Section, own: number) => {
    const text = sectionText(section, own);
    texts.set(section, text);
    room -= text.entries.length;
  };
  // Lists are short. The sections with details share the rest of the room.
  for (const section of shown) if (!hasBlocks(section)) fill(section, room);
  const folded = shown.filter(hasBlocks);
  for (const [index, section] of folded.entries()) fill(section, Math.floor(room / (folded.length - index)));
  const blocks = shown.flatMap((section) => {
    const { entries = "", note = "" } = texts.get(section) ?? {};
    return [section.title, entries, note].filter((part) => part !== "");
  });
  return `${[head, ...blocks].join("\n\n")}\n`;
}

function hasBlocks({ entries }: Section): boolean {
  return entries.some(({ block }) => block !== undefined);
}

interface SectionText {
  readonly entries: string;
  readonly note: string;
}

function sectionText({ entries, most, left }: Section, room: number): SectionText {
  // Reserved for entries on one line each, after the details of the first entries.
  const lineRoom = Math.floor(room / 4);
  let text = "";
  let shown = 0;
  let folded = 0;
  let last: "line" | "block" | undefined;
  for (const entry of entries.slice(0, most)) {
    const whole = folded === 0 ? blockWithin(room - lineRoom - text.length, entry) : undefined;
    const part = whole ?? entry.line();
    const form = whole === undefined ? "line" : "block";
    const between = last === undefined ? "" : last === "line" && form === "line" ? "\n" : "\n\n";
    // The empty line after the last entry counts too.
    if (text.length + between.length + part.length + 2 > room) break;
    text += between + part;
    shown++;
    if (form === "line" && entry.block !== undefined) folded++;
    last = form;
  }
  const notes = [
    ...(shown < entries.length ? [left(shown)] : []),
    ...(folded > 0 ? [`The details of ${grouped(folded)} are left out.`] : []),
  ];
  return { entries: text, note: notes.join(" ") };
}

/** The details of an entry; undefined if it has none, or no room for them and an empty line. */
function blockWithin(room: number, { block }: MarkdownEntry): string | undefined {
  const whole = room > 0 ? block?.() : undefined;
  return whole !== undefined && whole.length + 2 <= room ? whole : undefined;
}

/** The maximum length of a string from outside, in characters. The JSON has all of it. */
const longestText = 300;

/** A string from outside as a code span, cut. */
export function codeSpan(text: string): string {
  return neutralMarkdown(shortened(neutralLine(text), longestText));
}

/** A command as a code span that can be pasted: neither cut nor, as in a table, without its bars. */
export function commandSpan(text: string): string {
  const line = neutralLine(text);
  const fence = fenceAround(line, 1);
  return `${fence} ${line} ${fence}`;
}

/** The lines of a difference as a code block, each cut, with a fence that none of them can close. */
export function fencedDiff(lines: readonly string[]): string {
  const shown = lines.map((line) => shortened(neutralLine(line), longestText));
  const fence = fenceAround(shown.join("\n"), 3);
  return [`${fence}diff`, ...shown, fence].join("\n");
}
