import { withParts } from "../../core/call.ts";
import type { Address } from "../../core/resource.ts";
import type { Plan, PlannedChange } from "../../core/run/plan.ts";
import { asJson } from "../../planner/decide.ts";
import type { Decided } from "../../planner/subjects.ts";
import type { Before } from "./journal.ts";

/** Returns the state before each change of a plan, for the journal: a way back is planned from it. */
export function beforeOf(plan: Plan, decided: readonly Decided[]): readonly Before[] {
  const planned = new Map(plan.changes.map((change) => [change.address, change]));
  const renewed = new Set(
    withParts(plan.calls).flatMap(({ carries, deliver }) => (deliver === undefined ? [] : carries)),
  );
  return decided.flatMap(({ address, service, kind, decision }): readonly Before[] => {
    const shown = planned.get(address);
    if (shown === undefined || decision.is !== "change") return [];
    const { change } = decision;
    if (change.action === "check" || shown.action === "check") return [];
    const needsPerson = reasonOf(shown, renewed);
    return [
      {
        address,
        service,
        kind: kind.kind,
        action: change.action,
        ...(change.action === "create" ? {} : { live: asJson(change.live) }),
        ...(change.action === "delete" ? {} : { desired: asJson(change.desired) }),
        ...(change.action === "update"
          ? { fields: [...new Set(change.fields.flatMap(({ path: [name] }) => name ?? []))] }
          : {}),
        ...(needsPerson === undefined ? {} : { needsPerson }),
      },
    ];
  });
}

/** Returns why no plan can undo a change; undefined if one can. */
function reasonOf({ address, risks }: PlannedChange, renewed: ReadonlySet<Address>): string | undefined {
  if (renewed.has(address) || risks.includes("secret-rotates"))
    return "A secret was renewed, and its users have the new one.";
  return risks.includes("irreversible") ? "What the run did to it cannot be undone." : undefined;
}
