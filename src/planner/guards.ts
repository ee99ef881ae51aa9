import type { PlannedCall } from "../core/call.ts";
import type { PlannedChange } from "../core/plan.ts";
import type { Problem } from "../core/problem.ts";
import type { Address } from "../core/resource.ts";
import { execProblem } from "../core/sink.ts";

/** The rules of a workspace that refuse a plan. */
export interface Guards {
  /** Deletes in one plan at most. */
  readonly maxDeletes?: number | undefined;
  /** Percentage of a kind's live resources that one plan may delete, once there are ten. */
  readonly maxDeletePercent: number;
  /** Refuse every delete, and every other change that cannot be undone. */
  readonly noDeletes: boolean;
  /** Refuse to give a new secret to a command. */
  readonly noExec?: boolean;
}

/** From this number of live resources on the share of deletes counts; of fewer, any may go. */
const shareCountsFrom = 10;

/** Why a plan must not be applied; empty if it may be. `live` counts live resources by service and kind. */
export function refusals(
  changes: readonly PlannedChange[],
  live: ReadonlyMap<string, number>,
  isProtected: (address: Address) => boolean,
  guards: Guards,
): readonly Problem[] {
  const deletes = changes.filter(({ action }) => action === "delete");
  const problems: Problem[] = deletes
    .filter(({ address }) => isProtected(address))
    .map(({ address }) => ({
      code: "SP2002",
      address,
      message: `${address} is protected, and this plan would delete it.`,
      hint: "Remove metadata.protect first, in a separate commit.",
    }));
  // An update may delete too: what a rule lets go, or what a new content replaces.
  const losing = changes.filter(({ action, risks }) => action === "delete" || risks.includes("irreversible"));
  if (guards.noDeletes && losing.length > 0) {
    const what = losing.length === deletes.length ? count(deletes.length) : "The plan deletes what cannot be restored";
    const addresses = losing.map(({ address }) => address).join(", ");
    problems.push({ code: "SP2002", message: `${what} and --no-deletes forbids any: ${addresses}.` });
  }
  if (guards.maxDeletes !== undefined && deletes.length > guards.maxDeletes)
    problems.push({
      code: "SP2002",
      message: `${count(deletes.length)}; the workspace allows ${guards.maxDeletes}.`,
      hint: "Review the deletes in the plan. If you intend them, raise guards.maxDeletes or delete in several steps.",
    });
  for (const [group, gone] of Map.groupBy(deletes, kindOf)) {
    const there = live.get(group) ?? 0;
    if (there >= shareCountsFrom && (gone.length * 100) / there > guards.maxDeletePercent)
      problems.push({
        code: "SP2002",
        message: `${count(gone.length)} of ${there} live ${group} resources; the workspace allows ${guards.maxDeletePercent} %.`,
        hint: "Review the deletes in the plan. If you intend them, raise guards.maxDeletePercent or delete in several steps.",
      });
  }
  return problems;
}

/** Why calls must not be made: secrets that would go to commands if none may run. */
export function execRefusals(calls: readonly PlannedCall[], { noExec }: Guards): readonly Problem[] {
  if (noExec !== true) return [];
  return calls.flatMap(({ deliver, carries: [address = ""] }) =>
    deliver !== undefined && "command" in deliver.to ? [{ ...execProblem(deliver.to), address }] : [],
  );
}

/** The group in which live resources and deletes are counted. */
export function kindOf({ service, kind }: { readonly service: string; readonly kind: string }): string {
  return `${service}/${kind}`;
}

function count(deletes: number): string {
  return deletes === 1 ? "The plan deletes 1 resource" : `The plan deletes ${deletes} resources`;
}
