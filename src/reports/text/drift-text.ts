import type { ObjectEvent } from "../../core/change.ts";
import type { Address } from "../../core/resource.ts";
import type { HistoryEntry } from "../../core/run/history.ts";
import type { Plan, PlannedChange } from "../../core/run/plan.ts";
import { groupsBy } from "../../core/text/groups.ts";
import { counted, grouped, shellWord } from "../../core/text/words.ts";
import type { Style } from "./style.ts";

/**
 * The events that can explain an object's current state: the newest of each sort, and none from before the base. Earlier
 * events, such as the last apply, are history.
 */
export function recentEvents(events: readonly ObjectEvent[], basis: Plan["basis"]): readonly ObjectEvent[] {
  const since = basis?.at ?? "";
  const recent = events.filter(({ at }) => at === undefined || at >= since);
  return groupsBy(recent, ({ what, name = "" }) => [what, name]).map(({ first, all }) =>
    all.reduce((a, b) => ((b.at ?? "") > (a.at ?? "") ? b : a), first),
  );
}

/** When each resource was first seen to differ, from the last entry of a history; empty if none is kept. */
export function firstSeenIn(history: readonly HistoryEntry[] = []): ReadonlyMap<Address, string> {
  return new Map(history.at(-1)?.findings.map(({ address, firstSeen }) => [address, firstSeen]));
}

/** How long a difference has lasted, such as `for 2 nights`; undefined if it is new. */
export function sinceWords(firstSeen: string | undefined, now: string): string | undefined {
  const hours = Math.round((Date.parse(now) - Date.parse(firstSeen ?? now)) / 3_600_000);
  if (!(hours >= 1)) return undefined;
  // The next night's run can start a little earlier.
  return hours < 20 ? `for ${counted(hours, "hour")}` : `for ${counted(Math.round(hours / 24), "night")}`;
}

/** How long the oldest drift has lasted; undefined if it is new, or no history is kept. */
export function oldestWords(changes: readonly PlannedChange[], since: ReadonlyMap<Address, string>, now: string) {
  const seen = changes.flatMap(({ address }) => since.get(address) ?? []).sort();
  const words = sinceWords(seen[0], now);
  if (words === undefined || changes.length === 1) return words;
  return `the ${changes.length === 2 ? "older" : "oldest"} ${words}`;
}

/** The most resources that a command names one by one. If there are more, it names the first, with a remark about the others. */
const mostNamed = 3;

const week = 7 * 86_400_000;

/** The day until which a suggested command mutes a drift, such as `2027-01-20`. */
export function mutedUntil({ about }: Pick<Plan, "about">): string {
  return new Date(Date.parse(about.at) + week).toISOString().slice(0, 10);
}

/** One way to answer what happened. */
interface Answer {
  readonly label: string;
  /** A shell command, or the place to edit. */
  readonly text: string;
  /** What a reader should know about it; empty if nothing. */
  readonly remark: string;
}

/**
 * The answers to what happened, each on a line that is not wrapped, so that it can be pasted. What a reader should know is below
 * it: an interactive zsh takes a comment for arguments.
 */
export function answerLines(
  plan: Pick<Plan, "changes" | "refusals" | "about">,
  given: readonly string[],
  { paint, symbols }: Style,
): readonly string[] {
  return answersOf(plan, given, symbols.ellipsis).flatMap(({ label, text, remark }) => [
    `${paint("bold", `${label}:`)}${" ".repeat(8 - label.length)}${text}`,
    ...(remark === "" ? [] : [paint("dim", `         ${remark}`)]),
  ]);
}

/**
 * How to undo what happened, accept it or leave it alone.
 * `given`: the options of this run that select the workspace and its values.
 */
export function answersOf(
  plan: Pick<Plan, "changes" | "refusals" | "about">,
  given: readonly string[],
  reason: string,
): readonly Answer[] {
  const words = given.map(shellWord);
  const name = (change: PlannedChange) => shellWord(change.address);
  const commands = [
    { label: "Undo", command: "apply", naming: (one: PlannedChange) => `--only ${name(one)}`, rest: [] },
    { label: "Accept", command: "adopt", naming: name, rest: [] },
    {
      label: "Mute",
      command: "ack",
      naming: name,
      rest: ["--until", mutedUntil(plan), "--reason", reason],
    },
  ] as const;
  const answers = commands.flatMap(({ label, command, naming, rest }) => {
    const of = plan.changes.filter((change) => answersTo(change, plan).includes(label));
    if (of.length === 0) return [];
    // The first to be applied needs none of the others.
    const shown = of.length > mostNamed ? of.toSorted((a, b) => a.phase - b.phase).slice(0, 1) : of;
    const text = ["setpoint", command, ...shown.map(naming), ...rest, ...words].join(" ");
    const more = of.length - shown.length;
    const remark = more > 0 ? `and ${grouped(more)} more${command === "ack" ? "" : "; for all, name none"}` : "";
    return [{ label, text, remark }];
  });
  const declared = plan.changes.filter(({ happened, place }) => happened !== undefined && place !== undefined);
  return [...answers, ...answersByHand(declared)];
}

/** The answers to what happened whose commands work for a change. */
export function answersTo(
  change: PlannedChange,
  { refusals }: Pick<Plan, "refusals">,
): readonly ("Undo" | "Accept" | "Mute")[] {
  const { action, verdict, happened, place, repeated } = change;
  if (happened === undefined) return [];
  const canUndo = refusals.length === 0 && action !== "check";
  const isWritable = place !== undefined && repeated === undefined;
  return [
    ...(canUndo ? (["Undo"] as const) : []),
    ...(isWritable && isAdoptable(change) ? (["Accept"] as const) : []),
    // A change that the manifests made too is a conflict, which cannot be muted.
    ...(isWritable && verdict === "drift" ? (["Mute"] as const) : []),
  ];
}

/** The answer for repeated documents, which no command can rewrite for only one of their resources. */
function answersByHand(declared: readonly PlannedChange[]): readonly Answer[] {
  const repeated = declared.flatMap(({ place, repeated: isRepeated }) => (isRepeated && place ? [place] : []));
  const [text, ...others] = new Set(repeated.map(({ file, line }) => `${file}:${line}`));
  if (text === undefined) return [];
  const more = others.length === 0 ? "" : `and ${counted(others.length, "more document")}, `;
  const remark = `${more}forEach: adopt writes it only if all its resources changed alike`;
  return [{ label: "By hand", text, remark }];
}

/** Whether `adopt` can write the live values into the manifest: it has to state the fields. */
function isAdoptable({ action, fields }: PlannedChange): boolean {
  if (fields.length === 0) return false;
  return action === "update" || (action === "check" && fields.every((field) => field.place !== undefined));
}
