import type { Problem } from "../../core/problem.ts";
import { counted } from "../../core/text/words.ts";
import { basisLines } from "../text/basis-text.ts";
import { quotaWords } from "../text/forecast-text.ts";
import { consentWords, partWords } from "../text/plan-notes.ts";
import { reviewFirst } from "../text/risks.ts";
import { unbounded, visible } from "../text/style.ts";
import type { PlannedRun } from "../text/summary.ts";
import { trustedLines } from "../text/trusted-text.ts";
import type { PageNote, PageNoteItem } from "./page-data.ts";

/** The most items of one note; the rest are counted. */
const mostItems = 20;

/** The notes to read before the rows, the most serious first. */
export function pageNotes({ plan, report }: PlannedRun, withheld: readonly string[]): readonly PageNote[] {
  const { refusals, warnings = [], orphans = [], trusted, changes, about, basis } = plan;
  const rules =
    trusted === undefined
      ? []
      : trustedLines({ trusted: { ...trusted, onceMerged: [] }, unknown: [] }, true, unbounded);
  const quotas = report === undefined ? quotaWords(plan, visible) : [];
  const exceeded = quotas.flatMap(({ text, suffices }) => (suffices ? [] : [{ text }]));
  const risks = about.command === "plan" ? reviewFirst(changes) : [];
  return [
    note("bad", "The run itself had problems", (report?.problems ?? []).map(problemItem)),
    note("bad", "An apply refuses this plan", refusals.map(problemItem)),
    ...risks.map(({ words, addresses }) =>
      note(
        "care",
        `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
        addresses.map((address) => ({ text: "", address: visible(address) })),
      ),
    ),
    note("care", "An apply sends more requests than the quota has left", exceeded),
    note("care", "Something might be missing here", warnings.map(problemItem)),
    note("care", "Once merged, this is judged differently", (trusted?.onceMerged ?? []).map(problemItem)),
    titled(rules),
    titled(basisLines(basis, true, unbounded)),
    note(
      "care",
      `Not looked at: ${counted(orphans.length, "resource")} of services that left the workspace`,
      orphans.map((address) => ({ text: visible(address) })),
    ),
    ...[...partWords(plan), ...consentWords(plan), ...withheld].map(
      (title): PageNote => ({ tone: "plain", title, items: [], more: 0 }),
    ),
  ].filter(({ title, items, tone }) => items.length > 0 || (tone === "plain" && title !== ""));
}

function note(tone: PageNote["tone"], title: string, items: readonly PageNoteItem[]): PageNote {
  return { tone, title, items: items.slice(0, mostItems), more: Math.max(0, items.length - mostItems) };
}

/** A note from lines for the terminal, the first of which is the title. */
function titled([title = "", ...lines]: readonly string[]): PageNote {
  return note(
    "plain",
    title.replace(/:$/, ""),
    lines.map((line) => ({ text: line.trim() })),
  );
}

function problemItem({ code, message, hint, address }: Problem): PageNoteItem {
  return { text: `${code} ${message}`, hint, address: address && visible(address) };
}
