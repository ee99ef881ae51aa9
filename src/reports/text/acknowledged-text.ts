import { existence } from "../../core/acknowledgement.ts";
import type { Address } from "../../core/resource.ts";
import type { Plan } from "../../core/run/plan.ts";
import { inOrder } from "../../core/text/words.ts";
import { continuation, row, wrap } from "./layout.ts";
import type { Style } from "./style.ts";
import { type AcknowledgedField, acknowledgedOf } from "./summary.ts";

/** The fields of a plan that are left alone, by resource. */
export type Ignored = ReadonlyMap<Address, Plan["ignored"]>;

/** The fields that are ignored without an end date. */
export function ignoredForGood(ignored: Plan["ignored"]): Plan["ignored"] {
  return ignored.filter(({ until }) => until === undefined);
}

/** The resources whose every difference is acknowledged, with the differences. Other acknowledged resources are among the changes. */
export function acknowledgedResources(
  plan: Pick<Plan, "ignored" | "changes">,
): ReadonlyMap<Address, readonly AcknowledgedField[]> {
  const changing = new Set(plan.changes.map(({ address }) => address));
  const calm = acknowledgedOf(plan).filter(({ address }) => !changing.has(address));
  return Map.groupBy(calm, ({ address }) => address);
}

/** The count of resources with an acknowledged difference, and until when, for the last lines; undefined if there are none. */
export function acknowledgedCount(plan: Pick<Plan, "ignored">): string | undefined {
  const acknowledged = acknowledgedOf(plan);
  const count = new Set(acknowledged.map(({ address }) => address)).size;
  const [first, ...later] = [...new Set(acknowledged.map(({ until }) => until))].sort(inOrder);
  if (first === undefined) return undefined;
  return later.length === 0
    ? `${count} acknowledged until ${first}`
    : `${count} acknowledged, the first until ${first}`;
}

/** What is acknowledged about one resource, and by whom. */
function acknowledgementWords(fields: readonly AcknowledgedField[]): readonly string[] {
  const groups = Map.groupBy(fields, ({ until, by, reason }) => JSON.stringify([until, by, reason]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const names = group.map(({ field }) => field).filter((field) => field !== existence);
    const what = ["acknowledged", ...(names.length === 0 ? [] : [names.join(" and ")])].join(" ");
    const who = first.by === undefined ? "" : ` by ${first.by}`;
    return [`${what} until ${first.until}${who}: "${first.reason ?? ""}"`];
  });
}

/** The lines for the resources of a service whose every difference is acknowledged. */
export function acknowledgedLines(plan: Plan, service: string, style: Style): readonly string[] {
  return [...acknowledgedResources(plan)]
    .filter(([address]) => address.startsWith(`${service}/`))
    .flatMap(([address, fields]) => calmLines(address, acknowledgementWords(fields), style));
}

/** The lines for a resource that needs no action, with the reason. */
export function calmLines(address: Address, words: readonly string[], style: Style): readonly string[] {
  const [, kind = "", ...key] = address.split("/");
  return row(`  = ${kind} ${key.join("/")}`, words.join(", "), style.width, (right) => right).map((line) =>
    style.paint("dim", line),
  );
}

/** The lines for what the manifests newly acknowledge, so that a reviewer sees what will be left alone. */
export function newAcknowledgementLines({ newlyAcknowledged = [] }: Plan, style: Style): readonly string[] {
  if (newlyAcknowledged.length === 0) return [];
  return [
    style.paint("bold", "These manifests newly leave alone:"),
    ...newlyAcknowledged.flatMap(({ address, fields = [existence], ...said }) => [
      ...wrap(address, style.width, "  ", continuation),
      ...acknowledgementWords(fields.map((field) => ({ address, field, ...said }))).flatMap((words) =>
        wrap(words, style.width, continuation),
      ),
    ]),
  ];
}

/** The fields of a resource that are left alone, permanently or until a day, next to its verdict. */
export function ignoredWords(ignored: Ignored, address: Address): readonly string[] {
  const all = ignored.get(address) ?? [];
  const fields = ignoredForGood(all).map(({ field }) => field);
  const forNow = acknowledgedOf({ ignored: all });
  return [
    ...(fields.length === 0 ? [] : [`ignores ${fields.join(" and ")}`]),
    ...forNow.map(({ field, until }) => `${field} acknowledged until ${until}`),
  ];
}
