import { join } from "node:path";
import { withParts } from "../core/call.ts";
import { fieldsIn } from "../core/change.ts";
import { once } from "../core/once.ts";
import { type Problem, ProblemError } from "../core/problem.ts";
import type { Address } from "../core/resource.ts";
import type { Plan, PlannedChange } from "../core/run/plan.ts";
import { sinkFiles } from "../core/sink.ts";
import { defined } from "../core/text/json.ts";
import { applyPlan } from "../engine/apply/apply.ts";
import { permitted } from "../engine/apply/permit.ts";
import { moved } from "../engine/apply/verify.ts";
import {
  type Before,
  callsUnderWay,
  runName,
  undeliveredIn,
  undeliveredOf,
  watched,
} from "../engine/journal/journal.ts";
import { linesOnSecrets } from "../engine/journal/journal-file.ts";
import { whoRuns } from "../engine/locks/holder.ts";
import { leased } from "../engine/locks/lease.ts";
import type { Looked } from "../engine/observe/look.ts";
import { heldReader } from "../engine/secrets/sink.ts";
import { asJson } from "../planner/decide.ts";
import type { Road } from "./road.ts";
import type { OpenWorkspace, Planned } from "./types.ts";

/** Makes the calls of plans, one run at a time for each service. */
export function applier(road: Road): OpenWorkspace["apply"] {
  const { folder, env, clock, now, signal, atOnce, open, runs, sinks, locks, repository } = road;
  return async (planned, options = {}) => {
    requireApplicable(planned);
    const { plan, looked, lastRuns, early = [], withheld = new Map() } = planned;
    const { recheck: asked = false, allowExec = false, refuses, wait = 0, onWaiting, lease } = options;
    const since = now().toISOString();
    const named = runName(runs.newest(), now());
    const sent = new Set([...plan.calls, ...(plan.triggers ?? [])].map(({ service }) => service));
    const touched = looked.services.filter(({ name }) => sent.has(name));
    const claim = { run: named, command: "apply", workspace: folder, since };
    const all = lease === undefined ? locks : leased(locks, repository, lease);
    // A plan that was made while another run wrote has seen a part of what that run did.
    const isAwaited = (name: string) => early.includes(name) && (sent.size === 0 || wait > 0);
    const awaited = refuses && looked.services.filter(({ name }) => sent.has(name) || isAwaited(name));
    let isEarly = awaited?.some(({ name }) => early.includes(name)) === true;
    const waiting = (problem: Problem) => {
      isEarly = true;
      onWaiting?.(problem);
    };
    const taken = await all.take(awaited ?? touched, claim, { wait, clock, signal, onWaiting: waiting });
    const release = once(taken.release);
    try {
      if (refuses !== undefined && isEarly) throw new ProblemError(moved);
      // While this run waited, a run that was named later may have come first.
      const newest = runs.newest() ?? "";
      const run = newest > named ? runName(newest, now()) : named;
      // Another run wrote after the plan was made, so its observations can be out of date.
      const isOvertaken = touched.some(({ name }) => lastRuns?.get(name) !== taken.before.get(name));
      const undelivered = undeliveredIn(runs.past(linesOnSecrets));
      const declarations = { ...looked.declarations, undelivered: undeliveredOf(undelivered, looked.services) };
      const journal = watched(() => runs.open(run));
      const stopping = AbortSignal.any([signal, journal.failed, ...(taken.lost === undefined ? [] : [taken.lost])]);
      const { onActivity } = road.telling(plan.calls);
      const specs = [...declarations.desired, ...(declarations.base ?? [])].map(({ spec }) => spec);
      const delivered = [...sinkFiles(specs)].map((path) => join(folder, path));
      const held = heldReader({ folder, allowExec, env, signal: atOnce });
      const { sessions, close } = await open(touched, "write", {
        signal: atOnce,
        stopping,
        delivered,
        held,
        onActivity,
      });
      const settled = tellingInterrupt(road, () => callsUnderWay(journal.entries, touched));
      const report = await applyPlan(plan, {
        run,
        by: whoRuns(),
        before: beforeOf(plan, looked),
        declarations,
        undelivered,
        services: looked.services,
        sessions: permitted(sessions, plan, run, withheld),
        journal,
        openSink: sinks(allowExec),
        clock: () => performance.now(),
        stopping,
        recheck: asked || isOvertaken,
        allOrNothing: refuses === "outdated",
        withheld,
      }).finally(async () => {
        settled();
        await close();
        await journal.close();
      });
      const unreleased = await release();
      return unreleased === undefined ? report : { ...report, problems: [...(report.problems ?? []), unreleased] };
    } finally {
      await release();
    }
  };
}

function requireApplicable({ plan, spread }: Planned): void {
  if (spread === true) throw new ProblemError(readByWorkers);
  if (plan.refusals.length > 0) throw new ProblemError(...plan.refusals);
  if (plan.shard !== undefined || plan.affected !== undefined) throw new ProblemError(ofPart);
}

/** Returns the state before each change of a plan, for the journal: a way back is planned from it. */
function beforeOf(plan: Plan, { decided, services }: Looked): readonly Before[] {
  const planned = new Map(plan.changes.map((change) => [change.address, change]));
  const renewed = new Set(
    withParts(plan.calls).flatMap(({ carries, deliver }) => (deliver === undefined ? [] : carries)),
  );
  return decided.flatMap(({ address, service, kind, decision }): readonly Before[] => {
    const shown = planned.get(address);
    if (shown === undefined || decision.is !== "change") return [];
    const { change } = decision;
    if (change.action === "check" || shown.action === "check") return [];
    const more = kind.replacesMore?.(change) ? "What was there before is more than a manifest can declare." : undefined;
    return [
      defined({
        event: "before",
        address,
        service,
        url: services.find(({ name }) => name === service)?.url,
        kind: kind.kind,
        action: change.action,
        live: change.action === "create" ? undefined : asJson(change.live),
        desired: change.action === "delete" ? undefined : asJson(change.desired),
        fields: change.action === "update" ? fieldsIn(change) : undefined,
        needsPerson: whyNotUndone(shown, renewed) ?? more,
      }),
    ];
  });
}

/** Returns why no plan can undo a change; undefined if one can. */
function whyNotUndone({ address, risks }: PlannedChange, renewed: ReadonlySet<Address>): string | undefined {
  if (renewed.has(address) || risks.includes("secret-rotates"))
    return "The run issued a new secret, which may be in use.";
  return risks.includes("irreversible") ? "What the run did to it cannot be undone." : undefined;
}

/** Reports an interrupt while calls are under way, until the function that it returns is called. */
export function tellingInterrupt(
  { onProgress, signal }: Pick<Road, "onProgress" | "signal">,
  underWay: () => number,
): () => void {
  const tell = () => onProgress?.({ step: "finishing", calls: underWay(), requests: new Map() });
  signal.addEventListener("abort", tell);
  return () => signal.removeEventListener("abort", tell);
}

const readByWorkers: Problem = {
  code: "SP5001",
  message:
    "A plan that workers have read for cannot be applied: whoever can write to the queue would decide what is done.",
  hint: "Plan without the queue, or save the plan and resume it: it is then made again.",
};

const ofPart: Problem = {
  code: "SP5001",
  message: "A plan of only a part of what is declared cannot be applied.",
  hint: "Plan everything, without affected and without shard.",
};
