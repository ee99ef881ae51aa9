import { mkdirSync } from "node:fs";
import { type Clock, systemClock } from "../../src/clients/http/clock.ts";
import { ProblemError } from "../../src/core/problem.ts";
import type { Report } from "../../src/core/run/outcome.ts";
import type { Consent, Plan } from "../../src/core/run/plan.ts";
import type { Adoption } from "../../src/engine/adopt/adopt.ts";
import type { Journal, JournalEntry, Past, Runs } from "../../src/engine/journal/journal.ts";
import type { Locks } from "../../src/engine/locks/locks.ts";
import type { Readings } from "../../src/engine/readings/readings.ts";
import { sinkOpener } from "../../src/engine/secrets/sink.ts";
import { type ConnectionSettings, openSessions, type Session } from "../../src/engine/sessions.ts";
import type { Selection } from "../../src/planner/selection.ts";
import {
  type OpenOptions,
  type OpenWorkspace,
  openWorkspace,
  type Planned,
  type PlanOptions,
  type Reverting,
  type Wrong,
} from "../../src/setpoint.ts";
import { inMemory } from "./in-memory.ts";
import { noLocks } from "./no-locks.ts";

/** The input of one run: manifests as one text; `base` is their text at the last apply. */
export interface Manifests {
  readonly now: string;
  readonly base?: string;
  /** Files that manifests name, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Whether to list what no manifest declares. */
  readonly unmanaged?: boolean;
  /** The selection to which the run is narrowed. */
  readonly select?: Partial<Selection> & Pick<PlanOptions, "affected" | "shard">;
  /** The folder with the files that manifests deploy; by default that of the examples. */
  readonly folder?: string;
  /** Text to add to the workspace file. */
  readonly workspace?: string;
  /** The moment of the run; by default that of the lab. */
  readonly at?: Date;
  readonly consent?: Consent;
}

/** The whole way to services: manifests in, plans and reports out. */
export interface Road {
  /** Makes a plan, and throws if the input is wrong. */
  plan(manifests: string | Manifests): Promise<Plan>;
  /** Makes a plan, or returns what is wrong. */
  tryPlan(manifests: string | Manifests): Promise<Planned | Wrong>;
  /** Returns manifests of everything that every kind can list. */
  imported(): Promise<string>;
  /** Makes a plan and applies it; `meanwhile` runs between the two. */
  apply(manifests: string | Manifests, meanwhile?: () => void): Promise<Report>;
  /** Makes a plan and saves it. */
  save(manifests: string | Manifests, expires?: string): Promise<Plan>;
  /** Resumes a saved plan, or the text of its file, with the current manifests. */
  resume(saved: Plan | string, manifests: string | Manifests): Promise<Planned | Wrong>;
  /** Applies a saved plan, or returns what is wrong. */
  applySaved(saved: Plan | string, manifests: string | Manifests): Promise<Report | Wrong>;
  /** Writes the differences on the services into the manifests, in memory. */
  adopt(manifests: string | Manifests): Promise<Adoption>;
  /** Plans to undo the last apply; `apply` also makes the calls. */
  revert(manifests: string | Manifests): Promise<Reverting & { apply(): Promise<Report> }>;
  /** The entries that the last apply wrote to its journal. */
  readonly journal: readonly JournalEntry[];
}

/** The options of a road, in addition to its workspace. */
export interface RoadOptions {
  /** Awaited before each call of an apply, and before a secret is delivered, so that a test can decide whose turn it is. */
  readonly turn?: () => Promise<void>;
  /** Carries the requests; by default connections. */
  readonly dispatcher?: ConnectionSettings["dispatcher"];
  /** By default no locks: every run of a road writes, as from several machines. */
  readonly locks?: Locks;
  /** Answers kept beyond a plan or an apply; none by default. */
  readonly readings?: Readings;
  /** The ref on which to hold a lease, and the repository whose remote has that ref. */
  readonly lease?: string;
  readonly repository?: OpenOptions["repository"];
  /** The clock; by default one on which waits end immediately. */
  readonly clock?: Clock;
  /** Whether an apply first checks that the world has not changed since the plan was made, as after a question. */
  readonly recheck?: boolean;
  /** The moment of all plans; by default the moment at which the road is opened. */
  readonly now?: Date;
  /** The folder for new secrets. */
  readonly folder?: string;
  /** Whether secrets may go to commands. */
  readonly allowExec?: boolean;
  /** Called before and after everything that an apply does to the world. An exception from it ends the run like a kill. */
  readonly onStep?: () => void;
  /** As in `OpenOptions`. */
  readonly onProgress?: OpenOptions["onProgress"];
  /** Opens the journal of a run; by default one in memory. */
  readonly openJournal?: () => Journal;
  /** Lets workers do the reading. */
  readonly openQueue?: OpenOptions["openQueue"];
  /** As in `OpenOptions`. */
  readonly stopping?: AbortSignal;
  readonly signal?: AbortSignal;
}

/**
 * Opens a road to the services of a workspace, given as the text of its file, with credentials in `env`. It is the whole
 * composition with files and journal in memory and a clock on which waits end immediately.
 */
