import type { Address } from "../resource.ts";
import { defined } from "../text/json.ts";
import { jsonIn } from "../text/json-text.ts";
import { inOrder } from "../text/words.ts";
import { HistoryEntry } from "./history.ts";
import { appliedIn, type Report } from "./outcome.ts";
import { countsOf, type Plan, type PlannedChange } from "./plan.ts";

/** A run that is to be remembered. */
export interface PastPlan {
  readonly command: HistoryEntry["command"];
  readonly plan: Plan;
  readonly report?: Report | undefined;
  /** When it ended, as JSON writes it. */
  readonly at: string;
}

/** Returns what one run saw, and since when: an address keeps its first moment while every run finds it, with any verdict. */
export function historyEntryOf(
  { command, plan, report, at }: PastPlan,
  before: HistoryEntry | undefined,
): HistoryEntry {
  const applied = appliedIn(report?.outcomes);
  const changes = plan.changes.filter(({ address }) => !applied.has(address));
  const seen = new Map(before?.findings.map(({ address, firstSeen }) => [address, firstSeen]));
  const sinceOf = (address: Address) => seen.get(address) ?? at;
  const { check, ...verdicts } = countsOf(changes);
  return {
    version: 1,
    at,
    command,
    counts: {
      inSync: plan.inSync.length + applied.size,
      ...verdicts,
      unknown: plan.unknown.length,
      check,
      acknowledged: new Set(plan.ignored.flatMap(({ address, until }) => (until === undefined ? [] : [address]))).size,
    },
    findings: [
      ...changes.map(({ address, verdict, events }) => {
        const by = verdict === "pending" ? undefined : authorIn(events);
        return defined({ address, verdict, firstSeen: sinceOf(address), by });
      }),
      ...plan.unknown.map(({ address }) => ({ address, verdict: "unknown" as const, firstSeen: sinceOf(address) })),
    ],
  };
}

/** Returns who changed an object last, as its service says. */
function authorIn(events: PlannedChange["events"] = []): string | undefined {
  const told = events.filter(({ by, what }) => by !== undefined && what !== "used" && what !== "built");
  return told.toSorted((a, b) => inOrder(b.at ?? "", a.at ?? ""))[0]?.by;
}

/** Reads JSON lines; the oldest entry first. `damaged` are the lines that are not entries, counted from 1. */
export function readHistory(text: string) {
  const entryIn = (line: string) => HistoryEntry.safeParse(jsonIn(line)).data;
  const lines = text.split("\n").map((line, index) => ({ line, number: index + 1, entry: entryIn(line) }));
  return {
    entries: lines.flatMap(({ entry }) => (entry === undefined ? [] : [entry])),
    damaged: lines.flatMap(({ line, number, entry }) => (line.trim() === "" || entry !== undefined ? [] : [number])),
  };
}

const mostEntries = 400;
const mostBytes = 5 * 1024 * 1024;

/**
 * Returns the text with one more line. The oldest lines are dropped if there are too many. Damaged lines stay as long as
 * others of their age, so that someone can still repair them.
 */
export function withEntry(text: string, entry: HistoryEntry): string {
  const lines = [...text.split("\n").filter((line) => line.trim() !== ""), JSON.stringify(entry)];
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines.toReversed()) {
    bytes += Buffer.byteLength(line) + 1;
    if (kept.length > 0 && (kept.length >= mostEntries || bytes > mostBytes)) break;
    kept.unshift(line);
  }
  return kept.map((line) => `${line}\n`).join("");
}
