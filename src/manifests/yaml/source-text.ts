import { once } from "../../core/once.ts";
import { type Problem, type ProblemCode, ProblemError, problemsOf } from "../../core/problem.ts";
import type { Place, Point } from "../../core/resource.ts";
import { defined } from "../../core/text/json.ts";
import { withoutSecrets } from "../../core/text/url-secret.ts";
import { inOrder } from "../../core/text/words.ts";

/** The text of one file. Offsets count UTF-16 code units from 0. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
  /** Offsets at which lines start; computed on first use. */
  lineStarts(): readonly number[];
  /** Returns a line by its number, from 1. Kept after first use, because thousands of errors can be on one long line. */
  line(number: number): Line;
}

interface Line {
  readonly length: number;
  /** As problems show it. */
  readonly shown: string;
}

/** A part of a file. */
export interface Range {
  readonly source: SourceText;
  readonly start: number;
  readonly end: number;
  /** If it is a placeholder: where its value is written. */
  readonly from?: Range | undefined;
}

/** Receives problems. Throws `ProblemError` when a file has too many. */
export type ReportProblem = (problem: Problem) => void;

/** The width that fits on a line of a terminal. An excerpt whose mark is further right is omitted. */
const excerptWidth = 160;

/** The number of lines that one problem shows: two at its place, and two at the other place that it names. */
const mostLines = 4;

export function sourceText(file: string, text: string): SourceText {
  /** The lines that were requested last. */
  const lines: { readonly number: number; readonly line: Line }[] = [];
  const lineStarts = once(() => {
    const starts = [0];
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
    return starts;
  });
  return {
    file,
    text,
    lineStarts,
    line(number) {
      const known = lines.find((one) => one.number === number);
      if (known !== undefined) return known.line;
      const start = lineStarts()[number - 1];
      const next = lineStarts()[number];
      const whole = text.slice(start, next === undefined ? undefined : next - 1).replace(/\r$/, "");
      const line = { length: whole.length, shown: excerptLine(whole) };
      if (lines.length === mostLines) lines.shift();
      lines.push({ number, line });
      return line;
    },
  };
}

export function wholeOf(source: SourceText): Range {
  return { source, start: 0, end: source.text.length };
}

/** Returns the file, line and column of a range's start. */
export function pointOf({ source, start }: Range): Point {
  const starts = source.lineStarts();
  const line = lineAt(starts, start);
  return { file: source.file, line, column: start - (starts[line - 1] ?? 0) + 1 };
}

/** Cuts a range at the end of its first line, because nothing below it is ever underlined. */
export function onFirstLine({ source, start, end }: Range): Range {
  const starts = source.lineStarts();
  const next = starts[lineAt(starts, start)];
  return { source, start, end: next === undefined ? end : Math.min(end, endOfLine(source.text, next - 1)) };
}

/** Returns where the text of a line ends: before its line break, of one or two characters. */
export function endOfLine(text: string, lineBreak: number): number {
  return text.charAt(lineBreak - 1) === "\r" ? lineBreak - 1 : lineBreak;
}

/** Returns a place with the number of characters to underline and the lines to show. */
export function placeOf(range: Range): Place {
  const { file, line, column } = pointOf(range);
  const shown = range.source.line(line);
  const visible = Math.min(shown.length, Math.max(excerptWidth, column)) - column + 1;
  const length = Math.max(1, Math.min(range.end - range.start, visible));
  if (column > excerptWidth) return { file, line, column, length };
  // Every resource keeps an excerpt, and a list built by spreading would reserve room for fourteen more lines.
  const excerpt = line > 1 ? [range.source.line(line - 1).shown, shown.shown] : [shown.shown];
  return { file, line, column, length, excerpt };
}

/** Returns a place without its lines, because they might contain a secret. */
export function unseen(range: Range): Place {
  const { excerpt: _secret, ...place } = placeOf(range);
  return place;
}

/** Returns where the value of a placeholder is written; variables of the command line and facts about a run are in no file. */
function writtenIn({ from }: Range): Range | undefined {
  return from?.source.text === "" ? undefined : from;
}

export function problemAt(
  range: Range,
  code: ProblemCode,
  message: string,
  { hint, other = writtenIn(range) }: { readonly hint?: string | undefined; readonly other?: Range | undefined } = {},
): Problem {
  return defined({ code, message, hint, place: placeOf(range), other: other && placeOf(other) });
}

/** Returns the number of the last line that starts at or before `offset`. */
function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

function excerptLine(line: string): string {
  // Whatever a problem is about, the text around it might contain a secret.
  const shown = withoutSecrets(line);
  const cut = shown.length > excerptWidth ? `${shown.slice(0, excerptWidth)}…` : shown;
  return /^[\t -~]*$/.test(cut) ? cut : cut.replace(/(?!\t)[\p{Cc}\p{Bidi_Control}]/gu, "\u{fffd}");
}

/** The maximum number of errors shown per file; reading stops at this number. */
export const maxMistakes = 1000;

/** The result of reading something; undefined if an error stopped it. */
export interface Collected<T> {
  readonly result: T | undefined;
  readonly problems: readonly Problem[];
}

/** Runs `work` and collects what it reports and the `ProblemError` that it throws. Equal problems are kept once. */
export async function collect<T>(work: (report: ReportProblem) => T | Promise<T>): Promise<Collected<T>> {
  const problems = new Map<string, Problem>();
  const keep = (problem: Problem) => problems.set(problemIdentity(problem), problem).size;
  function report(problem: Problem): void {
    if (keep(problem) < maxMistakes) return;
    const message = `The file has ${maxMistakes} or more errors. The rest are not shown.`;
    throw new ProblemError(defined({ code: "SP1011", message, place: problem.place }));
  }
  let result: T | undefined;
  try {
    result = await work(report);
  } catch (error) {
    problemsOf(error).forEach(keep);
  }
  return { result, problems: [...problems.values()] };
}

/** Returns the identity of a problem, which distinguishes it from others. */
export function problemIdentity({ code, message, place, other }: Problem): string {
  // In another file, the same value can be on another line at another commit.
  const beside = other?.file === place?.file ? [other?.line, other?.column] : other?.file;
  return JSON.stringify([code, message, place?.file, place?.line, place?.column, beside]);
}

/** Orders problems by file, line and column. */
export function byPlace(a: Problem, b: Problem): number {
  return (
    inOrder(a.place?.file ?? "", b.place?.file ?? "") ||
    (a.place?.line ?? 0) - (b.place?.line ?? 0) ||
    (a.place?.column ?? 0) - (b.place?.column ?? 0) ||
    inOrder(a.code, b.code) ||
    inOrder(a.message, b.message)
  );
}
