import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { planOver } from "../../src/cli/planning.ts";
import { systemClock } from "../../src/clients/http/clock.ts";
import { rolesOf } from "../../src/core/kind.ts";
import type { Report } from "../../src/core/outcome.ts";
import type { Plan } from "../../src/core/plan.ts";
import { type Problem, ProblemError } from "../../src/core/problem.ts";
import type { Role } from "../../src/core/resource.ts";
import type { Service } from "../../src/core/service.ts";
import { type Adoption, adopt } from "../../src/engine/adopt/adopt.ts";
import { apply } from "../../src/engine/apply.ts";
import type { Entry } from "../../src/engine/journal.ts";
import { sinkOpener } from "../../src/engine/secrets/sink.ts";
import { undeliveredAfter } from "../../src/engine/secrets/undelivered.ts";
import type { Session } from "../../src/engine/session.ts";
import { type Connections, connectOnce, openSessions } from "../../src/engine/sessions.ts";
import { liveObjects } from "../../src/engine/undeclared.ts";
import { manifestText } from "../../src/manifests/documents/manifest-text.ts";
import { type LoadOptions, load } from "../../src/manifests/load.ts";
import { diskFiles, type FileSource } from "../../src/manifests/sources/files.ts";
import type { Workspace } from "../../src/manifests/workspace/read-workspace.ts";
import { serviceTypes } from "../../src/manifests/workspace/workspace-schema.ts";
import { asOf } from "../../src/planner/expiry.ts";
import type { Planned } from "../../src/planner/plan.ts";
import type { Declarations } from "../../src/planner/subjects.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import type { World } from "../../src/sandbox/world.ts";

/** Manifests as one text, at one time; `base` is what they said at the last apply. */
export interface Manifests {
  readonly now: string;
  readonly base?: string;
  /** Files that manifests name, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Also list what nobody declares. */
  readonly unmanaged?: boolean;
  /** The folder with the files that manifests deploy; that of the examples unless given. */
  readonly folder?: string;
}

/** The whole road to services: manifests in, plans and reports out. */
export interface Road {
  /** Makes a plan and fails where the input is wrong. */
  plan(manifests: string | Manifests): Promise<Plan>;
  /** Makes a plan, or says what is wrong. */
  tryPlan(manifests: string | Manifests): Promise<Planned>;
  /** Manifests of all that every kind can list. */
  imported(): Promise<string>;
  /** Makes a plan and applies it. What somebody does between the two is `meanwhile`. */
  apply(manifests: string | Manifests, meanwhile?: () => void): Promise<Report>;
  /** Writes what differs on the services into the manifests, in memory. */
  adopt(manifests: string | Manifests): Promise<Adoption>;
  /** What the last apply wrote to its journal. */
  readonly journal: readonly Entry[];
}

/** The road to a sandbox, with requests counted at the server. */
export interface Lab extends Road, AsyncDisposable {
  readonly sandbox: Sandbox;
  /** The folder that new secrets are delivered to. */
  readonly folder: string;
  /** The names of the operations asked for since the last call of this function, in order. */
  asked(): readonly string[];
}

