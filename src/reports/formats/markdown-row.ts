import type { Json } from "../../core/text/json.ts";
import { counted, shortened } from "../../core/text/words.ts";
import { acknowledgementText } from "../acknowledged.ts";
import { neutralHtml } from "../neutral.ts";
import { eventText } from "../text/change-text.ts";
import { unbounded } from "../text/style.ts";
import type { ResourceRow } from "../text/summary.ts";
import { compareLines } from "../text-difference.ts";
import { type ToldField, valuesOf } from "../told-change.ts";
import { isText, linesOf, renderValue } from "../values.ts";
import { codeSpan, fencedDiff, type MarkdownEntry } from "./markdown-page.ts";

/** The most characters for the fields of one resource; the rest of the fields are counted. */
const longestBlock = 8000;

/** Values of up to this many characters together are compared on one line. */
const lineWidth = 120;

/** The most lines of a text's difference; the rest are counted. */
const mostLines = 60;

/** A change as a folded element: what changes and how, `since` when, who changed it, and where it is declared. */
export function rowEntry(row: ResourceRow, since: string | undefined): MarkdownEntry {
  const { address, action, fields, result } = row;
  const words = [...row.words, since, result].filter((word) => word !== undefined).join(", ");
  return {
    line: () => `- ${action} ${codeSpan(address)}: ${words}`,
    block: () =>
      [
        `<details><summary>${action} <code>${neutralHtml(shortened(address, 300))}</code>: ${words}</summary>`,
        joined([...factsOf(row).map((fact) => `- ${fact}`), ...fieldBlocks(fields)]),
        "</details>",
      ]
        .filter((block) => block !== "")
        .join("\n\n"),
  };
}

function factsOf({ problem, change, events, where, acknowledged }: ResourceRow): readonly string[] {
  const { note, instruction } = change ?? {};
  return [
    ...(where === "" ? [] : [codeSpan(where)]),
    ...(problem === undefined ? [] : [`${problem.code} ${codeSpan(problem.message)}`]),
    ...[problem?.hint, note, instruction].flatMap((text) => (text === undefined ? [] : [codeSpan(text)])),
    ...events.slice(0, mostEvents).map((event) => codeSpan(eventText(event, unbounded))),
    ...(events.length > mostEvents ? [`… and ${counted(events.length - mostEvents, "more event")}`] : []),
    ...acknowledged.map((one) => codeSpan(acknowledgementText(one))),
  ];
}

function fieldBlocks(fields: readonly ToldField[]): readonly string[] {
  const blocks: string[] = [];
  let room = longestBlock;
  for (const [index, field] of fields.entries()) {
    const text = fieldBlock(field);
    room -= text.length + 2;
    if (room < 0) return [...blocks, `… and ${counted(fields.length - index, "more field")}`];
    blocks.push(text);
  }
  return blocks;
}

/** Joins blocks with empty lines between them, but not between the entries of a list. */
function joined(blocks: readonly string[]): string {
  return blocks.reduce((text, block) => {
    const isNext = block.startsWith("- ") && !text.endsWith("`".repeat(3));
    return text === "" ? block : `${text}${isNext ? "\n" : "\n\n"}${block}`;
  }, "");
}

/** The most events of one object to list; the rest are counted. */
const mostEvents = 3;

/** A field on one line, or as a diff of its lines. */
function fieldBlock(field: ToldField): string {
  const { name, before, after, side } = field;
  const head = `- ${codeSpan(name)}${side === undefined ? "" : ` (${side})`}:`;
  const texts = valuesOf(field).map(({ value }) => renderValue(value, unbounded));
  const isShort = texts.reduce((sum, text) => sum + text.length, 0) <= lineWidth;
  if (isShort && !isText(before, after)) return `${head} ${texts.map(codeSpan).join(" → ")}`;
  return `${head}\n\n${difference(before, after)}`;
}

function difference(before: Json | undefined, after: Json | undefined): string {
  const [from, to] = [linesOf(before, unbounded), linesOf(after, unbounded)];
  const hunks = compareLines(from, to, { context: 2, ellipsis: unbounded.symbols.ellipsis });
  if (hunks === undefined) return `${counted(from.length, "line")} → ${counted(to.length, "line")}`;
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: own }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...own,
  ]);
  const more = lines.length - mostLines;
  return [fencedDiff(lines.slice(0, mostLines)), ...(more > 0 ? [`… and ${counted(more, "more line")}`] : [])].join(
    "\n\n",
  );
}
