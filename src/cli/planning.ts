import type { Observation } from "../core/observation.ts";
import type { Plan } from "../core/plan.ts";
import { type Problem, ProblemError } from "../core/problem.ts";
import type { Address, Resource } from "../core/resource.ts";
import type { Service } from "../core/service.ts";
import { observe } from "../engine/observe.ts";
import { undeliveredIn } from "../engine/secrets/undelivered.ts";
import { type Connections, connectOnce } from "../engine/sessions.ts";
import { listUndeclared } from "../engine/undeclared.ts";
import type { Loaded } from "../manifests/load.ts";
import type { Workspace } from "../manifests/workspace/read-workspace.ts";
import { asOf } from "../planner/expiry.ts";
import { makePlan, type PlanInput, type Planned } from "../planner/plan.ts";
import { emptySelections, selects } from "../planner/selection.ts";
import { type Declarations, subjectsOf } from "../planner/subjects.ts";
import { kinds } from "../reconcilers/registry.ts";
import type { PlanOptions } from "./options.ts";
import { showProgress } from "./terminal/progress.ts";
import { findWorkspace, loadFromDisk, loadFromGit } from "./workspace.ts";

/** A plan with what it was made from, or what is wrong with the input. */
export type Planning =
  | ({ readonly is: "planned"; readonly plan: Plan } & Omit<PlanOver, "planned">)
  | { readonly is: "wrong"; readonly problems: readonly Problem[]; readonly files: number };

/** What a plan is made for. */
export interface Purpose {
  /** Without a base the manifests themselves are the base, so that every difference is somebody's doing. */
  readonly drift: boolean;
  /** Also list live objects of the declared kinds that nobody declares. */
  readonly unmanaged?: boolean;
}

/** What the manifests declare, and the workspace that they belong to. */
interface Prepared {
  readonly is: "prepared";
  readonly declarations: Declarations;
  readonly workspace: Workspace;
  readonly files: number;
}

type Wrong = Extract<Planning, { readonly is: "wrong" }>;

/** Loads the manifests and their base, with what documents are repeated over from the services. */
export async function prepare(
  options: PlanOptions,
  { drift }: Purpose,
  { readLiveList }: Pick<Connections, "readLiveList">,
): Promise<Prepared | Wrong> {
  const head = await loadFromDisk(options, { readLiveList });
  const base = options.base === undefined ? undefined : await loadFromGit(options, options.base, { readLiveList });
  const { workspace, files } = head;
  const problems = [...head.problems, ...(base?.problems ?? []), ...emptySelections(options, declared(head, base))];
  if (problems.length > 0 || workspace === undefined) return { is: "wrong", problems, files };
  const names = workspace.services.map(({ name }) => name);
  const now = new Date();
  const declarations: Declarations = {
    kinds,
    desired: asOf(head.resources, kinds, now),
    base: base?.resources.filter(({ service }) => names.includes(service)) ?? (drift ? head.resources : undefined),
    selected: selects(options),
    now,
    undelivered: undeliveredIn(findWorkspace(options.workspace).folder),
  };
  return { is: "prepared", declarations, workspace, files };
}

/** Loads, observes and plans, over connections that cannot write. */
export async function planFrom(options: PlanOptions, purpose: Purpose, signal: AbortSignal): Promise<Planning> {
  const connections = connectOnce({ signal });
  try {
    const prepared = await prepare(options, purpose, connections);
    if (prepared.is === "wrong") return prepared;
    const { declarations, workspace, files } = prepared;
    const { planned, ...made } = await planOver(declarations, workspace, connections, {
      baseRef: options.base,
      guards: { ...workspace.guards, noDeletes: !options.deletes, noExec: options.allowExec === false },
      unmanaged: purpose.unmanaged === true,
      signal,
    });
    return planned.is === "planned" ? { ...planned, ...made } : { ...planned, files };
  } finally {
    await connections.close();
  }
}

/** A plan with what was declared for it, the services that it looked at, and what they said. */
interface PlanOver {
  readonly planned: Planned;
  /** With what nobody declares and should not exist. */
  readonly declarations: Declarations;
  readonly services: readonly Service[];
  readonly observations: ReadonlyMap<Address, Observation>;
}

/** How a plan is made. */
type PlanSettings = Pick<PlanInput, "baseRef" | "guards"> & {
  readonly unmanaged: boolean;
  readonly signal: AbortSignal;
};

/** Observes what is declared, over connections that cannot write, and plans. Throws `ProblemError` after an interrupt. */
export async function planOver(
  stated: Declarations,
  { services: all, exclusive }: Pick<Workspace, "services" | "exclusive">,
  connections: Connections,
  settings: PlanSettings,
): Promise<PlanOver> {
  const { operationsFor } = await import("../clients/operations.ts");
  const tables = new Map(all.map((service) => [service.name, operationsFor(service)]));
  const { sessions, readers } = await connections.open(all);
  const readsOf = (name: string) => sessions.get(name)?.requests.reads ?? 0;
  const endProgress = showProgress(() => {
    const asked = all.filter(({ name }) => readsOf(name) > 0);
    return `Reading ${asked.map(({ name }) => `${name} (${readsOf(name)})`).join(", ")} …`;
  });
  try {
    const { unwanted, unlisted, unmanaged } = await listUndeclared({
      kinds: stated.kinds,
      services: all,
      declared: stated.desired,
      exclusive,
      unmanaged: settings.unmanaged,
      selected: stated.selected,
      readers,
      now: stated.now,
    });
    const declarations = withUnwanted(stated, unwanted);
    const observations = await observe(declarations, readers);
    if (settings.signal.aborted)
      throw new ProblemError({ code: "SP5003", message: "The run was interrupted before all services had answered." });
    const looked = new Set([...subjectsOf(declarations), ...unlisted].map(({ service }) => service));
    const services = all.filter(({ name }) => looked.has(name) || readsOf(name) > 0);
    const planned = makePlan({
      ...declarations,
      ...settings,
      observations,
      unlisted,
      unmanaged: settings.unmanaged ? unmanaged : undefined,
      operationsOf: (name) => tables.get(name) ?? {},
      services: services.map(({ name, role, url }) => ({ name, role, url, reads: readsOf(name) })),
    });
    return { planned, declarations, services, observations };
  } finally {
    endProgress();
  }
}

/** What nobody declares is declared absent, now and at the base: somebody made it. */
function withUnwanted(declarations: Declarations, unwanted: readonly Resource[]): Declarations {
  const { desired, base = [] } = declarations;
  if (unwanted.length === 0) return declarations;
  const before = new Set(base.map(({ address }) => address));
  const others = unwanted.filter(({ address }) => !before.has(address));
  return { ...declarations, desired: [...desired, ...unwanted], base: [...base, ...others] };
}

function declared(head: Loaded, base: Loaded | undefined): Loaded["resources"] {
  return [...head.resources, ...(base?.resources ?? [])];
}
