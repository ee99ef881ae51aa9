import { expect, onTestFinished } from "vitest";
import { type Problem, ProblemError } from "../../src/core/problem.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import type { Journal } from "../../src/engine/journal/journal.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { type OpenOptions, type OpenWorkspace, openWorkspace, type PlanOptions } from "../../src/setpoint.ts";
import { memoryFiles } from "../manifests/support/workspace.ts";
import { lock } from "../support/commands.ts";

export type Files = Readonly<Record<string, string>>;

export const policy = (reason: object) =>
  JSON.stringify({ type: "object", properties: { spec: { type: "object", properties: { reason } } } });

/** The merged rules of a repository. */
export const rules = {
  services: (url: string): Files => ({
    review: `{ type: gerrit, url: "${url}/review", limits: { timeout: 2m } }`,
    hosting: `{ type: github, url: "${url}/hosting", limits: { timeout: 2m } }`,
    analysis: `{ type: klocwork, url: "${url}/analysis", limits: { timeout: 2m } }`,
  }),
  rest: `guards: { maxDeletes: 1, maxDeletePercent: 100 }
policies: [{ name: short, kinds: [BranchLock], schema: policies/short.json }]
variables: { branch: release-2.3 }
`,
};

export function workspaceFile(services: Files, rest = rules.rest, globs = '["manifests/*.yaml"]'): string {
  const lines = Object.entries(services).map(([name, service]) => `  ${name}: ${service}\n`);
  return `version: 1\nmanifests: ${globs}\nservices:\n${lines.join("")}${rest}`;
}

export const locks = {
  "manifests/a.yaml": lock("platform/core", "release-2.2"),
  "manifests/b.yaml": lock("platform/core", '"${var.branch}"') + lock("platform/ui", "release-2.4"),
};

/** The merged files of a repository. */
export function merged(url: string): Files {
  return {
    "setpoint.yaml": workspaceFile(rules.services(url)),
    "policies/short.json": policy({ maxLength: 10 }),
    "setpoint.prod.yaml": "reason: Frozen\n",
    ...locks,
  };
}

/** The files that a pull request changes; undefined deletes one. */
export type Change = (url: string) => Readonly<Record<string, string | undefined>>;

export async function sandboxForTest(): Promise<Sandbox> {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** A journal that nobody reads. */
export const forgetful: Journal = { path: "memory", write: async () => {}, close: async () => {} };

interface Opened {
  readonly workspace: OpenWorkspace;
  readonly sandbox: Sandbox;
  /** The services that were called, once per request. */
  readonly connected: readonly (string | undefined)[];
}

/** Opens the workspace of a pull request, judged by the merged rules. */
export async function openPull(change: Change, options: OpenOptions = {}): Promise<Opened> {
  const sandbox = await sandboxForTest();
  const before = merged(sandbox.url);
  const all = Object.entries({ ...before, ...change(sandbox.url) });
  const after = Object.fromEntries(all.flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])));
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const workspace = openWorkspace({
    path: "/nowhere",
    trust: "main",
    files: memoryFiles(after),
    filesAt: async () => ({ ...memoryFiles(before), commit }),
    env: environmentFor(sandbox.url),
    runs: { newest: () => undefined, past: () => [], open: () => forgetful },
    ...options,
  });
  return {
    workspace,
    sandbox,
    get connected() {
      return sandbox.requests().map(({ service }) => service);
    },
  };
}

export async function planOf(change: Change, planOptions: PlanOptions = {}, options: OpenOptions = {}): Promise<Plan> {
  const pull = await openPull(change, options);
  const planned = await pull.workspace.plan(planOptions);
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  return planned.plan;
}

export async function problemsOf(change: Change, planOptions: PlanOptions = {}): Promise<readonly Problem[]> {
  const pull = await openPull(change);
  const planned = await pull.workspace.plan(planOptions);
  expect(pull.connected).toEqual([]);
  return planned.is === "wrong" ? planned.problems : [];
}

export const said = ({ trusted }: Plan) =>
  trusted?.changes.map(({ file, path, trusted: from, head }) => [file, path.join("."), from, head]);
export const later = ({ trusted }: Plan) => trusted?.onceMerged.map(({ message }) => message);
export const addresses = ({ changes }: Plan) => changes.map(({ address, action }) => `${action} ${address}`);

export const all = [
  "create review/BranchLock/platform/core:release-2.2",
  "create review/BranchLock/platform/core:release-2.3",
  "create review/BranchLock/platform/ui:release-2.4",
];
