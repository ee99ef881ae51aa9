import type { Json } from "../../core/text/json.ts";
import { counted } from "../../core/text/words.ts";
import { diffLook, legend } from "../meanings.ts";
import { compareLines, partnersOf } from "../text-difference.ts";
import { type ToldChange, type ToldField, valuesOf } from "../told-change.ts";
import { isText, linesOf, renderValue } from "../values.ts";
import { continuation, cutFrom, displayWidth, firstOf, leftOutLine, pad, startOfPair, widest, wrap } from "./layout.ts";
import type { Style } from "./style.ts";

/** Names of fields are aligned up to this width. */
const nameWidth = 24;
/** The most lines to show of a text's difference, with the one that counts the rest. */
const shownLines = 21;

/** The most fields of a created or deleted resource to list; the rest are counted. */
const mostFields = 10;

/** The lines for the fields of a change: one line each if both values fit, otherwise the differences of their lines. */
export function fieldLines({ fields }: ToldChange, all: boolean, style: Style): readonly string[] {
  const isWhole = fields.some((field) => field.isWhole);
  const { shown, more } = firstOf(fields, mostFields, all || !isWhole);
  const aligned = widest(shown, ({ name }) => name, nameWidth);
  return [
    ...shown.flatMap((field) => linesOfField(field, aligned, all, style)),
    ...leftOutLine(more, `${counted(more, "more field")}; --all lists them`, continuation, style),
  ];
}

function linesOfField(field: ToldField, aligned: number, all: boolean, style: Style): readonly string[] {
  const { symbols, width } = style;
  const { name, before, after } = field;
  const side = field.side === undefined ? "" : `  (${field.side})`;
  const start = `${continuation}${pad(name, aligned)}  `;
  const shown = valuesOf(field).map(({ meaning, value }) => ({ meaning, text: renderValue(value, style) }));
  const plain = shown.map(({ text }) => text).join(` ${symbols.arrow} `);
  if (!isText(before, after) && displayWidth(`${start}${plain}${side}`) <= width) {
    const painted = shown.map(({ meaning, text }) => style.paint(legend[meaning].paint, text));
    return [`${start}${painted.join(` ${symbols.arrow} `)}${side}`];
  }
  return [...wrap(`${name}${side}`, width, continuation), ...textDifference(before, after, all, style)];
}

/** A unified diff with one line of context, cut to a readable length unless `all` lines are wanted. */
function textDifference(from: Json | undefined, to: Json | undefined, all: boolean, style: Style): readonly string[] {
  const { paint, symbols } = style;
  const indent = `${continuation}  `;
  const [before, after] = [linesOf(from, style), linesOf(to, style)];
  const hunks = compareLines(before, after, { context: 1, ellipsis: symbols.ellipsis });
  if (hunks === undefined) {
    const lengths = `${counted(before.length, "line")} ${symbols.arrow} ${counted(after.length, "line")}`;
    return wrap(`${lengths}, too different to compare`, style.width, indent);
  }
  const lines = hunks.flatMap((hunk, index) => [...(index > 0 ? [symbols.ellipsis] : []), ...paired(hunk.lines)]);
  const { shown, more } = firstOf(lines, shownLines, all);
  return [
    ...shown.map((line) =>
      typeof line === "string" ? paint("dim", `${indent}${line}`) : diffLine(line, indent, style),
    ),
    ...leftOutLine(more, `${counted(more, "more line")}; --all shows them`, indent, style),
  ];
}

/** A line of a unified diff, with the line that it replaces or is replaced by. */
interface DiffLine {
  readonly sign: string;
  readonly text: string;
  readonly partner: string;
}

function paired(lines: readonly string[]): readonly DiffLine[] {
  const partners = partnersOf(lines);
  return lines.map((line, index) => {
    const partner = lines[partners.get(index) ?? -1] ?? "";
    return { sign: line.charAt(0), text: line.slice(1), partner: partner.slice(1) };
  });
}

/** Renders a line of a diff. Both lines of a pair are cut at the same place, so that their differences are aligned. */
function diffLine({ sign, text: own, partner }: DiffLine, indent: string, style: Style): string {
  const rest = own.trimEnd();
  // Spaces at the end are shown where nothing else differs.
  const isEnd = own !== partner && rest === partner.trimEnd();
  const text = isEnd ? rest + own.slice(rest.length).replaceAll(" ", "\\u{20}") : own;
  const start = `${indent}${sign}  `;
  const room = style.width - start.length;
  const line = `${start}${cutFrom(text, startOfPair(text, partner, room), room, style.symbols.ellipsis)}`.trimEnd();
  return style.paint(diffLook(sign).paint, line);
}
