import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { PlannedCall } from "../../core/call.ts";
import type { Observation } from "../../core/change.ts";
import { ProblemError } from "../../core/problem.ts";
import { listOf, mapOf } from "../../core/readonly.ts";
import { Address } from "../../core/resource.ts";
import { CallOutcome, type Outcome } from "../../core/run/outcome.ts";
import type { Service } from "../../core/service.ts";
import { isObject, Json, type JsonObject } from "../../core/text/json.ts";
import { jsonIn } from "../../core/text/json-text.ts";

const Fields = mapOf(Json);

/** The states before and after a change, as specifications without secrets. */
export const BeforeEntry = z.object({
  event: z.literal("before"),
  address: Address,
  service: z.string(),
  /** The address of the service, which another environment has elsewhere. */
  url: z.string().optional(),
  kind: z.string(),
  action: z.enum(["create", "update", "delete"]),
  /** The state before; left out if the object did not exist. */
  live: Fields.optional(),
  /** The state after; left out if the object was to be deleted. */
  desired: Fields.optional(),
  /** The top-level fields that an update was to change. */
  fields: listOf(z.string()).default([]),
  /** Why only a person can undo it; left out if a plan can. */
  needsPerson: z.string().optional(),
});
export type BeforeEntry = z.infer<typeof BeforeEntry>;

/** The same before it is written. */
export type Before = z.input<typeof BeforeEntry>;

/** One line of a journal. Secrets in calls are references, as in the plan. */
export type JournalEntry =
  | {
      readonly event: "start";
      readonly run: string;
      readonly calls: number;
      /** Who ran it, if known. */
      readonly by?: string;
      /** Secrets that earlier runs left undelivered, so that their journals need not be kept: see `undeliveredAfter`. */
      readonly undelivered?: readonly string[];
    }
  | Before
  | { readonly event: "intent"; readonly call: PlannedCall }
  | { readonly event: "outcome"; readonly outcome: CallOutcome }
  /** A new secret that could not be delivered is revoked; `id` is that of the call that created it. */
  | { readonly event: "take back"; readonly id: number; readonly operation: string; readonly args: JsonObject }
  | { readonly event: "end"; readonly outcomes: readonly Outcome[] };

/** Problems that mean that a call was not sent: an interrupt, a journal that cannot be written, a lost lease. */
export const unsentCodes = ["SP5003", "SP5004", "SP5006"] as const;

/** An append-only file of JSON lines that says, even after a crash, what was about to happen and what did. */
export interface Journal {
  readonly path: string;
  /**
   * Resolves once the entry and all entries before it are on disk. An outcome is only handed to the system: it is on disk with
   * the next entry that is not an outcome. @see docs/decisions/journal.md
   *
   * Rejects with `ProblemError` SP5004 if the entry cannot be written. Every later entry is then rejected too.
   */
  write(entry: JournalEntry): Promise<void>;
  close(): Promise<void>;
}

/** The journal of this run, with its entries and failures. */
export interface WatchedJournal extends Journal {
  /** The entries written so far, and every outcome, written or not. */
  readonly entries: readonly JournalEntry[];
  /** Aborted once an entry could not be written; the reason is the `ProblemError`. */
  readonly failed: AbortSignal;
  /** Calls that were sent and whose outcomes the journal lacks. */
  readonly lacking: readonly number[];
}

/** Watches a journal, which its first entry opens. */
export function watched(open: () => Journal): WatchedJournal {
  let journal: Journal | undefined;
  const entries: JournalEntry[] = [];
  const lacking: number[] = [];
  const failure = new AbortController();
  return {
    get path() {
      return journal?.path ?? "";
    },
    entries,
    lacking,
    failed: failure.signal,
    close: async () => journal?.close(),
    async write(entry) {
      try {
        journal ??= open();
        await journal.write(entry);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        if (entry.event === "outcome" && entry.outcome.result !== "skipped") lacking.push(entry.outcome.id);
        // An outcome has happened even if it is not written. Any other entry was only about to happen, and now does not.
        if (entry.event === "outcome") entries.push(entry);
        failure.abort(error);
        throw error;
      }
      entries.push(entry);
    },
  };
}

