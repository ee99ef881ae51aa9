import type { PlannedCall } from "../../core/call.ts";
import type { Problem } from "../../core/problem.ts";
import { type Address, addressParts } from "../../core/resource.ts";
import type { Consent, Plan } from "../../core/run/plan.ts";
import { quotaText } from "../../core/run/quota.ts";
import { counted, grouped } from "../../core/text/words.ts";
import { legend } from "../meanings.ts";
import { listLines, wrap } from "./layout.ts";
import { reviewFirst } from "./risks.ts";
import type { Style } from "./style.ts";

/** The most resources to list for one risk; the rest are counted. */
const mostListed = 5;

/** The lines for the risks of a plan, so that nobody has to look for them; empty if there are none. */
export function riskLines({ changes }: Plan, all: boolean, style: Style): readonly string[] {
  const groups = reviewFirst(changes);
  if (groups.length === 0) return [];
  return [
    style.paint("bold", "Review first:"),
    ...groups.flatMap(({ words, addresses }) => [
      style.paint(legend.risk.paint, `  ${words}`),
      ...addressLines(addresses, all, style),
    ]),
  ];
}

/** The lines for resources that are no longer looked at, because their service left the workspace. */
export function orphanLines({ orphans = [] }: Plan, all: boolean, style: Style): readonly string[] {
  if (orphans.length === 0) return [];
  const services = [...new Set(orphans.map((address) => addressParts(address).service))].sort();
  const words = `Not looked at: ${counted(orphans.length, "resource")} of ${services.join(", ")}, which left the workspace. First delete what should not stay.`;
  return [...wrap(words, style.width), ...addressLines(orphans, all, style)];
}

function addressLines(addresses: readonly Address[], all: boolean, style: Style): readonly string[] {
  return listLines(addresses, { most: mostListed, all, indent: "    " }, style, (address) =>
    wrap(address, style.width, "    ", "      "),
  );
}

/** The plan with only the calls that are sent. */
export function sentOf(plan: Plan, withheld: ReadonlyMap<number, Problem> = new Map()): Plan {
  if (withheld.size === 0) return plan;
  const isSent = ({ id }: PlannedCall) => !withheld.has(id);
  const calls = plan.calls.filter(isSent);
  const groups = Map.groupBy(calls, ({ service, operation }) => `${service}.${operation}`);
  const writes = Object.fromEntries([...groups].map(([name, { length }]) => [name, length]));
  const { triggers = [], forecast } = plan;
  return { ...plan, calls, triggers: triggers.filter(isSent), forecast: { ...forecast, writes } };
}

/** How many calls of a saved plan are not sent. The report gives the reason for each. */
export function withheldWords(withheld: ReadonlyMap<number, Problem> = new Map()): readonly string[] {
  if (withheld.size === 0) return [];
  const codes = [...withheld.values()].map(({ code }) => code);
  const isUnread = codes.some((code) => code !== "SP4002" && code !== "SP4003");
  const hasMoved = codes.includes("SP4003") || !isUnread;
  const why = [
    ...(hasMoved ? ["something has changed since"] : []),
    ...(isUnread ? ["not everything could be read again"] : []),
  ];
  return [
    `${counted(withheld.size, "call")} of the saved plan ${withheld.size === 1 ? "is" : "are"} not made: ${why.join(", and ")}.`,
  ];
}

/** The commands that an apply gives new secrets to, which takes an option. A refused plan has named them. */
export function execWords({ refusals, calls }: Pick<Plan, "refusals" | "calls">): readonly string[] {
  if (refusals.length > 0) return [];
  const programs = calls.flatMap(({ deliver }) =>
    deliver !== undefined && "command" in deliver.to ? deliver.to.command.slice(0, 1) : [],
  );
  const [program, ...others] = new Set(programs);
  if (program === undefined) return [];
  const names = [program, ...others].join(", ");
  return [
    `${counted(programs.length, "new secret")} would go to ${others.length === 0 ? "the command" : "the commands"} ${names}: an apply needs --allow-exec.`,
  ];
}

/** What a complete apply starts, with the arguments. */
export function triggerWords({ refusals, triggers = [] }: Pick<Plan, "refusals" | "triggers">): readonly string[] {
  if (refusals.length > 0) return [];
  return triggers.map((call) => `After a complete apply: ${triggerText(call)}.`);
}

/** A call that a complete apply makes, with the arguments. */
export function triggerText({ service, operation, args }: PlannedCall): string {
  const stated = Object.entries(args).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return `${service}.${operation} with ${stated.join(", ")}`;
}

/** What was allowed for this run, as its options. */
export function consentWords({ consented }: { readonly consented?: Consent }): readonly string[] {
  if (consented === undefined) return [];
  const { accept = [], maxDeletes, maxDeletePercent } = consented;
  const given = [
    ...accept.map((what) => `--accept ${what}`),
    ...(maxDeletes === undefined ? [] : [`--max-deletes ${maxDeletes}`]),
    ...(maxDeletePercent === undefined ? [] : [`--max-delete-percent ${maxDeletePercent}`]),
  ];
  return [`Allowed for this run only: ${given.join(", ")}.`];
}

/** Which part of the declared resources a plan is about; empty if it is about all of them. */
export function partWords({ affected, shard }: Pick<Plan, "affected" | "shard">): readonly string[] {
  return [
    ...(affected === undefined ? [] : affectedWords(affected)),
    ...(shard === undefined ? [] : [shardWords(shard)]),
  ];
}

function affectedWords({ resources, others, rules = [] }: NonNullable<Plan["affected"]>): readonly string[] {
  return [
    `${grouped(resources)} affected, ${grouped(others)} not looked at.`,
    ...(rules.length === 0 ? [] : [`Rules of the workspace changed, so all of it was looked at: ${rules.join(", ")}.`]),
  ];
}

function shardWords({ index, of, resources }: NonNullable<Plan["shard"]>): string {
  const sizes = resources.map((groups) => Object.values(groups).reduce((sum, keys) => sum + keys.length, 0));
  const own = sizes[index - 1] ?? 0;
  const others = sizes.reduce((sum, size) => sum + size, 0) - own;
  return `Shard ${index} of ${of}: ${counted(own, "resource")}, and ${grouped(others)} that other shards look at.`;
}

/** What an apply takes from the quota of each service whose quota is known, and whether the quota suffices. */
export function quotaWords({ forecast: { services = {} } }: Plan, named = (service: string) => service) {
  return Object.entries(services).flatMap(([name, { requests, seconds, quota }]) => {
    if (quota === undefined) return [];
    const paced = seconds === undefined ? "" : `, in about ${lengthOf(seconds)}`;
    const sent = `about ${counted(requests, "request")} to ${named(name)}${paced}`;
    const suffices = quota.after >= 0;
    const text = suffices
      ? `After ${sent}: ${quotaText({ ...quota, remaining: quota.after })}.`
      : `The quota is not enough for ${sent}: ${quotaText(quota)}.`;
    return [{ text, suffices }];
  });
}

function lengthOf(seconds: number): string {
  if (seconds < 100) return counted(seconds, "second");
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? counted(minutes, "minute") : counted(Math.round(minutes / 60), "hour");
}
