import { z } from "zod";
import { interrupted } from "../../clients/http/outcome.ts";
import { type Problem, ProblemError } from "../../core/problem.ts";
import { listOf } from "../../core/readonly.ts";
import { Address } from "../../core/resource.ts";
import { CallOutcome, Outcome } from "../../core/run/outcome.ts";
import type { PastRun } from "../../core/run/past-run.ts";
import { defined, isObject } from "../../core/text/json.ts";
import { nearest, quote, someOf } from "../../core/text/words.ts";
import { isUndecided } from "../apply/verify.ts";
import { BeforeEntry, journalLines, type Lines, type Past, type Runs, unsentCodes } from "./journal.ts";

const IntentEntry = z.object({
  event: z.literal("intent"),
  call: z.object({ id: z.int(), service: z.string(), operation: z.string(), carries: listOf(Address) }),
});

const problem = z.object({ code: z.string(), message: z.string() }).optional().catch(undefined);

const PastOutcome = z.object({ id: z.int(), result: CallOutcome.unwrap().shape.result, problem });

const OutcomeEntry = z.object({ event: z.literal("outcome"), outcome: PastOutcome });

/** The entries from which a way back is planned. */
const SentEntry = z.discriminatedUnion("event", [BeforeEntry, IntentEntry, OutcomeEntry]);

/** The parts of a journal's entries that are shown. Everything else is ignored, most of all states, which are large. */
const PastEntry = z.discriminatedUnion("event", [
  z.object({ event: z.literal("start"), run: z.string(), at: z.string().optional(), by: z.string().optional() }),
  BeforeEntry.pick({ event: true, address: true, action: true }),
  IntentEntry,
  OutcomeEntry,
  z.object({
    event: z.literal("end"),
    outcomes: z.array(z.object({ address: Address, result: Outcome.unwrap().shape.result, problem })),
  }),
]);

/** Returns all runs that have journals, the newest first. */
export function pastRuns(past: readonly Past[]): readonly PastRun[] {
  return past.map(pastRun).toReversed();
}

