import { whyUnsent } from "../../clients/http/outcome.ts";
import { type PlannedCall, withParts } from "../../core/call.ts";
import { firstProblem, type Problem, type ProblemCode, ProblemError } from "../../core/problem.ts";
import type { Address } from "../../core/resource.ts";
import { type CallOutcome, leftBy, type Outcome, type Report } from "../../core/run/outcome.ts";
import type { Plan } from "../../core/run/plan.ts";
import type { Service } from "../../core/service.ts";
import { defined } from "../../core/text/json.ts";
import { withRun } from "../../core/trigger.ts";
import type { Declarations } from "../../planner/subjects.ts";
import {
  type Before,
  type Journal,
  type JournalEntry,
  undeliveredAfter,
  undeliveredOf,
  unsentCodes,
  type WatchedJournal,
} from "../journal/journal.ts";
import { startEach } from "../observe/observe.ts";
import { deliver } from "../secrets/deliver.ts";
import type { SinkOpener } from "../secrets/sink.ts";
import { openReaders, type Sessions } from "../sessions.ts";
import { bystanders, isUndecided, moved, outcomesOf, reread, staleLanes, toVerify, undone } from "./verify.ts";

/** The inputs of an apply other than the plan. */
export interface ApplyInput extends Omit<Execution, "stale" | "settle"> {
  readonly run: string;
  /** Who applies. */
  readonly by: string;
  readonly declarations: Declarations;
  /** What earlier runs left undelivered, in all environments: see `undeliveredAfter`. */
  readonly undelivered: ReadonlySet<string>;
  /** The services of the workspace. */
  readonly services: readonly Service[];
  /** The state before each change: a way back is planned from it. */
  readonly before: readonly Before[];
  readonly journal: WatchedJournal;
  /** Whether to check first that nothing has moved since the plan was made. */
  readonly recheck: boolean;
  /** Whether nothing is sent, and SP4003 thrown, if something has moved. */
  readonly allOrNothing: boolean;
}

/** Executes a plan, reads again what it touched, and reports the outcome of every change. */
export async function applyPlan(plan: Plan, input: ApplyInput): Promise<Report> {
  const { declarations, sessions, run, journal, before: seen, by, undelivered, services } = input;
  const declaredNow = () => ({
    ...declarations,
    undelivered: undeliveredOf(undeliveredAfter(undelivered, journal.entries), services),
  });
  const start: JournalEntry = { event: "start", run, by, calls: plan.calls.length, undelivered: [...undelivered] };
  const stale = input.recheck
    ? await staleLanes(plan, declarations, openReaders(sessions))
    : new Map<string, Problem>();
  if (input.allOrNothing && [...stale.values()].includes(moved)) throw new ProblemError(moved);
  await Promise.all([start, ...seen].map(journal.write));
  const execution: Execution = {
    ...input,
    stale,
    settle: async (addresses) => {
      const decisions = await reread(declaredNow(), addresses, openReaders(sessions));
      return new Set(addresses.filter((address) => decisions.get(address)?.is === "in sync"));
    },
  };
  const calls = await execute(plan, execution);
  const beside = bystanders(plan, calls, declarations);
  const toRead = [...toVerify(plan, calls), ...beside.map(({ address }) => address)];
  const decisions = await reread(declaredNow(), toRead, openReaders(sessions));
  const outcomes = outcomesOf(plan, calls, decisions);
  const lost = undone(beside, decisions);
  const triggers = await sendTriggers(plan, outcomes, lost, run, execution);
  await note(execution, { event: "end", outcomes });
  const requests = Object.fromEntries([...sessions].map(([service, session]) => [service, { ...session.requests }]));
  const sent = triggers.length === 0 ? {} : { triggers };
  const unwritten = journalProblem(journal, plan);
  const all = [...lost, ...(unwritten === undefined ? [] : [unwritten])];
  const problems = all.length === 0 ? {} : { problems: all };
  return { version: 1, run, journal: journal.path, plan, calls, outcomes, ...sent, requests, ...problems };
}

/** Returns the problem of a journal that could not be written, with the outcomes that it lacks and the new secrets in doubt. */
function journalProblem({ failed, lacking }: WatchedJournal, { calls }: Plan): Problem | undefined {
  const [problem] = failed.reason instanceof ProblemError ? failed.reason.problems : [];
  if (problem === undefined || lacking.length === 0) return problem;
  const which = lacking.length === 1 ? "call" : "calls";
  const secrets = withParts(calls).filter(({ id, deliver }) => deliver !== undefined && lacking.includes(id));
  const doubted = secrets.flatMap(({ carries }) => carries);
  const again =
    doubted.length === 0
      ? ""
      : ` The next apply replaces the new secret of ${doubted.join(", ")}, unless the service confirms that its sink holds it.`;
  return { ...problem, message: `${problem.message} It has no outcome for ${which} ${lacking.join(", ")}.${again}` };
}

/** The inputs of an execution other than the plan. */
export interface Execution {
  readonly sessions: Sessions;
  readonly journal: Pick<Journal, "write">;
  /** Milliseconds on a clock that only goes forward. */
  readonly clock: () => number;
  /** Once aborted, no more calls are sent; those under way end. Skipped calls have its reason if it is a `ProblemError`. */
  readonly stopping: AbortSignal;
  /** Lanes that are not as the plan saw them, to which nothing is sent, and why. */
  readonly stale: ReadonlyMap<string, Problem>;
  /** Calls that are not sent, by id, and why. */
  readonly withheld?: ReadonlyMap<number, Problem>;
  /** Opens the sink of a new secret, before the call that creates the secret is sent. */
  readonly openSink: SinkOpener;
  /** Returns which resources of undecided calls are as desired after all. Called before their dependents run. */
  readonly settle: (addresses: readonly Address[]) => Promise<ReadonlySet<Address>>;
}

