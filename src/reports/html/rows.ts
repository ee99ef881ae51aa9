import { counted, shortened } from "../../core/text/words.ts";
import { acknowledgementText, ignoredForGood, ignoredWords } from "../acknowledged.ts";
import { eventText } from "../text/change-text.ts";
import { answersTo, firstSeenIn } from "../text/drift-text.ts";
import { riskWords } from "../text/risks.ts";
import { unbounded, visible } from "../text/style.ts";
import { type PlannedRun, resourceRows } from "../text/summary.ts";
import { compareLines } from "../text-difference.ts";
import type { ToldField } from "../told-change.ts";
import { isText, linesOf, renderValue } from "../values.ts";
import type { PageField, PageRow } from "./page-data.ts";

/** The maximum length of a value on the page, in characters. The JSON has all of it. */
const longestValue = 2_000;

/** A text of up to this many lines is included completely, so that its equal parts can be unfolded. */
const wholeLines = 600;

/**
 * The rows of the resources that are not in sync, in the order of the plan. An address in `hidden` has invisible characters, so
 * that it cannot be pasted.
 */
export function pageRows(
  subject: PlannedRun,
  labelsOf: (address: string) => number | undefined,
  hidden: ReadonlySet<string>,
): readonly PageRow[] {
  const { plan, history } = subject;
  const ignored = Map.groupBy(ignoredForGood(plan.ignored), ({ address }) => address);
  const since = firstSeenIn(history);
  return resourceRows(subject).flatMap((row): readonly PageRow[] => {
    const { verdict, action, risks, fields, events, change, result, problem, where, acknowledged } = row;
    if (verdict === "in sync") return [];
    const address = visible(row.address);
    const first = since.get(row.address);
    return [
      {
        address,
        verdict,
        action,
        words: [
          ...(verdict === "unknown" ? [verdict] : row.words),
          ...(change?.note === undefined ? [] : [change.note]),
          ...ignoredWords(ignored, row.address),
          ...acknowledged.map(acknowledgementText),
        ],
        risks: risks.map(riskWords),
        fields: fields.map(pageField),
        instruction: change?.instruction,
        events: events.map((event) => eventText(event, unbounded)),
        needs: (change?.dependsOn ?? []).map(visible),
        answers: change === undefined || result === "applied" || hidden.has(address) ? [] : answersTo(change, plan),
        result,
        problem: problem && { code: problem.code, message: problem.message, hint: problem.hint },
        where: where === "" ? undefined : visible(where),
        since: first && dayText(first),
        labels: labelsOf(row.address),
      },
    ];
  });
}

function pageField({ name, before, after, side, isWhole }: ToldField): PageField {
  const base = { name: visible(name), side };
  if (isText(before, after))
    return { ...base, lines: diffLines(linesOf(before, unbounded), linesOf(after, unbounded)) };
  // A field of a created or deleted resource has only one side.
  const text = (value: typeof before) =>
    value === undefined && isWhole ? undefined : cut(renderValue(value, unbounded));
  return { ...base, before: text(before), after: text(after) };
}

function cut(text: string): string {
  const more = text.length - longestValue;
  return shortened(text, longestValue, `… ${counted(more, "more character")}`);
}

/** The lines of both texts with their signs. The sign `@` marks a count of equal lines that are left out. */
function diffLines(before: readonly string[], after: readonly string[]): readonly string[] {
  const isLong = Math.max(before.length, after.length) > wholeLines;
  const hunks = compareLines(before, after, { context: isLong ? 3 : wholeLines, ellipsis: unbounded.symbols.ellipsis });
  if (hunks === undefined)
    return [`!${counted(before.length, "line")} → ${counted(after.length, "line")}, too different to compare`];
  let reached = 1;
  const lines = hunks.flatMap(({ oldStart, oldLines, lines: inner }) => {
    const left = oldStart - reached;
    reached = oldStart + oldLines;
    return [...(left > 0 ? [`@${counted(left, "equal line")}`] : []), ...inner];
  });
  return lines.map((line) => cut(line));
}

const day = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" });
const time = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", hour: "2-digit", minute: "2-digit" });

/** A moment for people: `13 Jan 2027, 02:00 UTC`. A string that is not a time is returned unchanged. */
export function dayAndTime(iso: string): string {
  const words = dayText(iso);
  return words === iso ? iso : `${words}, ${time.format(new Date(iso))} UTC`;
}

/** The day of a moment: `13 Jan 2027`. */
export function dayText(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : day.format(date);
}
