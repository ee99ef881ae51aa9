import type { FieldDifference, Verdict } from "../core/change.ts";
import type { PlannedChange } from "../core/run/plan.ts";
import { parseSecretReference } from "../core/secret.ts";
import { isObject, type Json } from "../core/text/json.ts";
import { counted } from "../core/text/words.ts";
import { legend } from "./meanings.ts";
import { continuation, cutFrom, displayWidth, firstOf, pad, startOfCut, wrap } from "./text/layout.ts";
import type { Style } from "./text/style.ts";
import { compareLines, longLine, partnersOf } from "./text-difference.ts";

/** Names of fields are aligned up to this width. */
const nameWidth = 24;
/** The most lines of a text's difference to show. */
const shownLines = 20;

/** The most fields of a created or deleted resource to list; the rest are counted. */
const mostFields = 10;

/** Which fields to show, and in which direction. */
interface DifferenceOptions {
  readonly all: boolean;
  /** Whether to show what happened, from the manifests' value to the live one, instead of what an apply would do. */
  readonly isBackwards: boolean;
}

/** The lines for the fields of a change: one line each if both values fit, otherwise the differences of their lines. */
export function differenceLines(
  change: PlannedChange,
  { all, isBackwards }: DifferenceOptions,
  style: Style,
): readonly string[] {
  const { action, fields, verdict } = change;
  const isWhole = action === "create" || action === "delete";
  const { shown, more } = firstOf(fields, mostFields, all || !isWhole);
  const rest = `${continuation}${style.symbols.ellipsis} ${counted(more, "more field")}; --all lists them`;
  const names = shown.map(({ path }) => displayWidth(path.join("."))).filter((width) => width <= nameWidth);
  const aligned = Math.max(0, ...names);
  return [
    ...shown.flatMap((field) => {
      const { before, after } = inOrderOfTelling(field, isBackwards);
      const changed = sideWords(field, verdict, isBackwards);
      const side = changed === undefined ? "" : `  (${changed})`;
      return fieldLines({ name: field.path.join("."), before, after, side, isWhole }, aligned, style);
    }),
    ...(more > 0 ? [style.paint("dim", rest)] : []),
  ];
}

/** The values of a field, in the order in which they are shown. */
export function inOrderOfTelling(
  { live, desired, verdict }: FieldDifference,
  isBackwards: boolean,
): { readonly before: Json | undefined; readonly after: Json | undefined } {
  // If only the manifests changed a field, its live value is the earlier one.
  return isBackwards && verdict !== "pending" ? { before: desired, after: live } : { before: live, after: desired };
}

/** Which side changed a field, if the verdict of its resource says otherwise; undefined if it does not. */
export function sideWords(field: FieldDifference, verdict: Verdict, isBackwards: boolean): string | undefined {
  if (field.verdict === verdict) return undefined;
  return isBackwards ? changedSide[field.verdict] : field.verdict;
}

const changedSide: Readonly<Record<Verdict, string>> = {
  pending: "the manifests changed",
  drift: "the service changed",
  conflict: "both sides changed",
};

/** A field, with its values in the order in which they are shown. */
interface ShownField {
  readonly name: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /** Which side changed the field, if it is not the one that changed the resource; otherwise empty. */
  readonly side: string;
  /** Whether the whole resource is created or deleted. */
  readonly isWhole: boolean;
}

function fieldLines(field: ShownField, aligned: number, style: Style): readonly string[] {
  const { paint, symbols, width } = style;
  const { name, before, after, side, isWhole } = field;
  const start = `${continuation}${pad(name, aligned)}  `;
  const sides = [
    { paint: legend.before.paint, value: before },
    { paint: legend.after.paint, value: after },
  ] as const;
  const shown = sides
    .filter(({ value }) => !isWhole || value !== undefined)
    .map((one) => ({ ...one, text: renderValue(one.value, style) }));
  const plain = shown.map(({ text }) => text).join(` ${symbols.arrow} `);
  if (!isText(before, after) && displayWidth(`${start}${plain}${side}`) <= width)
    return [`${start}${shown.map((one) => paint(one.paint, one.text)).join(` ${symbols.arrow} `)}${side}`];
  return [...wrap(`${name}${side}`, width, continuation), ...textDifference(before, after, style)];
}

