import type { PlannedService, UnknownResource } from "../core/plan.ts";
import { ProblemError } from "../core/problem.ts";
import type { Address, Resource } from "../core/resource.ts";
import type { Service } from "../core/service.ts";
import type { Exclusive } from "../manifests/workspace/read-workspace.ts";
import type { Declarations, Observed } from "../planner/subjects.ts";
import { observe } from "./observe.ts";
import type { Connections } from "./sessions.ts";
import { listUndeclared } from "./undeclared.ts";

/** What services said of what is declared. */
export interface Looked extends Observed {
  /** With what nobody declares and should not exist. */
  readonly declarations: Declarations;
  /** Kinds whose live objects could not be listed, each as `service/Kind/*`. */
  readonly unlisted: readonly UnknownResource[];
  /** Live objects of the declared kinds that nobody declares; undefined if they were not asked for. */
  readonly unmanaged: readonly Address[] | undefined;
  /** The services that were looked at. */
  readonly services: readonly Service[];
  readonly reads: readonly PlannedService[];
}

/** Where to look, and for what. */
export interface LookSettings {
  readonly services: readonly Service[];
  readonly exclusive: readonly Exclusive[];
  /** Whether to list what nobody declares of the other declared kinds too. */
  readonly unmanaged: boolean;
  readonly signal: AbortSignal;
}

/** Looks at the services over connections that cannot write. Throws `ProblemError` SP5003 after an interrupt. */
export async function look(
  stated: Declarations,
  { services: all, exclusive, unmanaged: asked, signal }: LookSettings,
  connections: Connections,
): Promise<Looked> {
  const { sessions, readers } = await connections.open(all);
  const { unwanted, unlisted, unmanaged } = await listUndeclared({
    kinds: stated.kinds,
    services: all,
    declared: stated.desired,
    exclusive,
    unmanaged: asked,
    selected: stated.selected,
    readers,
    now: stated.now,
  });
  const declarations = withUnwanted(stated, unwanted);
  const observed = await observe(declarations, readers);
  if (signal.aborted)
    throw new ProblemError({ code: "SP5003", message: "The run was interrupted before all services had answered." });
  const readsOf = (name: string) => sessions.get(name)?.requests.reads ?? 0;
  const looked = new Set([...observed.decided, ...unlisted].map(({ service }) => service));
  const services = all.filter(({ name }) => looked.has(name) || readsOf(name) > 0);
  return {
    declarations,
    ...observed,
    unlisted,
    unmanaged: asked ? unmanaged : undefined,
    services,
    reads: services.map(({ name, role, url }) => ({ name, role, url, reads: readsOf(name) })),
  };
}

/** What nobody declares is declared absent, now and at the base: somebody made it. */
function withUnwanted(declarations: Declarations, unwanted: readonly Resource[]): Declarations {
  const { desired, base = [] } = declarations;
  if (unwanted.length === 0) return declarations;
  const before = new Set(base.map(({ address }) => address));
  const others = unwanted.filter(({ address }) => !before.has(address));
  return { ...declarations, desired: [...desired, ...unwanted], base: [...base, ...others] };
}
