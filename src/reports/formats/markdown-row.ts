import type { FieldDifference } from "../../core/change.ts";
import type { Json } from "../../core/text/json.ts";
import { counted, shortened } from "../../core/text/words.ts";
import { inOrderOfTelling, isText, linesOf, renderValue, sideWords } from "../differences.ts";
import { neutralHtml } from "../neutral.ts";
import { eventText, happenedWords, riskWords } from "../text/change-text.ts";
import { styleOf } from "../text/style.ts";
import { acknowledgementText, type ResourceRow } from "../text/summary.ts";
import { compareLines } from "../text-difference.ts";
import { codeSpan, fenced, type MarkdownEntry } from "./markdown-page.ts";

const style = styleOf({ width: 1000, color: false });

/** The most characters for the fields of one resource; the rest of the fields are counted. */
const longestBlock = 8000;

/** Values of up to this many characters together are compared on one line. */
const lineWidth = 120;

/** The most lines of a text's difference; the rest are counted. */
const mostLines = 60;

/** A resource as a folded element: what changes and how, who changed it, and where it is declared. */
export function rowEntry(row: ResourceRow, isDrift: boolean): MarkdownEntry {
  const words = wordsOf(row, isDrift);
  const head = `${row.action === "none" ? "" : `${row.action} `}`;
  const line = () => `- ${head}${codeSpan(row.address)}: ${words}`;
  if (row.problem === undefined && row.change === undefined) return { line };
  const block = () =>
    [
      `<details><summary>${head}<code>${neutralHtml(shortened(row.address, 300))}</code>: ${words}</summary>`,
      ...detailBlocks(row, isDrift),
      "</details>",
    ].join("\n\n");
  return { line, block };
}

/** The verdict, the risks, and the result of an apply. */
function wordsOf({ verdict, risks, result, change }: ResourceRow, isDrift: boolean): string {
  const words = isDrift && change !== undefined ? happenedWords(change) : [verdict, ...risks.map(riskWords)];
  return [...words, ...(result === undefined ? [] : [result])].join(", ");
}

function detailBlocks({ problem, change, where, acknowledged }: ResourceRow, isDrift: boolean): readonly string[] {
  const { note, instruction, events = [], fields = [], verdict, action } = change ?? {};
  const isBackwards = isDrift && change?.happened !== undefined;
  const isWhole = action === "create" || action === "delete";
  const notes = [
    ...(where === "" ? [] : [codeSpan(where)]),
    ...(problem === undefined ? [] : [`${problem.code} ${codeSpan(problem.message)}`]),
    ...(problem?.hint === undefined ? [] : [codeSpan(problem.hint)]),
    ...[note, instruction].flatMap((text) => (text === undefined ? [] : [codeSpan(text)])),
    ...events.slice(0, mostEvents).map((event) => codeSpan(eventText(event, style))),
    ...(events.length > mostEvents ? [`… and ${counted(events.length - mostEvents, "more event")}`] : []),
    ...acknowledged.map((one) => codeSpan(acknowledgementText(one))),
  ];
  const blocks = notes.map((text) => `- ${text}`);
  let room = longestBlock;
  for (const [index, field] of fields.entries()) {
    const text = fieldBlock(field, verdict ?? field.verdict, isBackwards, isWhole);
    room -= text.length + 2;
    if (room < 0) {
      blocks.push(`… and ${counted(fields.length - index, "more field")}`);
      break;
    }
    blocks.push(text);
  }
  return joinedLists(blocks);
}

/** Joins consecutive list entries into one block. */
function joinedLists(blocks: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    const isNext =
      last !== undefined && !last.endsWith("`".repeat(3)) && block.startsWith("- ") && last.startsWith("- ");
    if (isNext) joined.splice(-1, 1, `${last}\n${block}`);
    else joined.push(block);
  }
  return joined;
}

/** The most events of one object to list; the rest are counted. */
const mostEvents = 3;

/** A field on one line, or as a diff of its lines. */
function fieldBlock(
  field: FieldDifference,
  verdict: FieldDifference["verdict"],
  isBackwards: boolean,
  isWhole: boolean,
): string {
  const { before, after } = inOrderOfTelling(field, isBackwards);
  const side = sideWords(field, verdict, isBackwards);
  const name = `${codeSpan(field.path.join("."))}${side === undefined ? "" : ` (${side})`}:`;
  const values = [before, after].filter((value) => !isWhole || value !== undefined);
  const texts = values.map((value) => renderValue(value, style));
  const isShort = texts.reduce((sum, text) => sum + text.length, 0) <= lineWidth;
  if (isShort && !isText(before, after)) return `- ${name} ${texts.map(codeSpan).join(" → ")}`;
  return `- ${name}\n\n${difference(before, after)}`;
}

function difference(before: Json | undefined, after: Json | undefined): string {
  const [from, to] = [linesOf(before, style), linesOf(after, style)];
  const hunks = compareLines(from, to, { context: 2, ellipsis: style.symbols.ellipsis });
  if (hunks === undefined) return `${counted(from.length, "line")} → ${counted(to.length, "line")}`;
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: own }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...own,
  ]);
  const more = lines.length - mostLines;
  return [fenced("diff", lines.slice(0, mostLines)), ...(more > 0 ? [`… and ${counted(more, "more line")}`] : [])].join(
    "\n\n",
  );
}