/** Whether to show a difference line by line. A long text can be a single line. */
export function isText(before: Json | undefined, after: Json | undefined): boolean {
  const texts = [before, after].filter((value) => typeof value === "string");
  return (
    texts.some((text) => text.includes("\n")) || (texts.length > 1 && texts.some((text) => text.length > longLine))
  );
}

/** A unified diff with one line of context, cut to a readable length. */
function textDifference(from: Json | undefined, to: Json | undefined, style: Style): readonly string[] {
  const { paint, symbols } = style;
  const indent = `${continuation}  `;
  const [before, after] = [linesOf(from, style), linesOf(to, style)];
  const hunks = compareLines(before, after, { context: 1, ellipsis: symbols.ellipsis });
  if (hunks === undefined) {
    const lengths = `${counted(before.length, "line")} ${symbols.arrow} ${counted(after.length, "line")}`;
    return wrap(`${lengths}, too different to compare`, style.width, indent);
  }
  const lines = hunks.flatMap((hunk, index) => [...(index > 0 ? [symbols.ellipsis] : []), ...paired(hunk.lines)]);
  const shown = lines.slice(0, lines.length > shownLines + 1 ? shownLines : undefined);
  const more = lines.length - shown.length;
  return [
    ...shown.map((line) =>
      typeof line === "string" ? paint("dim", `${indent}${line}`) : diffLine(line, indent, style),
    ),
    ...(more > 0 ? [paint("dim", `${indent}${symbols.ellipsis} ${counted(more, "more line")}`)] : []),
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
function diffLine({ sign, text, partner }: DiffLine, indent: string, style: Style): string {
  const start = `${indent}${sign}  `;
  const room = style.width - start.length;
  const differsAt = firstDifference(text, partner);
  const from = Math.max(startOfCut(text, room, differsAt), startOfCut(partner, room, differsAt));
  const line = `${start}${cutFrom(text, from, room, style.symbols.ellipsis)}`.trimEnd();
  return style.paint(legend[sign === "-" ? "before" : sign === "+" ? "after" : "aside"].paint, line);
}

/** The offset of the first character that differs; 0 if there is nothing to compare with. */
function firstDifference(a: string, b: string): number {
  if (b === "") return 0;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/** Matches text that needs no quotes: it cannot be mistaken for a number, a list or the end of a value. */
const bare = /^(?!(?:true|false|null|-?\d+(?:\.\d+)?)$)[^\s"',{}[\]()]+$/u;

/** A value on one line, uncut. A secret is shown as dots; `undefined` means that a side has no value. */
export function renderValue(value: Json | undefined, style: Style): string {
  if (value === undefined) return "(none)";
  if (!isList(value)) return renderElement(value, style);
  return value.length === 0 ? "(empty)" : value.map((element) => renderElement(element, style)).join(", ");
}

/** A value as lines to compare: the lines of a text, the elements of a list, or the members of an object. */
export function linesOf(value: Json | undefined, style: Style): readonly string[] {
  if (value === undefined) return [];
  if (typeof value === "string" && value.includes("\n")) return value.split("\n");
  if (typeof value === "string") return [isSecret(value) ? style.symbols.secret : value];
  if (isList(value)) return value.map((element) => renderElement(element, style));
  return isObject(value) ? members(value, style) : [renderElement(value, style)];
}

function renderElement(value: Json, style: Style): string {
  if (typeof value === "string") return isSecret(value) ? style.symbols.secret : quoted(value);
  if (isList(value)) return `[${value.map((element) => renderElement(element, style)).join(", ")}]`;
  return isObject(value) ? `{${members(value, style).join(", ")}}` : String(value);
}

function members(value: Readonly<Record<string, Json | undefined>>, style: Style): readonly string[] {
  return Object.entries(value).flatMap(([name, inner]) =>
    inner === undefined ? [] : [`${quoted(name)}: ${renderElement(inner, style)}`],
  );
}

/** Quotes a string unless it is `bare`. `visibleStrings` has already escaped its invisible characters. */
function quoted(text: string): string {
  return bare.test(text) ? text : `"${text.replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}

function isSecret(text: string): boolean {
  return parseSecretReference(text) !== undefined;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
