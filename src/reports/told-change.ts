import type { Risk, Verdict } from "../core/change.ts";
import type { About, PlannedChange } from "../core/run/plan.ts";
import type { Json } from "../core/text/json.ts";
import { riskWords } from "./text/risks.ts";

/** A change as a command tells it. */
export interface ToldChange {
  readonly action: PlannedChange["action"];
  readonly risks: readonly Risk[];
  /** The verdict, then what the change widens, narrows or loses. */
  readonly words: readonly string[];
  readonly fields: readonly ToldField[];
  /** Whether this is what happened to the service. */
  readonly hasHappened: boolean;
}

/** A field, with its values in the order in which they are shown. */
export interface ToldField {
  readonly name: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /** Which side changed the field, if it is not the one that changed the resource. */
  readonly side: string | undefined;
  /** Whether the whole resource is created or deleted, so that the field has only one value. */
  readonly isWhole: boolean;
}

/**
 * A plan tells what an apply would do. A drift tells what happened, from the manifests' value to the live one; of a change that
 * only the manifests made, it tells the same as a plan.
 */
export function toldChange(change: PlannedChange, command: About["command"]): ToldChange {
  const { action, fields, verdict } = change;
  const happened = command === "drift" ? change.happened : undefined;
  const hasHappened = happened !== undefined;
  const isWhole = action === "create" || action === "delete";
  return {
    action: action === "check" ? "check" : (happened?.action ?? action),
    risks: (happened ?? change).risks,
    words: command === "drift" ? happenedWords(change) : [verdict, ...change.risks.map(riskWords)],
    fields: fields.map((field) => ({
      name: field.path.join("."),
      // If only the manifests changed a field, its live value is the earlier one.
      ...(hasHappened && field.verdict !== "pending"
        ? { before: field.desired, after: field.live }
        : { before: field.live, after: field.desired }),
      side: field.verdict === verdict ? undefined : hasHappened ? changedSide[field.verdict] : field.verdict,
      isWhole,
    })),
    hasHappened,
  };
}

const changedSide: Readonly<Record<Verdict, string>> = {
  pending: "the manifests changed",
  drift: "the service changed",
  conflict: "both sides changed",
};

/** What happened in a change, and on which side. */
function happenedWords({ verdict, happened, risks }: PlannedChange): readonly string[] {
  if (happened === undefined) return [`${verdict}, only the manifests changed`, ...risks.map(riskWords)];
  const access = happened.risks.map((risk) => (risk === "widens-access" ? "widened" : "narrowed"));
  return [
    verdict === "conflict" ? "conflict, both sides changed" : verdict,
    ...(happened.action === "update" ? [] : [happened.action === "create" ? "was created" : "was deleted"]),
    ...(access.length === 0 ? [] : [`access was ${access.join(" and ")}`]),
  ];
}

/** The values of a field, and what they are in a difference. */
export function valuesOf({ before, after, isWhole }: ToldField) {
  const values = [
    { meaning: "before", value: before },
    { meaning: "after", value: after },
  ] as const;
  return values.filter(({ value }) => !isWhole || value !== undefined);
}
