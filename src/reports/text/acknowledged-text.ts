import { existence } from "../../core/acknowledgement.ts";
import { type Address, addressParts } from "../../core/resource.ts";
import type { Plan } from "../../core/run/plan.ts";
import { groupsBy } from "../../core/text/groups.ts";
import { inOrder } from "../../core/text/words.ts";
import { type AcknowledgedField, acknowledgedCount, acknowledgedOf, acknowledgedResources } from "../acknowledged.ts";
import { continuation, row, wrap } from "./layout.ts";
import type { Style } from "./style.ts";

/** How many resources have an acknowledged difference, and until when, for the last lines; undefined if none has. */
export function acknowledgedSummary(plan: Pick<Plan, "ignored">): string | undefined {
  const [first, ...later] = [...new Set(acknowledgedOf(plan).map(({ until }) => until))].sort(inOrder);
  if (first === undefined) return undefined;
  return `${acknowledgedCount(plan)} acknowledged${later.length === 0 ? "" : ", the first"} until ${first}`;
}

/** What is acknowledged about one resource, and by whom. */
function acknowledgementWords(fields: readonly AcknowledgedField[]): readonly string[] {
  return groupsBy(fields, ({ until, by, reason }) => [until, by, reason]).map(({ first, all }) => {
    const names = all.map(({ field }) => field).filter((field) => field !== existence);
    const what = ["acknowledged", ...(names.length === 0 ? [] : [names.join(" and ")])].join(" ");
    const who = first.by === undefined ? "" : ` by ${first.by}`;
    return `${what} until ${first.until}${who}: "${first.reason ?? ""}"`;
  });
}

/** The lines for the resources of a service whose every difference is acknowledged. */
export function acknowledgedLines(plan: Plan, service: string, style: Style): readonly string[] {
  return [...acknowledgedResources(plan)]
    .filter(([address]) => addressParts(address).service === service)
    .flatMap(([address, fields]) => calmLines(address, acknowledgementWords(fields), style));
}

/** The lines for a resource that needs no action, with the reason. */
export function calmLines(address: Address, words: readonly string[], style: Style): readonly string[] {
  const { kind, key } = addressParts(address);
  const unpainted = { ...style, paint: (_paint: unknown, text: string) => text };
  return row(`  = ${kind} ${key}`, words.join(", "), unpainted).map((line) => style.paint("dim", line));
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