/** Counts the calls under way: those without an outcome, up to each service's concurrency limit. */
export function callsUnderWay(entries: readonly JournalEntry[], services: readonly Service[]): number {
  const ended = new Set(entries.flatMap((entry) => (entry.event === "outcome" ? [entry.outcome.id] : [])));
  const sent = entries.flatMap((entry) => (entry.event === "intent" && !ended.has(entry.call.id) ? [entry.call] : []));
  const open = Map.groupBy(sent, ({ service }) => service);
  return services.reduce((sum, { name, limits }) => sum + Math.min(open.get(name)?.length ?? 0, limits.concurrency), 0);
}

/** The place where the runs of a workspace leave their journals. */
export interface Runs {
  /** Returns the name of the newest journal, if any. */
  newest(): string | undefined;
  /** Opens the journal of a new run. Throws the file system's error if it cannot be written. */
  open(run: string): Journal;
  /** Reads the journals of all runs, the oldest first. `read` parses what is needed of one; the default is all of it. */
  past(read?: ReadLines): readonly Past[];
}

/**
 * Returns a name for a run that begins now. It sorts after the newest journal even if that is of the same second, or the clock
 * was ahead or is behind: what the later run says about a secret counts, and no two runs in a row have one name.
 */
export function runName(newest: string | undefined, now: Date): string {
  const [, hour, minute, second] = /^(.{10}T\d\d)(\d\d)(\d\d)Z/.exec(newest ?? "") ?? [];
  // Names have whole seconds.
  const next = Date.parse(`${hour}:${minute}:${second}Z`) + 1000;
  const moment = next > now.getTime() && next < Date.UTC(10_000) ? new Date(next) : now;
  return `${moment.toISOString().replaceAll(/:|\.\d+/g, "")}-${randomBytes(2).toString("hex")}`;
}

/** Parses the text of a journal, or what is needed of it. */
export type ReadLines = (text: string, name: string) => Lines;

/** The journal of a past run. */
export interface Past {
  /** The run's name, in the form of the journal's file name. */
  readonly name: string;
  readonly lines: Lines;
}

/** The lines of a journal. */
export interface Lines {
  /** The entries of all complete lines, in order. */
  readonly entries: readonly unknown[];
  /** Whether the last line is incomplete: the run was killed while it wrote. Nothing was sent after it. */
  readonly torn: boolean;
  /** Numbers, from 1, of lines before the last one that are not entries: someone, or the disk, damaged the file. */
  readonly damaged: readonly number[];
}

/** Parses the text of a journal. */
export function journalLines(text: string): Lines {
  const lines = text.split("\n").map(parsed);
  return {
    entries: lines.filter((entry) => entry !== undefined),
    torn: text !== "" && !text.endsWith("\n") && lines.at(-1) === undefined,
    // After the last newline is nothing, or an incomplete line.
    damaged: lines.slice(0, -1).flatMap((entry, index) => (entry === undefined ? [index + 1] : [])),
  };
}

const Intent = z.object({
  event: z.literal("intent"),
  call: z.object({ id: z.int(), carries: listOf(z.string()), deliver: z.looseObject({}) }),
});
/** When an entry was written. Entries in journals have it; entries in memory do not. */
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

/** Returns an entry as a step of a secret's delivery; undefined for most entries, which are none. */
function stepOf(entry: unknown): z.infer<typeof Start | typeof Intent | typeof Result> | undefined {
  if (!isObject(entry)) return undefined;
  switch (entry.event) {
    case "start":
      return Start.safeParse(entry).data;
    case "intent":
      // Checked first for speed: parsing would describe each failure at length only to discard it.
      return isObject(entry.call) && entry.call.deliver !== undefined ? Intent.safeParse(entry).data : undefined;
    case "outcome":
      return Result.safeParse(entry).data;
    default:
      return undefined;
  }
}

