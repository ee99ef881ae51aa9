import { existence } from "../core/acknowledgement.ts";
import type { Address } from "../core/resource.ts";
import type { IgnoredField, Plan } from "../core/run/plan.ts";
import type { Sink } from "../core/sink.ts";
import { shellWord } from "../core/text/words.ts";

/** A difference that is left alone until a day. */
export type AcknowledgedField = IgnoredField & { readonly until: string };

/** All differences of a plan that someone leaves alone until a day. */
export function acknowledgedOf({ ignored }: Pick<Plan, "ignored">): readonly AcknowledgedField[] {
  return ignored.filter((field): field is AcknowledgedField => field.until !== undefined);
}

/** The number of resources with a difference that someone leaves alone until a day. */
export function acknowledgedCount(plan: Pick<Plan, "ignored">): number {
  return new Set(acknowledgedOf(plan).map(({ address }) => address)).size;
}

/** The resources whose every difference is acknowledged, with the differences. Other acknowledged resources are among the changes. */
export function acknowledgedResources(
  plan: Pick<Plan, "ignored" | "changes">,
): ReadonlyMap<Address, readonly AcknowledgedField[]> {
  const changing = new Set(plan.changes.map(({ address }) => address));
  const calm = acknowledgedOf(plan).filter(({ address }) => !changing.has(address));
  return Map.groupBy(calm, ({ address }) => address);
}

/** What is left alone, until when, by whom and why. */
export function acknowledgementText({ field, until, by, reason }: AcknowledgedField): string {
  const what = field === existence ? "" : ` ${field}`;
  const who = by === undefined ? "" : ` by ${by}`;
  return `acknowledged${what} until ${until}${who}${reason === undefined ? "" : `: "${reason}"`}`;
}

/** What the manifests newly say that shows in no change, so that a reviewer sees it: with a title, by resource, and in words. */
export function newlySaid({ newlyAcknowledged = [], newlyDelivered = [] }: Plan) {
  const leftAlone = newlyAcknowledged.map(({ address, fields = [existence], until, ...said }) => {
    const field = fields.join(" and ");
    const words = until === undefined ? `ignores ${field}` : acknowledgementText({ address, field, until, ...said });
    return { address, words };
  });
  const delivered = newlyDelivered.map(({ address, to }) => ({ address, words: sinkWords(to) }));
  return [
    { title: "These manifests newly leave alone", entries: leftAlone },
    { title: "These manifests deliver the next secret elsewhere", entries: delivered },
  ].filter(({ entries }) => entries.length > 0);
}

function sinkWords(to: Sink): string {
  if ("command" in to) return `to the command ${to.command.map(shellWord).join(" ")}`;
  return "file" in to ? `to ${to.file}` : `to ${to.name} in ${to.dotenv}`;
}

/** The fields that are ignored without an end date. */
export function ignoredForGood(ignored: Plan["ignored"]): Plan["ignored"] {
  return ignored.filter(({ until }) => until === undefined);
}

/** The fields of a plan that are left alone, by resource. */
export type Ignored = ReadonlyMap<Address, Plan["ignored"]>;

/** The fields of a resource that are left alone, permanently or until a day, next to its verdict. */
export function ignoredWords(ignored: Ignored, address: Address): readonly string[] {
  const all = ignored.get(address) ?? [];
  const fields = ignoredForGood(all).map(({ field }) => field);
  return [
    ...(fields.length === 0 ? [] : [`ignores ${fields.join(" and ")}`]),
    ...acknowledgedOf({ ignored: all }).map(({ field, until }) => `${field} acknowledged until ${until}`),
  ];
}