/**
 * Sends the calls of the plan and no others: phase by phase, lanes concurrently, the calls of a lane in order. A call that is
 * refused as a whole is followed by its parts. After a failed call, the other calls of its resources and everything that
 * depends on them are skipped; everything else goes on.
 */
export async function execute(plan: Plan, execution: Execution): Promise<readonly CallOutcome[]> {
  const blocked = new Set<Address>();
  const needs = new Map(plan.changes.map(({ address, dependsOn }) => [address, dependsOn]));
  const actions = new Map(plan.changes.map(({ address, action }) => [address, action]));
  /** Returns the resources that a call requires: those it carries, and those that they depend on. */
  const needsOf = ({ carries }: PlannedCall) => carries.flatMap((address) => [address, ...(needs.get(address) ?? [])]);
  const blockerOf = (call: PlannedCall) => needsOf(call).find((address) => blocked.has(address));
  /** The last phase in which a resource is needed. */
  const neededUntil = new Map<Address, number>();
  for (const call of plan.calls)
    for (const address of needsOf(call)) neededUntil.set(address, Math.max(call.phase, neededUntil.get(address) ?? 0));
  const outcomes: CallOutcome[] = [];
  for (const [now, calls] of [...Map.groupBy(plan.calls, ({ phase }) => phase)].sort(([a], [b]) => a - b)) {
    const undecided: Address[] = [];
    const runLane = async (lane: readonly PlannedCall[]) => {
      for (const call of lane) {
        const outcome = await send(call, blockerOf(call), execution);
        outcomes.push(outcome);
        if (outcome.result === "divided") await runLane(call.parts ?? []);
        else if (outcome.result !== "done") for (const address of call.carries) blocked.add(address);
        undecided.push(...call.carries.filter((address) => isUndecided(outcome, actions.get(address))));
      }
    };
    const lanes = Map.groupBy(Map.groupBy(calls, ({ lane }) => lane).values(), ([first]) => first?.service ?? "");
    const roomOf = (service: string) => async () => execution.sessions.get(service)?.room?.();
    await Promise.all([...lanes].map(([service, own]) => startEach(own, runLane, roomOf(service))));
    const needed = undecided.filter((address) => (neededUntil.get(address) ?? 0) > now);
    if (needed.length > 0) for (const address of await execution.settle(needed)) blocked.delete(address);
  }
  return outcomes.sort((a, b) => a.id - b.id);
}

/** Sends the plan's triggers, one after the other, if everything that the plan found was applied and verified, and nothing was undone. */
async function sendTriggers(
  plan: Plan,
  outcomes: readonly Outcome[],
  problems: readonly Problem[],
  run: string,
  execution: Execution,
): Promise<readonly CallOutcome[]> {
  const [left] = leftBy(plan, { outcomes, problems });
  const sent: CallOutcome[] = [];
  for (const call of plan.triggers ?? [])
    sent.push(await send({ ...call, args: withRun(call.args, run) }, left?.address, execution));
  return sent;
}

async function send(call: PlannedCall, blocker: Address | undefined, execution: Execution): Promise<CallOutcome> {
  const { journal, clock, sessions, stopping, openSink } = execution;
  const { id, service, operation, deliver: delivery } = call;
  const finish = async (outcome: Omit<CallOutcome, "id">, problem: Problem | undefined) => {
    const said = { id, ...outcome, ...defined({ problem: problem && { service, operation, ...problem } }) };
    await note(execution, { event: "outcome", outcome: said });
    return said;
  };
  const reason = reasonAgainst(call, blocker, execution);
  if (reason !== undefined) return finish({ result: "skipped", duration: 0 }, reason);
  const session = sessions.get(service);
  if (session === undefined) throw new Error(`No session for ${service}: plans name services of their workspace.`);
  const start = clock();
  try {
    const sink = delivery && (await openSink(delivery.to));
    await journal.write({ event: "intent", call });
    if (stopping.aborted) throw new ProblemError(whyUnsent(stopping));
    const answer = await session.call(operation, call.args);
    if (delivery && sink) await deliver({ ...call, deliver: delivery }, answer, sink, session, journal);
    return finish({ result: "done", duration: clock() - start }, undefined);
  } catch (error) {
    const problem = firstProblem(error);
    return finish({ result: resultOf(call, problem), duration: clock() - start }, problem);
  }
}

/** Returns why a call is not made; undefined if it is. */
function reasonAgainst(
  { id, lane }: PlannedCall,
  blocker: Address | undefined,
  { withheld, stale, stopping }: Execution,
): Problem | undefined {
  const held = withheld?.get(id);
  if (held !== undefined) return held;
  if (blocker !== undefined) return { code: "SP4002", message: `It needs ${blocker}, which was not applied.` };
  return stale.get(lane) ?? (stopping.aborted ? whyUnsent(stopping) : undefined);
}

/**
 * Refusals that mean that nothing was done because of the content, so that a part might succeed. A call refused for missing
 * permissions, too many requests or a concurrent change would get the same answer again.
 */
const divisible: ReadonlySet<ProblemCode> = new Set(["SP3005", "SP3007"]);

const unsent: ReadonlySet<ProblemCode> = new Set(unsentCodes);

function resultOf({ parts = [] }: PlannedCall, { code }: Problem): CallOutcome["result"] {
  if (code === "SP3105") return "lost";
  if (unsent.has(code)) return "skipped";
  return parts.length > 0 && divisible.has(code) ? "divided" : "failed";
}

/** Writes an entry about what has already happened. The report has it too, so a failing journal does not stop calls under way. */
async function note({ journal }: Pick<Execution, "journal">, entry: JournalEntry): Promise<void> {
  try {
    await journal.write(entry);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
  }
}
