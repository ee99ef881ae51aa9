import type { PlannedCall } from "../core/call.ts";
import type { Risk } from "../core/change.ts";
import type { Problem } from "../core/problem.ts";
import type { Address } from "../core/resource.ts";
import type { Consent, PlannedChange } from "../core/run/plan.ts";
import { execProblem } from "../core/sink.ts";
import { counted, grouped, shellWord, someOf } from "../core/text/words.ts";
import { spellings } from "./selection.ts";

/** The rules that refuse a plan: those of the workspace, and those that a run adds. */
export interface Guards {
  /** The most resources that one plan may delete. */
  readonly maxDeletes?: number | undefined;
  /** Percentage of a kind's live resources that one plan may delete, if there are at least ten. */
  readonly maxDeletePercent: number;
  /** Risks that each run must accept. */
  readonly accept?: readonly Risk[];
  /** Refuse every delete, and every other change that cannot be undone. */
  readonly noDeletes: boolean;
  /** Refuse to pass a new secret to a command. */
  readonly noExec?: boolean;
}

/** The number of live resources from which the share of deletes is limited. Of fewer, any may be deleted. */
const shareCountsFrom = 10;

/**
 * Returns why a plan must not be applied; empty if it may be. `live` counts live resources by service and kind. Nothing that
 * `consent` covers is refused, except deletes that the run itself forbids.
 */
export function refusals(
  changes: readonly PlannedChange[],
  live: ReadonlyMap<string, number>,
  isProtected: (address: Address) => boolean,
  guards: Guards,
  consent: Consent = {},
): readonly Problem[] {
  const accepted = new Set(consent.accept?.flatMap(spellings));
  const deletes = changes.filter(({ action }) => action === "delete");
  const problems: Problem[] = deletes
    .filter(({ address }) => isProtected(address) && !accepted.has(address))
    .map(({ address }) => ({
      code: "SP2002",
      address,
      message: `${address} is protected, and this plan would delete it.`,
      hint: `Remove metadata.protect first, in a separate commit, or allow it for this run only: --accept ${shellWord(address)}.`,
    }));
  const refuse = (message: string, hint: string) => problems.push({ code: "SP2002", message, hint });
  const count = `The plan deletes ${counted(deletes.length, "resource")}`;
  // An update can delete too: objects that a rule drops, or content that new content replaces.
  const losing = changes.filter(({ action, risks }) => action === "delete" || risks.includes("irreversible"));
  if (guards.noDeletes && losing.length > 0) {
    const what = losing.length === deletes.length ? count : "The plan deletes something that cannot be restored";
    refuse(
      `${what}, and --no-deletes forbids that: ${named(losing)}.`,
      "If this is intended, leave out --no-deletes for this run.",
    );
  }
  const maxDeletes = consent.maxDeletes ?? guards.maxDeletes;
  if (maxDeletes !== undefined && deletes.length > maxDeletes)
    refuse(
      `${count}; ${whose(consent.maxDeletes, "--max-deletes")} ${grouped(maxDeletes)}: ${named(deletes)}.`,
      `If all of them are intended, allow it for this run only: --max-deletes ${deletes.length}. Or delete in several steps.`,
    );
  const maxPercent = consent.maxDeletePercent ?? guards.maxDeletePercent;
  for (const [group, gone] of Map.groupBy(deletes, kindOf)) {
    const there = live.get(group) ?? 0;
    const percent = (gone.length * 100) / there;
    if (there >= shareCountsFrom && percent > maxPercent)
      refuse(
        `The plan deletes ${grouped(gone.length)} of ${grouped(there)} live ${group} resources; ${whose(consent.maxDeletePercent, "--max-delete-percent")} ${maxPercent} %: ${named(gone)}.`,
        `If all of them are intended, allow it for this run only: --max-delete-percent ${Math.ceil(percent)}. Or delete in several steps.`,
      );
  }
  for (const risk of guards.accept ?? []) {
    const risky = changes.filter(({ risks }) => risks.includes(risk));
    if (risky.length > 0 && !accepted.has(risk))
      refuse(
        `The plan ${riskVerbs[risk]}, and the workspace requires that to be accepted: ${named(risky)}.`,
        `If this is intended, allow it for this run only: --accept ${risk}.`,
      );
  }
  return problems;
}

const riskVerbs: Readonly<Record<Risk, string>> = {
  "widens-access": "widens access",
  "narrows-access": "narrows access",
  irreversible: "makes changes that cannot be undone",
  "secret-rotates": "rotates secrets",
};

/** Returns a problem for each call whose new secret would go to a command, if commands must not run. */
export function execRefusals(calls: readonly PlannedCall[], { noExec }: Guards): readonly Problem[] {
  if (noExec !== true) return [];
  return calls.flatMap(({ deliver, carries: [address = ""] }) =>
    deliver !== undefined && "command" in deliver.to ? [{ ...execProblem(deliver.to), address }] : [],
  );
}

/** Returns the group in which live resources and deletes are counted: `service/Kind`. */
export function kindOf({ service, kind }: { readonly service: string; readonly kind: string }): string {
  return `${service}/${kind}`;
}

function whose(consented: number | undefined, option: string): string {
  return consented === undefined ? "the workspace allows" : `${option} allows`;
}

/** Names at most 20 resources of a refusal and counts the others; the plan shows them all. */
function named(changes: readonly PlannedChange[]): string {
  return someOf(
    changes.map(({ address }) => address),
    20,
  );
}
