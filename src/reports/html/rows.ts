import type { FieldDifference } from "../../core/change.ts";
import type { Problem } from "../../core/problem.ts";
import type { Plan, PlannedChange } from "../../core/run/plan.ts";
import { counted, shortened } from "../../core/text/words.ts";
import { inOrderOfTelling, isText, linesOf, renderValue, sideWords } from "../differences.ts";
import { ignoredForGood, ignoredWords } from "../text/acknowledged-text.ts";
import { eventText, happenedWords, riskWords } from "../text/change-text.ts";
import { firstSeenIn, recentEvents } from "../text/drift-text.ts";
import { styleOf, visible } from "../text/style.ts";
import { acknowledgementText, type PlannedRun, type ResourceRow, resourceRows } from "../text/summary.ts";
import { compareLines } from "../text-difference.ts";
import { dayText } from "./moment.ts";
import type { PageField, PageProblem, PageRow } from "./page-data.ts";

/** A style without a width limit, because the page wraps lines itself. */
export const unbounded = styleOf({ width: 100_000, color: false });

/** The maximum length of a value on the page, in characters. The JSON has all of it. */
const longestValue = 2_000;

/** A text of up to this many lines is included completely, so that its equal parts can be unfolded. */
const wholeLines = 600;

/** What the page knows about an address. */
export interface AddressFacts {
  /** The index of the address's labels. */
  labels(address: string): number | undefined;
  /** Whether the address has invisible characters, so that it cannot be pasted. */
  isHidden(address: string): boolean;
}

/** The rows of the resources that are not in sync, in the order of the plan. */
export function pageRows(subject: PlannedRun, facts: AddressFacts): readonly PageRow[] {
  const { plan, history } = subject;
  const ignored = Map.groupBy(ignoredForGood(plan.ignored), ({ address }) => address);
  const since = firstSeenIn(history);
  return resourceRows(subject)
    .filter(({ verdict }) => verdict !== "in sync")
    .map((row): PageRow => {
      const { change, acknowledged } = row;
      const told = change === undefined ? (row.verdict === "unknown" ? ["unknown"] : []) : verdictWords(change, plan);
      const first = since.get(row.address);
      return {
        address: visible(row.address),
        verdict: row.verdict === "in sync" ? "unknown" : row.verdict,
        ...(change === undefined ? unread : changed(change, plan)),
        ...(change?.happened === undefined || facts.isHidden(visible(row.address)) ? {} : { canUndo: true }),
        words: [...told, ...ignoredWords(ignored, row.address), ...acknowledged.map(acknowledgementText)],
        ...outcomeOf(row),
        since: first && dayText(first),
        labels: facts.labels(row.address),
      };
    });
}

const unread = { action: "none", risks: [], fields: [], events: [], needs: [] } as const;

function changed(change: PlannedChange, plan: Plan): Omit<PageRow, "address" | "verdict" | "words"> {
  const { place, instruction, events = [], dependsOn, fields, action } = change;
  const happened = plan.about.command === "drift" ? change.happened : undefined;
  const isWhole = action === "create" || action === "delete";
  return {
    action: action === "check" ? "check" : (happened?.action ?? action),
    risks: (happened ?? change).risks.map(riskWords),
    fields: fields.map((field) => pageField(field, change, { isBackwards: happened !== undefined, isWhole })),
    where: place && visible(`${place.file}:${place.line}`),
    instruction,
    events: (happened === undefined ? events : recentEvents(events, plan.basis)).map((event) =>
      eventText(event, unbounded),
    ),
    needs: dependsOn.map(visible),
  };
}

function verdictWords(change: PlannedChange, { about }: Plan): readonly string[] {
  const { verdict, risks, note } = change;
  const words = about.command === "drift" ? happenedWords(change) : [verdict, ...risks.map(riskWords)];
  return [...words, ...(note === undefined ? [] : [note])];
}

function outcomeOf({ result, problem, where }: ResourceRow): Pick<PageRow, "result" | "problem" | "where"> {
  return { result, problem: problem && pageProblem(problem), ...(where === "" ? {} : { where: visible(where) }) };
}

function pageProblem({ code, message, hint }: Problem): PageProblem {
  return { code, message, hint };
}

function pageField(
  field: FieldDifference,
  { verdict }: PlannedChange,
  { isBackwards, isWhole }: { readonly isBackwards: boolean; readonly isWhole: boolean },
): PageField {
  const { before, after } = inOrderOfTelling(field, isBackwards);
  const base = { name: visible(field.path.join(".")), side: sideWords(field, verdict, isBackwards) };
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