/** Failures after which the new secret may still exist: if a request arrives twice, the second copy is refused. */
const unsure: ReadonlySet<string> = new Set(["SP3007", "SP3009", "SP3101", "SP3103", "SP3104", "SP4005", "SP5003"]);

/** Returns a function that puts the URL of its service before an address, as the entries of one run say. */
function placesIn(entries: readonly unknown[]): (address: Address) => string {
  const seen = entries.flatMap((entry) => (isObject(entry) && entry.event === "before" ? [entry] : []));
  const urls = new Map(seen.map(({ address, url }) => [address, url]));
  return (address) => (urls.get(address) === undefined ? address : `${urls.get(address)} ${address}`);
}

/**
 * Returns the resources whose new secret may never have reached its sink, after the entries of one run: the secret was requested
 * and the journal has no delivery. Each is the URL of its service and its address, which is another object's in another
 * environment. Adds the time of each delivery to `deliveredAt`, which the runs of one machine share.
 */
export function undeliveredAfter(
  before: ReadonlySet<string>,
  entries: readonly unknown[],
  deliveredAt = new Map<string, string>(),
): ReadonlySet<string> {
  const undelivered = new Set(before);
  /** Those that were undelivered before this run, as earlier journals or its own start say. */
  const earlier = new Set(before);
  const asked = new Map<number, readonly string[]>();
  const placeOf = placesIn(entries);
  for (const step of entries.map(stepOf)) {
    switch (step?.event) {
      case "start":
        // A run of another service may have delivered it since this entry was written.
        for (const address of step.undelivered)
          if (step.at === undefined || step.at >= (deliveredAt.get(address) ?? "")) {
            undelivered.add(address);
            earlier.add(address);
          }
        break;
      case "intent":
        asked.set(step.call.id, step.call.carries.map(placeOf));
        for (const address of step.call.carries) undelivered.add(placeOf(address));
        break;
      case "outcome": {
        const { at = "", outcome } = step;
        const isSettled = (address: string) =>
          outcome.result === "done" || (isRefused(outcome) && !earlier.has(address));
        for (const address of (asked.get(outcome.id) ?? []).filter(isSettled)) {
          undelivered.delete(address);
          deliveredAt.set(address, at);
        }
        break;
      }
      case undefined:
    }
  }
  return undelivered;
}

/** Whether a call surely created no secret: it was not made, or the service refused it. */
function isRefused({ result, problem }: z.infer<typeof Result>["outcome"]): boolean {
  return result === "skipped" || (result === "failed" && !unsure.has(problem?.code ?? "SP3009"));
}

/** Returns the addresses of those of undelivered resources that belong to the given services. */
export function undeliveredOf(undelivered: ReadonlySet<string>, services: readonly Service[]): ReadonlySet<Address> {
  const addresses = [...undelivered].flatMap((one) => {
    const [, url, address = one] = /^(\w+:\/\/\S+) (.+)$/s.exec(one) ?? [];
    const service = services.find(({ name }) => address.startsWith(`${name}/`));
    return url === undefined || url === service?.url ? [address] : [];
  });
  return new Set(addresses);
}

/** Returns the resources whose new secret an earlier run requested and may not have delivered, as `undeliveredAfter`. */
export function undeliveredIn(past: readonly Past[]): ReadonlySet<string> {
  const deliveredAt = new Map<string, string>();
  return past.reduce<ReadonlySet<string>>(
    (before, { lines }) => undeliveredAfter(before, lines.entries, deliveredAt),
    new Set(),
  );
}

/** Parses an entry: an object that names its event. Undefined for anything else, including an entry of another version. */
function parsed(line: string): object | undefined {
  const entry = jsonIn(line);
  return isObject(entry) && typeof entry.event === "string" && (entry.version ?? 1) === 1 ? entry : undefined;
}

/** Returns the observation of a resource whose secret was not delivered: unchanged, but without its sink. */
export function withoutDelivery(observation: Observation): Observation {
  if (observation.is !== "present" || !isObject(observation.spec)) return observation;
  const { deliver: _notThere, ...spec } = observation.spec;
  return { ...observation, spec, note: "the last run did not deliver it" };
}
