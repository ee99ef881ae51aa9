import type { ObjectEvent } from "../core/change.ts";
import type { HistoryEntry } from "../core/history.ts";
import type { Plan, PlannedChange } from "../core/plan.ts";
import type { Address } from "../core/resource.ts";
import { counted, shellWord } from "../core/words.ts";
import type { Style } from "./style.ts";

/**
 * The events of an object that can have made it what it is: the newest of each sort, none from before the base. What came
 * earlier is the object's past, such as the apply that set it right.
 */
export function recentEvents(events: readonly ObjectEvent[], basis: Plan["basis"]): readonly ObjectEvent[] {
  const since = basis?.at ?? "";
  const recent = events.filter(({ at }) => at === undefined || at >= since);
  const sorts = Map.groupBy(recent, ({ what, name = "" }) => JSON.stringify([what, name]));
  return [...sorts.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [others.reduce((a, b) => ((b.at ?? "") > (a.at ?? "") ? b : a), first)],
  );
}

/** Since when resources differ, as the last entry of a history says; empty if none is kept. */
export function firstSeenIn(history: readonly HistoryEntry[] = []): ReadonlyMap<Address, string> {
  return new Map(history.at(-1)?.findings.map(({ address, firstSeen }) => [address, firstSeen]));
}

/** How long something has been so, such as `since 2 nights`; undefined if it is new. */
export function sinceWords(firstSeen: string | undefined, now: string): string | undefined {
  const hours = Math.round((Date.parse(now) - Date.parse(firstSeen ?? now)) / 3_600_000);
  if (!(hours >= 1)) return undefined;
  // A run of the next night may start a little earlier.
  return hours < 20 ? `since ${counted(hours, "hour")}` : `since ${counted(Math.round(hours / 24), "night")}`;
}

/** How long the oldest drift has lasted; undefined if it is new, or no history is kept. */
export function oldestWords(changes: readonly PlannedChange[], since: ReadonlyMap<Address, string>, now: string) {
  const seen = changes.flatMap(({ address }) => since.get(address) ?? []).sort();
  const words = sinceWords(seen[0], now);
  if (words === undefined || changes.length === 1) return words;
  return `the ${changes.length === 2 ? "older" : "oldest"} ${words}`;
}

/** Resources that the commands name one by one; of more, the first, with a remark that leaves it out. */
const mostNamed = 3;

const week = 7 * 86_400_000;

/**
 * The commands that undo what happened, accept it or leave it alone, for a shell. Each names the resources for which it works.
 * `given`: options that select the workspace and its values, as they were given to this run.
 */
export function answerLines(
  { changes, refusals, about }: Pick<Plan, "changes" | "refusals" | "about">,
  given: readonly string[],
  style: Style,
): readonly string[] {
  const happened = changes.filter((change) => change.happened !== undefined);
  const undone = refusals.length > 0 ? [] : happened.filter(({ action }) => action !== "check");
  const declared = happened.filter(({ place }) => place !== undefined);
  const writable = declared.filter(({ repeated }) => repeated === undefined);
  const until = new Date(Date.parse(about.at) + week).toISOString().slice(0, 10);
  const words = given.map(shellWord);
  const name = (change: PlannedChange) => shellWord(change.address);
  const commands = [
    { label: "Undo:", command: "apply", of: undone, naming: (one: PlannedChange) => `--only ${name(one)}`, rest: [] },
    { label: "Accept:", command: "adopt", of: writable.filter(isAdoptable), naming: name, rest: [] },
    {
      label: "Mute:",
      command: "ack",
      // What the manifests changed too is a conflict, which nothing hides.
      of: writable.filter(({ verdict }) => verdict === "drift"),
      naming: name,
      rest: ["--until", until, "--reason", style.symbols.ellipsis],
    },
  ];
  const lines = commands.flatMap(({ label, command, of, naming, rest }) => {
    if (of.length === 0) return [];
    const shown = of.length > mostNamed ? of.slice(0, 1) : of;
    const line = ["setpoint", command, ...shown.map(naming), ...rest, ...words].join(" ");
    const more = of.length - shown.length;
    const remark =
      more > 0 ? style.paint("dim", `  # and ${more} more${command === "ack" ? "" : ", all without it"}`) : "";
    // Not broken: it is to be pasted.
    return [`${style.paint("bold", label)}${" ".repeat(9 - label.length)}${line}${remark}`];
  });
  return [...lines, ...repeatedLines(declared, style)];
}

/** The documents that no command can rewrite for one of their resources. */
function repeatedLines(declared: readonly PlannedChange[], { paint }: Style): readonly string[] {
  const repeated = declared.flatMap(({ place, repeated: isRepeated }) => (isRepeated && place ? [place] : []));
  const [first, ...others] = new Set(repeated.map(({ file, line }) => `${file}:${line}`));
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : `and ${counted(others.length, "more document")}, `;
  const remark = `  # ${more}forEach: adopt writes it only if all that it makes moved alike`;
  return [`${paint("bold", "By hand:")} ${first}${paint("dim", remark)}`];
}

/** Whether `adopt` can write what is there into the manifest: values, at fields that it states. */
function isAdoptable({ action, fields }: PlannedChange): boolean {
  if (fields.length === 0) return false;
  return action === "update" || (action === "check" && fields.every((field) => field.place !== undefined));
}