export function openRoad(
  workspaceFile: string,
  env: Readonly<Record<string, string>>,
  {
    recheck = false,
    now: moment = new Date(),
    folder = ".",
    allowExec = false,
    onStep = () => {},
    openJournal,
    openQueue,
    turn = async () => {},
    lease,
    dispatcher,
    ...options
  }: RoadOptions = {},
): Road {
  const journal: JournalEntry[] = [];
  const past: Past[] = [];
  const runs: Runs = {
    newest: () => past.at(-1)?.name,
    past: () => past,
    open(run) {
      journal.length = 0;
      if (openJournal !== undefined) return openJournal();
      return {
        path: "memory",
        async write(entry) {
          onStep();
          journal.push(entry);
        },
        async close() {
          past.push({ name: run, lines: { entries: [...journal], torn: false, damaged: [] } });
        },
      };
    },
  };

  function openWith(manifests: Manifests): OpenWorkspace {
    const { now, base = "", files = {}, folder: deployed, workspace = "", at = moment } = manifests;
    const filesOf = (text: string) =>
      inMemory({ "setpoint.yaml": workspaceFile + workspace, "manifests/all.yaml": text, ...files }, deployed);
    return openWorkspace({
      // There is no waiting for the sandbox: if it asks for time or restarts, the next request follows immediately.
      clock: { ...systemClock, wait: async () => {} },
      locks: noLocks,
      readings: false,
      ...options,
      ...(openQueue === undefined ? {} : { queue: {}, openQueue }),
      path: folder,
      files: filesOf(now),
      filesAt: async () => filesOf(base),
      env,
      now: () => at,
      runs,
      async openSessions(services, mode, settings) {
        const opened = await openSessions(services, mode, { ...settings, dispatcher });
        const steps = [...opened.sessions].map(([name, session]) => [name, withSteps(session, onStep, turn)] as const);
        return mode === "write" ? { ...opened, sessions: new Map(steps) } : opened;
      },
      sinks: (mayRun) => {
        const openSink = sinkOpener({ folder, allowExec: mayRun, env: process.env });
        return async (sink) => {
          // Not sooner: few tests deliver something, and making and removing a folder takes as long as several requests.
          mkdirSync(folder, { recursive: true });
          const opened = await openSink(sink);
          return {
            async put(secret) {
              await turn();
              onStep();
              await opened.put(secret);
              onStep();
            },
          };
        };
      },
    });
  }

  const manifestsOf = (given: string | Manifests) => (typeof given === "string" ? { now: given } : given);
  const planWith = (workspace: OpenWorkspace, { base, unmanaged = false, select = {}, consent = {} }: Manifests) =>
    workspace.plan({ base: base === undefined ? undefined : "base", unmanaged, consent, ...select });
  const resumeWith = (workspace: OpenWorkspace, saved: Plan | string) =>
    workspace.resume(typeof saved === "string" ? saved : JSON.stringify(saved), { noExec: !allowExec });
  async function tryPlan(given: string | Manifests) {
    const manifests = manifestsOf(given);
    return planWith(openWith(manifests), manifests);
  }
  return {
    journal,
    plan: async (manifests) => unlessWrong(await tryPlan(manifests)).plan,
    tryPlan,
    async save(given, expires) {
      const manifests = manifestsOf(given);
      const workspace = openWith(manifests);
      const planned = unlessWrong(await planWith(workspace, manifests));
      return workspace.save(planned, expires === undefined ? {} : { expires });
    },
    resume: async (saved, given) => resumeWith(openWith(manifestsOf(given)), saved),
    async applySaved(saved, given) {
      const workspace = openWith(manifestsOf(given));
      const planned = await resumeWith(workspace, saved);
      return planned.is === "wrong" ? planned : workspace.apply(planned, { allowExec });
    },
    async imported() {
      const workspace = openWith({ now: "" });
      const { workspace: declared } = await workspace.validate();
      const all = await Promise.all((declared?.services ?? []).map(({ name }) => workspace.importFrom(name)));
      return all
        .flatMap((one) => {
          const { problems, manifests } = unlessWrong(one).imported;
          if (problems.length > 0) throw new ProblemError(...problems);
          return manifests.map(({ text }) => `---\n${text}`);
        })
        .join("");
    },
    async adopt(given) {
      const manifests = manifestsOf(given);
      return unlessWrong(await openWith(manifests).adopt(manifests.select)).adoption;
    },
    async revert(given) {
      const manifests = manifestsOf(given);
      const workspace = openWith(manifests);
      const run = past.at(-1)?.name ?? "";
      const planned = unlessWrong(await workspace.revert(run, { consent: manifests.consent ?? {} }));
      return { ...planned, apply: () => workspace.apply(planned, { recheck, allowExec, lease }) };
    },
    async apply(given, meanwhile) {
      const manifests = manifestsOf(given);
      const workspace = openWith(manifests);
      const planned = unlessWrong(await planWith(workspace, manifests));
      meanwhile?.();
      return workspace.apply(planned, { recheck, allowExec, lease });
    },
  };
}

/** Returns what was made of the input. Throws what is wrong with it. */
function unlessWrong<Made extends { readonly is: string }>(made: Made | Wrong): Made {
  if (isWrong(made)) throw new ProblemError(...made.problems);
  return made;
}

function isWrong(made: Wrong | { readonly is: string }): made is Wrong {
  return made.is === "wrong";
}

/** Returns a session that awaits its turn before each call, and calls `onStep` before and after the call. */
function withSteps(session: Session, onStep: () => void, turn: () => Promise<void>): Session {
  return {
    ...session,
    reader: () => session.reader(),
    async call(operation, args) {
      await turn();
      onStep();
      const answer = await session.call(operation, args);
      onStep();
      return answer;
    },
    get requests() {
      return session.requests;
    },
  };
}
