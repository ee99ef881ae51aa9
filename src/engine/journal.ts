import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { PlannedCall } from "../core/call.ts";
import type { Observation, Writable } from "../core/change.ts";
import { isObject, type JsonObject, jsonIn } from "../core/json.ts";
import { CallOutcome, type Outcome } from "../core/outcome.ts";
import { ProblemError } from "../core/problem.ts";
import { listOf } from "../core/readonly.ts";
import type { Address } from "../core/resource.ts";
import type { Service } from "../core/service.ts";

/** What was there before a change, and what the change was to leave, as specifications without secrets. */
export interface Before {
  readonly address: Address;
  readonly service: string;
  readonly kind: string;
  readonly action: Writable["action"];
  /** Left out if nothing was there. */
  readonly live?: JsonObject;
  /** Left out if nothing was to be left. */
  readonly desired?: JsonObject;
  /** The top-level fields that were to change, of an update. */
  readonly fields?: readonly string[];
  /** Why only a person can undo it, if that is so. */
  readonly needsPerson?: string;
}

/** One line of a journal. Secrets in calls are references, as in the plan. */
export type Entry =
  | {
      readonly event: "start";
      readonly run: string;
      readonly calls: number;
      /** Who ran it, as far as the machine tells. */
      readonly by?: string;
      /** What earlier runs left undelivered: their journals need not be kept for it. */
      readonly undelivered?: readonly Address[];
    }
  | ({ readonly event: "before" } & Before)
  | { readonly event: "intent"; readonly call: PlannedCall }
  | { readonly event: "outcome"; readonly outcome: CallOutcome }
  /** A new secret that could not be delivered is revoked; `id` is that of the call that made it. */
  | { readonly event: "take back"; readonly id: number; readonly operation: string; readonly args: JsonObject }
  | { readonly event: "end"; readonly outcomes: readonly Outcome[] };

/** Problems that a call has only if it was not sent: an interrupt, a journal that cannot be written, a lease that was lost. */
export const unsentCodes = ["SP5003", "SP5004", "SP5006"] as const;

/** An append-only file of JSON lines that says, after a crash too, what was about to happen and what did. */
export interface Journal {
  readonly path: string;
  /**
   * Resolves once the entry is on disk, and with it all entries before it. An outcome is handed to the system: it is on disk
   * with the next entry that is none. @see docs/decisions/journal.md
   *
   * Rejects with `ProblemError` SP5004 if the entry cannot be written; then every later one is rejected too.
   */
  write(entry: Entry): Promise<void>;
  close(): Promise<void>;
}

/** A journal of this run, with what became of it. */
export interface WatchedJournal extends Journal {
  /** What was written so far, and every outcome. */
  readonly entries: readonly Entry[];
  /** Aborted once an entry could not be written; the reason is the `ProblemError`. */
  readonly failed: AbortSignal;
  /** Calls that were sent and whose outcomes it lacks. */
  readonly lacking: readonly number[];
}

/** Watches a journal. */
export function watched(journal: Journal): WatchedJournal {
  const entries: Entry[] = [];
  const lacking: number[] = [];
  const failure = new AbortController();
  return {
    path: journal.path,
    entries,
    lacking,
    failed: failure.signal,
    close: () => journal.close(),
    async write(entry) {
      try {
        await journal.write(entry);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        if (entry.event === "outcome" && entry.outcome.result !== "skipped") lacking.push(entry.outcome.id);
        // What was to happen does not; what has happened has, whoever knows of it.
        if (entry.event === "outcome") entries.push(entry);
        failure.abort(error);
        throw error;
      }
      entries.push(entry);
    },
  };
}

/** How many calls are under way: of those without an outcome, no more than the service takes at once. */
export function callsUnderWay(entries: readonly Entry[], services: readonly Service[]): number {
  const ended = new Set(entries.flatMap((entry) => (entry.event === "outcome" ? [entry.outcome.id] : [])));
  const sent = entries.flatMap((entry) => (entry.event === "intent" && !ended.has(entry.call.id) ? [entry.call] : []));
  const open = Map.groupBy(sent, ({ service }) => service);
  return services.reduce((sum, { name, limits }) => sum + Math.min(open.get(name)?.length ?? 0, limits.concurrency), 0);
}

/** Where the runs of a workspace leave their journals. */
export interface Runs {
  /** The name of the newest journal, if there is one. */
  newest(): string | undefined;
  /** Opens the journal of a new run. Throws the file system's error if it cannot be written. */
  open(run: string): Journal;
  /** The journals of all runs, the oldest first. */
  past(): readonly Past[];
}

/**
 * A name for a run that begins now. It comes after that of the newest journal also if the clock was ahead, or is behind: what the
 * later run says of a secret counts.
 */
export function runName(newest: string | undefined, now: Date): string {
  const [, hour, minute, second] = /^(.{10}T\d\d)(\d\d)(\d\d)Z/.exec(newest ?? "") ?? [];
  const before = Date.parse(`${hour}:${minute}:${second}Z`);
  const moment = before > now.getTime() ? new Date(before + 1000) : now;
  return `${moment.toISOString().replace(/\.\d+Z$/, "Z")}-${randomBytes(2).toString("hex")}`;
}

