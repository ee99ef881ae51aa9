import type { HistoryEntry } from "../../core/run/history.ts";
import { momentText } from "../../core/text/moment.ts";
import { counted, inOrder } from "../../core/text/words.ts";
import { legend, type Meaning } from "../meanings.ts";
import { personCount } from "../result-counts.ts";
import { sinceWords } from "./drift-text.ts";
import { continuation, inColumns, leftOutLine, pad, row, together, wrap } from "./layout.ts";
import { paintPart, type ScreenOptions, type Style, styleOf, visible, visibleStrings } from "./style.ts";

/** The runs of one command, the oldest first. */
export interface CommandHistory {
  readonly command: HistoryEntry["command"];
  readonly entries: readonly HistoryEntry[];
}

/** The most runs of a command to list; the rest are counted. */
const mostRuns = 30;

/** Renders, for each command, what its last run found and since when, then its runs, the newest first. `place` has the histories. */
export function renderHistory(histories: readonly CommandHistory[], place: string, options: ScreenOptions): string {
  const style = styleOf(options);
  const kept = visibleStrings(histories).filter(({ entries }) => entries.length > 0);
  if (kept.length === 0) return `No runs are kept in ${visible(place)}.`;
  return kept.map((history) => commandLines(history, style).join("\n")).join("\n\n");
}

function commandLines({ command, entries }: CommandHistory, style: Style): readonly string[] {
  const newest = entries.toReversed();
  const [last] = newest;
  const shown = newest.slice(0, mostRuns);
  const more = newest.length - shown.length;
  return [
    style.paint("bold", `${command}, ${counted(entries.length, "run")}`),
    ...(last === undefined ? [] : findingLines(last, style)),
    ...runLines(shown, style),
    ...leftOutLine(more, `${counted(more, "earlier run")}; --json has all`, "  ", style),
  ];
}

/** The lines for what the last run found, the longest-lasting first. */
function findingLines({ at, findings }: HistoryEntry, style: Style): readonly string[] {
  if (findings.length === 0) return [];
  const sorted = findings.toSorted((a, b) => inOrder(a.firstSeen, b.firstSeen));
  return [
    `  Open at ${momentText(at)}:`,
    ...sorted.flatMap(({ address, verdict, firstSeen, by }) => {
      const lasting = sinceWords(firstSeen, at);
      const since = `first seen ${momentText(firstSeen)}${lasting === undefined ? "" : `, ${lasting}`}`;
      const who = by === undefined ? "" : `, by ${by}`;
      const left = `    ${pad(verdict, 8)} ${address}`;
      return row(left, `${since}${who}`, style).map((line) =>
        paintPart(style, legend[lookOf(verdict)].paint, line, verdict),
      );
    }),
    "",
  ];
}

function lookOf(verdict: HistoryEntry["findings"][number]["verdict"]): Meaning {
  return verdict === "unknown" || verdict === "conflict" ? verdict : "update";
}

/** The lines for the counts of each run, aligned in columns. */
function runLines(entries: readonly HistoryEntry[], style: Style): readonly string[] {
  const rows = entries.map(({ at, counts, findings }) => {
    const { inSync, pending, drift, conflict, unknown, check, acknowledged } = counts;
    const people = [...new Set(findings.flatMap(({ by }) => by ?? []))].sort();
    const whole = [
      momentText(at),
      `${inSync} in sync`,
      `${pending} pending`,
      `${drift} drift`,
      `${conflict} ${conflict === 1 ? "conflict" : "conflicts"}`,
      `${unknown} unknown`,
      check === 0 ? "" : personCount(check),
      acknowledged === 0 ? "" : `${acknowledged} acknowledged`,
    ];
    return [...whole.map(together), people.length === 0 ? "" : `by ${people.join(", ")}`];
  });
  return inColumns(rows).flatMap((cells) => {
    const line = cells.filter((cell) => cell !== "").join("  ");
    return wrap(line.trimEnd(), style.width, "  ", continuation);
  });
}
