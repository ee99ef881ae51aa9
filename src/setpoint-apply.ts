import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Environment } from "./clients/credentials.ts";
import type { Clock } from "./clients/http/clock.ts";
import { type Problem, ProblemError } from "./core/problem.ts";
import { sinkFiles } from "./core/sink.ts";
import { apply } from "./engine/apply.ts";
import { beforeOf } from "./engine/before.ts";
import { callsUnderWay, type Runs, undeliveredIn, watched } from "./engine/journal.ts";
import { leased } from "./engine/locks/lease.ts";
import type { Locks } from "./engine/locks/locks.ts";
import { permitted } from "./engine/permit.ts";
import type { Readings } from "./engine/readings/readings.ts";
import { whoRuns } from "./engine/runs.ts";
import { heldReader } from "./engine/secrets/held.ts";
import type { SinkOpener } from "./engine/secrets/sink.ts";
import type { openSessions } from "./engine/sessions.ts";
import type { Repository } from "./manifests/sources/repository.ts";
import type { StepTeller, ToldStep } from "./setpoint-progress.ts";
import type { OpenOptions, OpenWorkspace } from "./setpoint-types.ts";

/** What an apply is made of. */
interface Parts {
  readonly folder: string;
  readonly env: Environment;
  readonly clock: Clock;
  readonly now: () => Date;
  /** Nothing new is sent. */
  readonly stopping: AbortSignal;
  /** Ends what is under way too. */
  readonly atOnce: AbortSignal;
  readonly open: typeof openSessions;
  readonly runs: Runs;
  readonly sinks: (allowExec: boolean) => SinkOpener;
  readonly locks: Locks;
  readonly readings: Readings;
  readonly repository: () => Promise<Repository>;
  readonly onProgress: OpenOptions["onProgress"];
  readonly onRequest: OpenOptions["onRequest"];
  readonly telling: (step: ToldStep) => StepTeller;
}

/** Makes the calls of plans, one run at a time for each service. */
export function applier(parts: Parts): OpenWorkspace["apply"] {
  const {
    folder,
    env,
    clock,
    now,
    stopping,
    atOnce,
    open,
    runs,
    sinks,
    locks,
    repository,
    telling,
    onRequest,
    readings,
  } = parts;
  return async ({ plan, looked, lastRuns, spread, withheld = new Map() }, options = {}) => {
    if (spread === true) throw new ProblemError(readByWorkers);
    if (plan.shard !== undefined || plan.affected !== undefined) throw new ProblemError(ofPart);
    const { recheck: asked = false, allowExec = false, wait = 0, onWaiting, lease } = options;
    const since = now().toISOString();
    const run = `${since.replace(/\.\d+Z$/, "Z")}-${randomBytes(2).toString("hex")}`;
    const sent = new Set([...plan.calls, ...(plan.triggers ?? [])].map(({ service }) => service));
    const touched = looked.services.filter(({ name }) => sent.has(name));
    const claim = { run, command: "apply", workspace: folder, since };
    const all = lease === undefined ? locks : leased(locks, repository, lease);
    const taken = await all.take(touched, claim, { wait, clock, signal: stopping, onWaiting });
    try {
      // Another run wrote after the plan was made: what it saw, and what is undelivered, may be out of date.
      const isOvertaken = touched.some(({ name }) => lastRuns?.get(name) !== taken.before.get(name));
      const { declarations: seen } = looked;
      const declarations = isOvertaken ? { ...seen, undelivered: undeliveredIn(runs.past()) } : seen;
      const journal = watched(runs.open(run.replaceAll(":", "")));
      const stop = AbortSignal.any([stopping, journal.failed, ...(taken.lost === undefined ? [] : [taken.lost])]);
      const { onActivity } = telling({ step: "applying", calls: plan.calls });
      const specs = [...declarations.desired, ...(declarations.base ?? [])].map(({ spec }) => spec);
      const delivered = [...sinkFiles(specs)].map((path) => join(folder, path));
      const held = heldReader({ folder, allowExec, env, signal: atOnce });
      const connecting = {
        signal: atOnce,
        stopping: stop,
        env,
        clock,
        readings,
        delivered,
        held,
        onActivity,
        onRequest,
      };
      const { sessions: opened, close } = await open(touched, "write", connecting);
      const sessions = permitted(opened, plan, run, withheld);
      const settled = tellingInterrupt(parts, () => callsUnderWay(journal.entries, touched));
      const openSink = sinks(allowExec);
      const elapsed = () => performance.now();
      const input = {
        run,
        by: whoRuns(),
        before: beforeOf(plan, looked.decided),
        declarations,
        sessions,
        journal,
        openSink,
        clock: elapsed,
        stopping: stop,
        recheck: asked || isOvertaken,
        withheld,
      };
      return await apply(plan, input).finally(async () => {
        settled();
        await close();
        await journal.close();
      });
    } finally {
      await taken.release();
    }
  };
}

/** Reports an interrupt while calls are under way, until the function that it returns is called. */
export function tellingInterrupt(
  { onProgress, stopping }: Pick<Parts, "onProgress" | "stopping">,
  underWay: () => number,
): () => void {
  const tell = () => onProgress?.({ step: "finishing", calls: underWay(), requests: new Map() });
  stopping.addEventListener("abort", tell);
  return () => stopping.removeEventListener("abort", tell);
}

const readByWorkers: Problem = {
  code: "SP5001",
  message: "A plan that workers have read for is not applied: who can write to the queue would decide what is done.",
  hint: "Plan without the queue, or save the plan and take it up again: it is made again then.",
};

const ofPart: Problem = {
  code: "SP5001",
  message: "A plan of a part of what is declared is read and not applied.",
  hint: "Plan all of it: without affected and without shard.",
};
