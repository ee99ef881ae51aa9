import type { Environment } from "../clients/credentials/credentials.ts";
import type { Problem } from "../core/problem.ts";
import type { HistoryEntry } from "../core/run/history.ts";
import { historyEntryOf, type PastPlan, readHistory, withEntry } from "../core/run/run-history.ts";
import { quote, someOf } from "../core/text/words.ts";
import { historyFolder } from "../engine/history-place.ts";
import type { HistoryPlace } from "../manifests/sources/git-log-ref.ts";
import type { Repository } from "../manifests/sources/repository.ts";

/** What earlier runs of one command saw. */
export interface History {
  /** All entries that are kept, the oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** SP5007 for lines that cannot be read; they stay in the history. */
  readonly problems: readonly Problem[];
}

/** A run that has ended. */
type EndedRun = Omit<PastPlan, "at">;

/** A history in a folder or a git ref. Its functions throw `ProblemError`: SP1017 for a folder, SP5002 for a git ref. */
export interface KeptHistory {
  /** The runs of a command. */
  read(command: HistoryEntry["command"]): Promise<History>;
  /** Adds a run and returns the history with it. */
  add(run: EndedRun): Promise<History>;
}

/** The parts of a road that a history needs. */
interface Parts {
  readonly repository: () => Promise<Repository>;
  readonly now: () => Date;
  readonly env: Environment;
}

/** Opens the history in a folder, or in a full git ref such as `refs/setpoint/history`. */
export function openHistory(place: string, { repository, now, env }: Parts): KeptHistory {
  const open = async (): Promise<HistoryPlace> => {
    if (!/^refs\//.test(place)) return historyFolder(place, env);
    return (await import("../manifests/sources/git-log-ref.ts")).openLogRef(await repository(), place);
  };
  return {
    read: async (command) => historyIn(await (await open()).read(fileOf(command)), place, command),
    add: async (run) => added(run, await open(), place, now().toISOString()),
  };
}

async function added(run: EndedRun, at: HistoryPlace, place: string, moment: string): Promise<History> {
  const { command } = run;
  let before = "";
  let made = "";
  await at.change(fileOf(command), (text) => {
    before = text;
    const last = readHistory(text).entries.at(-1);
    made = withEntry(text, historyEntryOf({ ...run, at: moment }, last));
    return made;
  });
  return { ...historyIn(made, place, command), problems: historyIn(before, place, command).problems };
}

function historyIn(text: string, place: string, command: HistoryEntry["command"]): History {
  const { entries, damaged } = readHistory(text);
  if (damaged.length === 0) return { entries, problems: [] };
  const message = `${fileOf(command)} of the history in ${quote(place)} has lines that this version of setpoint cannot read: ${someOf(damaged)}.`;
  const hint = "They are ignored. Repair or delete them, unless a newer version of setpoint wrote them.";
  return { entries, problems: [{ code: "SP5007", message, hint }] };
}

function fileOf(command: HistoryEntry["command"]): string {
  return `${command}.jsonl`;
}
