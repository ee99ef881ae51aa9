import type { Plan } from "../core/plan.ts";
import { type Problem, ProblemError } from "../core/problem.ts";
import type { Service } from "../core/workspace.ts";
import { observe, openReaders } from "../engine/observe.ts";
import type { Loaded } from "../manifests/load.ts";
import type { PlanInput, Planned } from "../planner/plan.ts";
import { makePlan } from "../planner/plan.ts";
import type { Declarations } from "../planner/subjects.ts";
import { subjectsOf } from "../planner/subjects.ts";
import { kinds } from "../reconcilers/registry.ts";
import type { PlanOptions } from "./options.ts";
import { showProgress } from "./progress.ts";
import { emptySelections, selects } from "./selection.ts";
import type { ConnectionSettings } from "./sessions.ts";
import { openSessions } from "./sessions.ts";
import { loadFromDisk, loadFromGit } from "./workspace.ts";

/** A plan with what it was made from, or what is wrong with the input. */
export type Planning =
  | {
      readonly is: "planned";
      readonly plan: Plan;
      readonly declarations: Declarations;
      readonly services: readonly Service[];
    }
  | { readonly is: "wrong"; readonly problems: readonly Problem[]; readonly files: number };

/**
 * Loads, observes and plans. `drift`: without a base the manifests themselves are the base, so that every difference is
 * somebody's doing on the service.
 */
export async function planFrom(options: PlanOptions, drift: boolean, signal: AbortSignal): Promise<Planning> {
  const head = await loadFromDisk(options);
  const base = options.base === undefined ? undefined : await loadFromGit(options, options.base);
  const { workspace } = head;
  const problems = [...head.problems, ...(base?.problems ?? []), ...emptySelections(options, declared(head, base))];
  if (problems.length > 0 || workspace === undefined) return { is: "wrong", problems, files: head.files };

  const names = workspace.services.map(({ name }) => name);
  const declarations: Declarations = {
    kinds,
    desired: head.resources,
    base: base?.resources.filter(({ service }) => names.includes(service)) ?? (drift ? head.resources : undefined),
    selected: selects(options),
    now: new Date(),
  };
  const guards = { ...workspace.guards, noDeletes: !options.deletes };
  const { planned, services } = await planOver(declarations, workspace.services, {
    baseRef: options.base,
    guards,
    signal,
  });
  return planned.is === "planned" ? { ...planned, declarations, services } : { ...planned, files: head.files };
}

/** A plan with the services that it looked at. */
interface PlanOver {
  readonly planned: Planned;
  readonly services: readonly Service[];
}

/** Observes what is declared, over connections that cannot write, and plans. Throws `ProblemError` after an interrupt. */
export async function planOver(
  declarations: Declarations,
  all: readonly Service[],
  settings: ConnectionSettings & Pick<PlanInput, "baseRef" | "guards">,
): Promise<PlanOver> {
  const looked = new Set(subjectsOf(declarations).map(({ service }) => service));
  const services = all.filter(({ name }) => looked.has(name));
  const { operationsOf } = await import("../clients/operations.ts");
  const { sessions, close } = await openSessions(services, "read", settings);
  const endProgress = showProgress(
    () => `Reading ${services.map(({ name }) => `${name} (${sessions.get(name)?.requests.reads ?? 0})`).join(", ")} …`,
  );
  try {
    const observations = await observe(declarations, openReaders(sessions));
    if (settings.signal.aborted)
      throw new ProblemError({ code: "SP5003", message: "The run was interrupted before all services had answered." });
    const planned = makePlan({
      ...declarations,
      ...settings,
      observations,
      operationsOf: (name) => operationsOf(services.find((service) => service.name === name)?.role ?? "artifacts"),
      services: services.map(({ name, role, url }) => ({
        name,
        role,
        url,
        reads: sessions.get(name)?.requests.reads ?? 0,
      })),
    });
    return { planned, services };
  } finally {
    endProgress();
    await close();
  }
}

function declared(head: Loaded, base: Loaded | undefined): Loaded["resources"] {
  return [...head.resources, ...(base?.resources ?? [])];
}
