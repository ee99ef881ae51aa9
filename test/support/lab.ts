import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "../../src/clients/http/clock.ts";
import { services as clients } from "../../src/clients/services.ts";
import { type Problem, ProblemError } from "../../src/core/problem.ts";
import type { Report } from "../../src/core/run/outcome.ts";
import type { Consent, Plan } from "../../src/core/run/plan.ts";
import type { Service } from "../../src/core/service.ts";
import type { Adoption } from "../../src/engine/adopt/adopt.ts";
import type { Journal, JournalEntry, Past, Runs } from "../../src/engine/journal/journal.ts";
import type { Locks } from "../../src/engine/locks/locks.ts";
import type { Readings } from "../../src/engine/readings/readings.ts";
import { sinkOpener } from "../../src/engine/secrets/sink.ts";
import { openSessions, type Session } from "../../src/engine/sessions.ts";
import { diskFiles, type FileSource } from "../../src/manifests/sources/files.ts";
import type { Selection } from "../../src/planner/selection.ts";
import { initialWorld } from "../../src/sandbox/default-world.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import type { World } from "../../src/sandbox/world.ts";
import {
  type OpenOptions,
  type OpenWorkspace,
  openWorkspace,
  type Planned,
  type PlanOptions,
  type Reverting,
  type Wrong,
} from "../../src/setpoint.ts";
import { inFlow } from "./manifest.ts";
import { noLocks } from "./no-locks.ts";
import { rootsOf } from "./roles.ts";

// All sandboxes of a process start with this world: an answer that changes it in place, instead of making another, throws.
freeze(initialWorld());

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}

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

/** A road to a sandbox that records the requests at the server. */
export interface Lab extends Road, AsyncDisposable {
  readonly sandbox: Sandbox;
  /** Opens a second road to the same sandbox and sinks, with its own journal, as from another machine. */
  another(options?: RoadOptions): Road;
  /** The folder to which new secrets are delivered. */
  readonly folder: string;
  /** Returns the names of the operations requested since the last call of this function, in order. */
  asked(): readonly string[];
}

/** Opens a lab with its own sandbox. `wire` is as in a workspace; `env` is added to the sandbox's credentials. */
export async function openLab({
  world,
  wire = "product",
  workspace = "",
  env: added,
  as,
  ...options
}: Omit<RoadOptions, "folder"> & {
  readonly world?: World;
  readonly wire?: Service["wire"];
  /** Text to add to the workspace file. */
  readonly workspace?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** An account other than the administrator. */
  readonly as?: { readonly username: string; readonly secret: string };
} = {}): Promise<Lab> {
  const sandbox = await startSandbox(world === undefined ? {} : { world });
  const env = { ...environmentFor(sandbox.url, as), ...added };
  const folder = join(tmpdir(), `setpoint-lab-${randomUUID()}`);
  const another = (more: RoadOptions = {}) =>
    openRoad(workspaceText(sandbox, wire) + workspace, env, { ...options, ...more, folder });
  return {
    ...another(),
    another,
    sandbox,
    get folder() {
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    asked() {
      const names = sandbox.requests().map(({ operation, path }) => operation ?? path);
      sandbox.clear();
      return names;
    },
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      if (existsSync(folder)) rmSync(folder, { recursive: true });
    },
  };
}

/** The options of a road, in addition to its workspace. */
export interface RoadOptions {
  /** Awaited before each call of an apply, and before a secret is delivered, so that a test can decide whose turn it is. */
  readonly turn?: () => Promise<void>;
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
        const opened = await openSessions(services, mode, settings);
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

/** Revokes all credentials of a sandbox. */
export function signOut({ sandbox }: Pick<Lab, "sandbox">): void {
  sandbox.change(({ accounts }) => {
    for (const account of accounts) account.secret += ", revoked";
  });
}

/** Returns the problems of a promise, which must reject with some. */
export async function problemsOf(promise: Promise<unknown>): Promise<readonly Problem[]> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ProblemError) return error.problems;
    throw error;
  }
  throw new Error("Nothing went wrong, and something should have.");
}

/** The default folder of the files that manifests deploy: that of the examples. */
const deployable = new URL("../../examples/kinds/", import.meta.url).pathname;

/**
 * Returns a file source in memory instead of a workspace's files on disk. Every glob finds all files in `manifests/`.
 * Files to deploy are found and read in a folder on disk that stands for `manifests/`.
 */
export function inMemory(files: Readonly<Record<string, string>>, folder = deployable): FileSource {
  const bytes = (path: string) => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });
    return new TextEncoder().encode(text);
  };
  return {
    list: async () =>
      Object.keys(files)
        .filter((path) => path.startsWith("manifests/") && path.endsWith(".yaml"))
        .sort(),
    read: async (path) => bytes(path),
    size: async (path) => bytes(path).length,
    digest: (path) => diskFiles(folder).digest(path.replace(/^manifests\//, "")),
    check: (path) => diskFiles(folder).check(path.replace(/^manifests\//, "")),
  };
}

function workspaceText(sandbox: Sandbox, wire: Service["wire"]): string {
  const services = Object.values(clients).map(
    ({ types: [type], role }) =>
      `  ${role}: ${inFlow({ type, url: `${sandbox.url}/${role}`, wire, urls: rootsOf(role, sandbox.url), limits: { timeout: "2m" } })}`,
  );
  // Worlds in tests have few resources, so a test may delete any share of them.
  return `version: 1\nservices:\n${services.join("\n")}\n`;
}
