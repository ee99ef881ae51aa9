import type { Report } from "../core/outcome.ts";
import type { Plan } from "../core/plan.ts";
import type { Declarations } from "../planner/subjects.ts";
import { execute } from "./execute.ts";
import type { Entry, Journal } from "./journal.ts";
import { openReaders } from "./observe.ts";
import type { SinkOpener } from "./secrets/sink.ts";
import { undeliveredAfter } from "./secrets/undelivered.ts";
import type { RequestCount, Sessions } from "./session.ts";
import { outcomesOf, reread, staleLanes, toVerify } from "./verify.ts";

/** What an apply needs besides the plan. */
export interface ApplyInput {
  readonly run: string;
  readonly declarations: Declarations;
  readonly sessions: Sessions;
  readonly journal: Journal;
  readonly openSink: SinkOpener;
  readonly clock: () => number;
  readonly signal: AbortSignal;
  /** Whether to look first if the world moved since the plan was made. */
  readonly recheck: boolean;
}

/** Executes a plan, reads what it touched again, and reports what became of every change. */
export async function apply(plan: Plan, input: ApplyInput): Promise<Report> {
  const { declarations, sessions, run } = input;
  const entries: Entry[] = [];
  const journal: Journal = {
    ...input.journal,
    write(entry) {
      input.journal.write(entry);
      entries.push(entry);
    },
  };
  const declaredNow = () => ({
    ...declarations,
    undelivered: undeliveredAfter(declarations.undelivered ?? new Set(), entries),
  });
  const before = counts(sessions);
  journal.write({ event: "start", run, calls: plan.calls.length });
  const stale = input.recheck ? await staleLanes(plan, declarations, openReaders(sessions)) : new Set<string>();
  const calls = await execute(plan, {
    ...input,
    journal,
    stale,
    settle: async (addresses) => {
      const decisions = await reread(declaredNow(), addresses, openReaders(sessions));
      return new Set(addresses.filter((address) => decisions.get(address)?.is === "in sync"));
    },
  });
  const decisions = await reread(declaredNow(), toVerify(plan, calls), openReaders(sessions));
  const outcomes = outcomesOf(plan, calls, decisions);
  journal.write({ event: "end", outcomes });
  const requests = Object.fromEntries(
    [...counts(sessions)].map(([service, { reads, writes }]) => {
      const start = before.get(service) ?? { reads: 0, writes: 0 };
      return [service, { reads: reads - start.reads, writes: writes - start.writes }];
    }),
  );
  return { version: 1, run, journal: journal.path, plan, calls, outcomes, requests };
}

function counts(sessions: Sessions): ReadonlyMap<string, RequestCount> {
  return new Map([...sessions].map(([service, { requests }]) => [service, { ...requests }]));
}