/** Opens a lab on a sandbox of its own. `wire` as in a workspace; `env` is added to the sandbox's credentials. */
export async function openLab(
  options: {
    readonly world?: World;
    readonly wire?: Service["wire"];
    /** More of the workspace file. */
    readonly workspace?: string;
    readonly env?: Readonly<Record<string, string>>;
    /** Look before an apply whether the world moved since its plan was made, as after a question. */
    readonly recheck?: boolean;
    /** Whether new secrets may be given to commands. */
    readonly allowExec?: boolean;
    /** See `RoadOptions`. */
    readonly onStep?: () => void;
    /** The moment of all plans; that of opening the lab unless given. */
    readonly now?: Date;
    /** Another account than the administrator. */
    readonly as?: { readonly username: string; readonly secret: string };
  } = {},
): Promise<Lab> {
  const sandbox = await startSandbox(options.world === undefined ? {} : { world: options.world });
  const env = { ...credentials(sandbox.url, options.as), ...options.env };
  const folder = join(tmpdir(), `setpoint-lab-${randomUUID()}`);
  mkdirSync(folder);
  return {
    ...openRoad(workspaceText(sandbox, options.wire ?? "product") + (options.workspace ?? ""), env, {
      ...options,
      folder,
    }),
    sandbox,
    folder,
    asked() {
      const names = sandbox.requests().map(({ operation, path }) => operation ?? path);
      sandbox.clear();
      return names;
    },
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** What a road needs beside a workspace. */
interface RoadOptions {
  readonly recheck?: boolean;
  readonly now?: Date;
  /** Where new secrets go. */
  readonly folder?: string;
  /** Whether they may go to commands. */
  readonly allowExec?: boolean;
  /** Called before and after everything that an apply does to the world; what it throws ends the run like a kill. */
  readonly onStep?: () => void;
}

/**
 * Opens the road to the services of a workspace, given as the text of its file, with credentials in `env`. `recheck`:
 * look before an apply whether the world moved since its plan was made.
 */
export function openRoad(
  workspaceFile: string,
  env: Readonly<Record<string, string>>,
  { recheck = false, now: moment = new Date(), folder = ".", allowExec = false, onStep = () => {} }: RoadOptions = {},
): Road {
  const journal: Entry[] = [];
  let undelivered: ReadonlySet<string> = new Set();

  const filesWith = (text: string, { files = {}, folder: deployed }: Manifests) =>
    inMemory({ "setpoint.yaml": workspaceFile, "manifests/all.yaml": text, ...files }, deployed);
  const loadFrom = (source: FileSource, lists: Pick<LoadOptions, "readLiveList">) =>
    load({ source, kinds, workspaceFile: "setpoint.yaml", variables: {}, ...lists });

  async function declarations(manifests: Manifests, readLiveList: Connections["readLiveList"]) {
    const { now, base } = manifests;
    const loaded = async (text: string) => {
      const { workspace, resources, problems } = await loadFrom(filesWith(text, manifests), { readLiveList });
      if (workspace === undefined || problems.length > 0) throw new ProblemError(...problems);
      return { workspace, resources };
    };
    const head = await loaded(now);
    const before = base === undefined ? undefined : await loaded(base);
    const declared: Declarations = {
      kinds,
      desired: asOf(head.resources, kinds, moment),
      base: before?.resources,
      selected: () => true,
      now: moment,
      undelivered,
    };
    return { declared, workspace: head.workspace };
  }

  // Nobody waits for the sandbox: where it asks for time, or restarts, it is asked again at once.
  const clock = { ...systemClock, wait: async () => {} };
  const settings = { env, signal: new AbortController().signal, clock };

  async function tryPlan(given: string | Manifests) {
    const manifests = typeof given === "string" ? { now: given } : given;
    const connections = connectOnce(settings);
    try {
      const { declared, workspace } = await declarations(manifests, connections.readLiveList);
      return await planOver(declared, workspace, connections, {
        baseRef: undefined,
        guards: { maxDeletePercent: 100, noDeletes: false },
        unmanaged: manifests.unmanaged === true,
        signal: settings.signal,
      });
    } finally {
      await connections.close();
    }
  }

  async function planAgain(declared: Declarations, workspace: Workspace) {
    const connections = connectOnce(settings);
    try {
      return await planOver(declared, workspace, connections, {
        baseRef: undefined,
        guards: { maxDeletePercent: 100, noDeletes: false },
        unmanaged: false,
        signal: settings.signal,
      });
    } finally {
      await connections.close();
    }
  }

  const planOf = (planned: Planned) => {
    if (planned.is === "wrong") throw new ProblemError(...planned.problems);
    return planned.plan;
  };
  return {
    journal,
    plan: async (manifests) => planOf((await tryPlan(manifests)).planned),
    tryPlan: async (manifests) => (await tryPlan(manifests)).planned,
    async imported() {
      const connections = connectOnce(settings);
      try {
        const { workspace } = await declarations({ now: "" }, connections.readLiveList);
        const { readers } = await connections.open(workspace.services);
        const lists = workspace.services.flatMap(({ name, role }) =>
          [...kinds.values()]
            .filter((kind) => rolesOf(kind).includes(role))
            .map(async (kind) => {
              const { live, unlisted } = await liveObjects({ kind, service: name }, { readers, now: moment });
              if (unlisted.length > 0) throw new ProblemError(...unlisted.map(({ problem }) => problem));
              const specs = live.map(({ spec }) => spec);
              return specs.length === 0 ? "" : `---\n${manifestText(kind, specs, { schema: "x", service: name })}`;
            }),
        );
        return (await Promise.all(lists)).join("");
      } finally {
        await connections.close();
      }
    },
    async adopt(given) {
      const manifests = typeof given === "string" ? { now: given } : given;
      const connections = connectOnce(settings);
      const { declared, workspace } = await declarations(manifests, connections.readLiveList);
      await connections.close();
      const drift = { ...declared, base: declared.desired };
      const observe = async (again: Declarations) => (await planAgain(again, workspace)).observations;
      return adopt({
        declarations: drift,
        observations: await observe(drift),
        files: filesWith(manifests.now, manifests),
        load: (source) => loadFrom(source, {}),
        observe,
      });
    },
    async apply(manifests, meanwhile) {
      const { planned, declarations: declared, services } = await tryPlan(manifests);
      const plan = planOf(planned);
      meanwhile?.();
      const { sessions, close } = await openSessions(services, "write", settings);
      journal.length = 0;
      const openSink = sinkOpener({ folder, allowExec, env: process.env });
      return apply(plan, {
        run: "lab",
        declarations: declared,
        sessions: new Map([...sessions].map(([name, session]) => [name, withSteps(session, onStep)])),
        journal: {
          path: "memory",
          write(entry) {
            onStep();
            journal.push(entry);
          },
          close: () => {},
        },
        openSink(sink) {
          const opened = openSink(sink);
          return {
            async put(secret) {
              onStep();
              await opened.put(secret);
              onStep();
            },
          };
        },
        clock: () => 0,
        signal: settings.signal,
        recheck,
      }).finally(async () => {
        await close();
        undelivered = undeliveredAfter(undelivered, journal);
      });
    },
  };
}

/** A session that calls `onStep` before and after each call. */
function withSteps(session: Session, onStep: () => void): Session {
  return {
    reader: () => session.reader(),
    async call(operation, args) {
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

/** The problems of a promise that must fail with some. */
export async function problemsOf(promise: Promise<unknown>): Promise<readonly Problem[]> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ProblemError) return error.problems;
    throw error;
  }
  throw new Error("Nothing went wrong, and something should have.");
}

/** What manifests of tests deploy unless told otherwise: the files of the examples. */
const deployable = new URL("../../examples/kinds/", import.meta.url).pathname;

/**
 * Files in memory, as a workspace has them on disk. Every glob finds all files in `manifests/`. What is deployed is
 * read, and found, in a folder on disk that stands for `manifests/`.
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
  };
}

function workspaceText(sandbox: Sandbox, wire: Service["wire"]): string {
  const services = Object.entries(serviceTypes).map(
    ([type, role]) =>
      `  ${role}: { type: ${type}, url: "${sandbox.url}/${role}", wire: ${wire}${urlsOf(role, sandbox)} }`,
  );
  return `version: 1\nservices:\n${services.join("\n")}\n`;
}

/** Roots that stand elsewhere, which are all the sandbox's own. */
function urlsOf(role: Role, { url }: Sandbox): string {
  if (role === "artifacts") return `, urls: { auth: "${url}/artifacts/access" }`;
  return role === "ci" ? `, urls: { updates: "${url}/ci/updates" }` : "";
}

/** Credentials of an account of the sandbox's world, the administrator unless named, for all services at `url`. */
export function credentials(
  url: string,
  { username, secret }: { readonly username: string; readonly secret: string } = {
    username: "admin",
    secret: "secret",
  },
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.values(serviceTypes)
      .map((role) => role.toUpperCase())
      .flatMap((service) => [
        [`SETPOINT_${service}_URL`, url],
        [`SETPOINT_${service}_USERNAME`, username],
        ["HOSTING", "ANALYSIS", "ARTIFACTS"].includes(service)
          ? [`SETPOINT_${service}_TOKEN`, secret]
          : [`SETPOINT_${service}_PASSWORD`, secret],
      ]),
  );
}
