import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { services as clients } from "../../src/clients/services.ts";
import { type Problem, ProblemError } from "../../src/core/problem.ts";
import type { Service } from "../../src/core/service.ts";
import { initialWorld } from "../../src/sandbox/default-world.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import type { World } from "../../src/sandbox/world.ts";
import { Direct } from "./direct.ts";
import { inFlow } from "./manifest.ts";
import { openRoad, type Road, type RoadOptions } from "./road.ts";
import { rootsOf } from "./roles.ts";

// All sandboxes of a process start with this world: an answer that changes it in place, instead of making another, throws.
freeze(initialWorld());

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
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

type LabOptions = Omit<RoadOptions, "folder"> & {
  readonly world?: World;
  readonly wire?: Service["wire"];
  /** Text to add to the workspace file. */
  readonly workspace?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** An account other than the administrator. */
  readonly as?: { readonly username: string; readonly secret: string };
};

/** Opens a lab with its own sandbox. `wire` is as in a workspace; `env` is added to the sandbox's credentials. */
export function openLab(options: LabOptions = {}): Promise<Lab> {
  return open(options);
}

/** Opens a lab whose requests reach its sandbox without connections, which take longer than to make and answer a request. */
export function openDirectLab(options: LabOptions = {}): Promise<Lab> {
  return open(options, (sandbox) => new Direct(sandbox));
}

async function open(
  { world, wire = "product", workspace = "", env: added, as, ...options }: LabOptions,
  dispatcherFor?: (sandbox: Sandbox) => RoadOptions["dispatcher"],
): Promise<Lab> {
  const sandbox = await startSandbox(world === undefined ? {} : { world });
  const env = { ...environmentFor(sandbox.url, as), ...added };
  const folder = join(tmpdir(), `setpoint-lab-${randomUUID()}`);
  const dispatcher = dispatcherFor?.(sandbox);
  const another = (more: RoadOptions = {}) =>
    openRoad(workspaceText(sandbox, wire) + workspace, env, { dispatcher, ...options, ...more, folder });
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

function workspaceText(sandbox: Sandbox, wire: Service["wire"]): string {
  const services = Object.values(clients).map(
    ({ types: [type], role }) =>
      `  ${role}: ${inFlow({ type, url: `${sandbox.url}/${role}`, wire, urls: rootsOf(role, sandbox.url), limits: { timeout: "2m" } })}`,
  );
  // Worlds in tests have few resources, so a test may delete any share of them.
  return `version: 1\nservices:\n${services.join("\n")}\n`;
}