/** Returns the run of this name. Throws `ProblemError` SP1018. */
export function findRun(runs: Pick<Runs, "past">, name: string): Past {
  const past = runs.past((text, journal) => journalLines(journal === name ? text : ""));
  const found = past.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = past.map((one) => one.name);
  const meant = nearest(name, names);
  throw new ProblemError({
    code: "SP1018",
    message: `There is no journal of a run ${quote(name)} in .setpoint/runs.`,
    hint:
      past.length === 0
        ? "Nothing was applied in this workspace folder yet. A run is reverted where it was applied, or where its .setpoint/runs was kept."
        : `\`setpoint runs\` lists them.${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
  });
}

/** What a run saw before a change. */
export interface SeenChange extends BeforeEntry {
  /** The line of the journal. */
  readonly line: number;
  /** Whether the run cannot have changed anything: each call was refused, or never sent. */
  readonly isUndone: boolean;
}

/** Returns what a run saw before each change. */
export function seenChanges({ lines }: Past): readonly SeenChange[] {
  const entries = lines.entries.map((entry) => SentEntry.safeParse(entry).data);
  const outcomes = new Map(
    entries.flatMap((entry) => (entry?.event === "outcome" ? [[entry.outcome.id, entry.outcome]] : [])),
  );
  const calls = entries.flatMap((entry) => (entry?.event === "intent" ? [entry.call] : []));
  const byAddress = Map.groupBy(
    calls.flatMap(({ id, carries }) => carries.map((address) => ({ address, outcome: outcomes.get(id) }))),
    ({ address }) => address,
  );
  return entries.flatMap((entry, index): readonly SeenChange[] => {
    if (entry?.event !== "before") return [];
    const sent = byAddress.get(entry.address) ?? [];
    const isUndone = sent.every(({ outcome }) => outcome !== undefined && hadNoEffect(outcome, entry.action));
    return [{ ...entry, line: lineOf(lines, index), isUndone }];
  });
}

/** Returns the numbers of the lines of which nothing can be reverted: those that are no entries, and those that lack what they are about. */
export function unrevertedLines({ lines }: Past): readonly number[] {
  const lacking = lines.entries.flatMap((entry, index) => {
    const isOfChange = isObject(entry) && (entry.event === "before" || entry.event === "intent");
    return isOfChange && !SentEntry.safeParse(entry).success ? [lineOf(lines, index)] : [];
  });
  return [...lines.damaged, ...lacking].sort((a, b) => a - b);
}

function lineOf({ damaged }: Lines, index: number): number {
  return damaged.reduce((line, one) => (one <= line ? line + 1 : line), index + 1);
}

/** Whether a call did nothing. One whose new secret was not delivered has created it. */
function hadNoEffect(outcome: z.infer<typeof PastOutcome>, action: BeforeEntry["action"]): boolean {
  const { result, problem } = outcome;
  if (result === "failed") return problem?.code !== "SP4005" && !isUndecided(outcome, action);
  return result === "skipped" || result === "divided";
}

/** Returns what a journal says about its run. */
export function pastRun({ name, lines }: Past): PastRun {
  const read = lines.entries.map((entry) => PastEntry.safeParse(entry).data);
  const entries = read.filter((entry) => entry !== undefined);
  const start = entries.find((entry) => entry.event === "start");
  const end = entries.find((entry) => entry.event === "end");
  const outcomes = entries.flatMap((entry) => (entry.event === "outcome" ? [entry.outcome] : []));
  const ended = new Set(outcomes.map(({ id }) => id));
  const intents = entries.flatMap((entry) => (entry.event === "intent" ? [entry.call] : []));
  const actions = new Map(
    entries.flatMap((entry) => (entry.event === "before" ? [[entry.address, entry.action] as const] : [])),
  );
  const sent = [...new Set(intents.flatMap(({ carries }) => carries))];
  const open = intents.filter(({ id }) => !ended.has(id));
  // A call in the journal may still have waited for its turn to be sent.
  const unsure = new Set(open.flatMap(({ carries }) => carries));
  const resultOf = (address: Address) => (unsure.has(address) ? "unknown" : "sent");
  const results = end?.outcomes ?? sent.map((address) => ({ address, result: resultOf(address) }));
  return {
    run: start?.run ?? name,
    ...defined({ at: start?.at, by: start?.by }),
    state: end === undefined ? "open" : outcomes.some(wasStopped) ? "stopped" : "ended",
    torn: lines.torn,
    damaged: lines.damaged,
    changes: results.map((one) => ({ ...one, ...defined({ action: actions.get(one.address) }) })),
    open,
  };
}

const unsent: ReadonlySet<string> = new Set(unsentCodes);

/** Whether a call was no longer sent, or its answer was cut off by an interrupt. */
function wasStopped({ result, problem }: z.infer<typeof PastOutcome>): boolean {
  if (problem === undefined) return false;
  return result === "skipped"
    ? unsent.has(problem.code)
    : result === "lost" && problem.message.endsWith(interrupted.message);
}

/**
 * Returns a warning, SP5007, for each damaged journal: a secret that it mentions may be live and not delivered, and neither a
 * plan nor an apply knows of it.
 */
export function damageIn(past: readonly Past[]): readonly Problem[] {
  return past
    .filter(({ lines }) => lines.damaged.length > 0)
    .map(
      ({ name, lines: { damaged } }): Problem => ({
        code: "SP5007",
        message: `The journal of the run ${name} is damaged, or was written by a newer setpoint, in line ${someOf(damaged)}: a secret that the run renewed may not have been delivered, and no plan knows of it.`,
        hint: `See setpoint runs ${name}, check its secrets, then remove .setpoint/runs/${name}.jsonl.`,
      }),
    );
}