/** The journal of a run, as it was found. */
export interface Past {
  /** The run, as its journal is named. */
  readonly name: string;
  readonly lines: Lines;
}

/** The lines of a journal. */
export interface Lines {
  /** What each whole line says, in order. */
  readonly entries: readonly unknown[];
  /** Whether the last line is incomplete: the run was killed while it wrote. Nothing was sent after it. */
  readonly torn: boolean;
  /** Lines before the last one that are no entries, counted from 1: somebody, or the disk, damaged the file. */
  readonly damaged: readonly number[];
}

/** Reads the text of a journal. */
export function linesOf(text: string): Lines {
  const lines = text.split("\n").map(parsed);
  // What follows the last newline: nothing, or a line that was not ended.
  const rest = text.endsWith("\n") || text === "" ? undefined : lines.at(-1);
  const whole = lines.slice(0, -1);
  return {
    entries: [...whole, rest].filter((entry) => entry !== undefined),
    torn: text !== "" && !text.endsWith("\n") && rest === undefined,
    damaged: whole.flatMap((entry, index) => (entry === undefined ? [index + 1] : [])),
  };
}

const Intent = z.object({
  event: z.literal("intent"),
  call: z.object({ id: z.int(), carries: listOf(z.string()), deliver: z.looseObject({}) }),
});
/** When an entry was written. Journals have it, what a run keeps in memory has not. */
const at = z.string().optional();
const Result = z.object({
  at,
  event: z.literal("outcome"),
  outcome: z.object({
    id: z.int(),
    result: CallOutcome.unwrap().shape.result,
    problem: z.object({ code: z.string() }).optional(),
  }),
});
const Start = z.object({ at, event: z.literal("start"), undelivered: listOf(z.string()) });

/** What an entry tells of a secret's way; most tell nothing of it. */
function stepOf(entry: unknown): z.infer<typeof Start | typeof Intent | typeof Result> | undefined {
  if (!isObject(entry)) return undefined;
  switch (entry.event) {
    case "start":
      return Start.safeParse(entry).data;
    case "intent":
      // Looked at first, because a mistake is described at length before it is left aside.
      return isObject(entry.call) && entry.call.deliver !== undefined ? Intent.safeParse(entry).data : undefined;
    case "outcome":
      return Result.safeParse(entry).data;
    default:
      return undefined;
  }
}

/** Failures after which the new secret may exist all the same: of a request that arrives twice the copy is refused. */
const unsure: ReadonlySet<string> = new Set(["SP3007", "SP3009", "SP3101", "SP3103", "SP3104", "SP4005", "SP5003"]);

/**
 * The resources whose new secret may never have reached its sink, after the entries of one run: it was requested, and
 * that it was delivered is not in the journal. `deliveredAt` is filled with when each was delivered: the runs of one machine share it.
 */
export function undeliveredAfter(
  before: ReadonlySet<Address>,
  entries: readonly unknown[],
  deliveredAt = new Map<Address, string>(),
): ReadonlySet<Address> {
  const undelivered = new Set(before);
  const asked = new Map<number, readonly Address[]>();
  for (const entry of entries) {
    const step = stepOf(entry);
    if (step?.event === "start")
      // A run of another service may have been about to deliver it, and has done so since.
      for (const address of step.undelivered)
        if (step.at === undefined || step.at >= (deliveredAt.get(address) ?? "")) undelivered.add(address);
    if (step?.event === "intent") {
      asked.set(step.call.id, step.call.carries);
      for (const address of step.call.carries) undelivered.add(address);
    }
    if (step?.event === "outcome") {
      const { at = "", outcome } = step;
      const { id, result, problem } = outcome;
      const isRefused = result === "skipped" || (result === "failed" && !unsure.has(problem?.code ?? "SP3009"));
      for (const address of asked.get(id) ?? [])
        if (result === "done" || (isRefused && !before.has(address))) {
          undelivered.delete(address);
          deliveredAt.set(address, at);
        }
    }
  }
  return undelivered;
}

/** Resources whose new secret an earlier run requested and may not have delivered. */
export function undeliveredIn(past: readonly Past[]): ReadonlySet<Address> {
  const deliveredAt = new Map<Address, string>();
  return past.reduce<ReadonlySet<Address>>(
    (before, { lines }) => undeliveredAfter(before, lines.entries, deliveredAt),
    new Set(),
  );
}

/** An entry: an object that names its event. An entry that this version cannot know names another version. */
function parsed(line: string): object | undefined {
  const entry = jsonIn(line);
  return isObject(entry) && typeof entry.event === "string" && (entry.version ?? 1) === 1 ? entry : undefined;
}

/** What is seen of a resource whose secret was not delivered: as it is, but without its sink. */
export function withoutDelivery(observation: Observation): Observation {
  if (observation.is !== "present" || !isObject(observation.spec)) return observation;
  const { deliver: _notThere, ...spec } = observation.spec;
  return { ...observation, spec, note: "the last run did not deliver it" };
}
