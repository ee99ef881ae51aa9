import { type Address, addressParts } from "../../core/resource.ts";
import { countsOf, type Plan, type PlannedChange, type PlannedService } from "../../core/run/plan.ts";
import { groupsBy } from "../../core/text/groups.ts";
import { counted, grouped, inOrder } from "../../core/text/words.ts";
import {
  type AcknowledgedField,
  acknowledgedCount,
  acknowledgedOf,
  acknowledgedResources,
  acknowledgementText,
  ignoredForGood,
  ignoredWords,
  newlySaid,
} from "../acknowledged.ts";
import { legend } from "../meanings.ts";
import { personCount } from "../result-counts.ts";
import { basisLines } from "./basis-text.ts";
import { type ChangeOptions, changeLines } from "./change-text.ts";
import { answerLines, firstSeenIn, oldestWords, sinceWords } from "./drift-text.ts";
import { continuation, flow, listLines, pad, paragraphs, row, together, widest, wrap } from "./layout.ts";
import {
  consentWords,
  execWords,
  orphanLines,
  partWords,
  quotaWords,
  riskLines,
  sentOf,
  triggerWords,
  withheldWords,
} from "./plan-notes.ts";
import { problemLines } from "./problems.ts";
import { paintPart, type ScreenOptions, type Style, styleOf, visibleStrings } from "./style.ts";
import type { PlannedRun } from "./summary.ts";
import { trustedLines } from "./trusted-text.ts";
import { unknownLines } from "./unknown-text.ts";

export type PlanScreenOptions = ScreenOptions &
  Pick<ChangeOptions, "all"> &
  Pick<PlannedRun, "withheld" | "history" | "given">;

/** Renders a plan: the rules and the risks, then each service with the most serious first, then the refusals and what an apply would do. */
export function renderPlan(plan: Plan, options: PlanScreenOptions): string {
  const style = styleOf(options);
  const shown = visibleStrings(plan);
  const { all, quiet = false, given = [], withheld } = options;
  const isDrift = shown.about.command === "drift";
  const refusals = shown.refusals.flatMap((problem) => problemLines(problem, style));
  const details = quiet
    ? [
        // Services that only the rules of a pull request have; otherwise, the lines about these rules name them.
        unknownLines(
          shown.unknown.filter(({ service }) => !shown.services.some(({ name }) => name === service)),
          all,
          style,
        ),
        ...serviceBlocks({ ...shown, changes: [], inSync: [], ignored: [], unmanaged: [] }, options, style),
      ]
    : [
        trustedLines(shown, all, style),
        basisLines(shown.basis, all, style),
        isDrift ? [] : riskLines(shown, all, style),
        ...newlySaid(shown).map((said) => newlySaidLines(said, style)),
        ...serviceBlocks(shown, options, style),
      ];
  return paragraphs([
    (shown.warnings ?? []).flatMap((problem) => problemLines(problem, style)),
    ...details,
    orphanLines(shown, all, style),
    refusals.length === 0 ? [] : [style.paint("bold", "An apply would refuse this plan:"), ...refusals],
    [
      ...resultLines(sentOf(shown, withheld), options, style),
      ...partWords(shown).flatMap((text) => wrap(text, style.width)),
    ],
    isDrift ? answerLines(shown, given, style) : [],
  ]);
}

/** The lines for each service and its resources; empty for a service with nothing to show. */
function serviceBlocks(plan: Plan, { all, history }: PlanScreenOptions, style: Style): readonly (readonly string[])[] {
  const { command, at } = plan.about;
  const lasting = [...firstSeenIn(history)].flatMap(([address, seen]) => {
    const words = sinceWords(seen, at);
    return words === undefined ? [] : [[address, words] as const];
  });
  const ignored = Map.groupBy(plan.ignored, ({ address }) => address);
  const options = { all, command, since: new Map(lasting), basis: plan.basis, ignored };
  return plan.services.map((service) => serviceLines(plan, service, options, style));
}

function serviceLines(
  plan: Plan,
  { name, url, reads }: PlannedService,
  options: ChangeOptions,
  style: Style,
): readonly string[] {
  const { all, ignored } = options;
  const ofService = (address: Address) => addressParts(address).service === name;
  const changes = plan.changes.filter((change) => change.service === name).toSorted((a, b) => rank(a) - rank(b));
  const unknown = plan.unknown.filter((resource) => resource.service === name);
  const inSync = all ? plan.inSync.filter(ofService) : [];
  const left = all ? [...acknowledgedResources(plan)].filter(([address]) => ofService(address)) : [];
  const lines = [
    ...changes.flatMap((change) => changeLines(change, options, style)),
    ...unknownLines(unknown, all, style),
    ...left.flatMap(([address, fields]) => calmLines(address, acknowledgementWords(fields), style)),
    ...inSync.flatMap((address) => calmLines(address, ["in sync", ...ignoredWords(ignored, address)], style)),
    ...unmanagedLines((plan.unmanaged ?? []).filter(ofService), all, style),
  ];
  if (lines.length === 0) return [];
  const names = widest(plan.services, (each) => each.name);
  const [head = "", ...rest] = row(`${pad(name, names)}  ${url}`, counted(reads, "read"), style);
  return [paintPart(style, "bold", head, name), ...rest, ...lines];
}

const actionOrder = ["delete", "update", "create", "check"];

/** The rank of a change: conflicts first, then deletions. */
function rank({ action, verdict }: PlannedChange): number {
  return verdict === "conflict" ? -1 : actionOrder.indexOf(action);
}

/** The lines for the counts by verdict, and what an apply would do. */
function resultLines(plan: Plan, options: PlanScreenOptions, style: Style): readonly string[] {
  const { changes, unknown, inSync, refusals } = plan;
  if (changes.length + unknown.length + refusals.length > 0)
    return [...countLines(plan, options.history, style), ...closing(plan, options, style)];
  const acknowledged = acknowledgedResources(plan).size;
  if (inSync.length + acknowledged === 0) {
    const reason = partWords(plan).length === 0 ? "no resource is declared" : "no declared resource is in this part";
    return wrap(`There is nothing to look at: ${reason}.`, style.width);
  }
  const reads = plan.services.reduce((sum, service) => sum + service.reads, 0);
  const counts = [counted(inSync.length, "resource"), counted(reads, "read"), ...unchangedWords(plan)];
  return wrap(
    `Everything is as desired${acknowledged === 0 ? "" : " or acknowledged"}: ${counts.join(", ")}.`,
    style.width,
  );
}

function countLines(plan: Plan, history: PlanScreenOptions["history"], style: Style): readonly string[] {
  const { about, changes, unknown, inSync } = plan;
  const { pending, drift, conflict: conflicts, check: checks } = countsOf(changes);
  const drifted = changes.filter(({ verdict }) => verdict === "drift");
  const oldest = oldestWords(drifted, firstSeenIn(history), about.at);
  const counts = [
    count(inSync.length, "in sync"),
    count(pending, "pending"),
    count(drift, oldest === undefined ? "drift" : `drift, ${oldest}`),
    count(conflicts, conflicts === 1 ? "conflict" : "conflicts"),
    count(unknown.length, "unknown"),
    ...(checks > 0 ? [personCount(checks)] : []),
    ...unchangedWords(plan),
  ];
  return flow(counts, style.width, "   ").map((line) => style.paint("bold", line));
}

/** The counts of what a plan leaves as it is, although it is not as desired. */
function unchangedWords({ ignored, unmanaged = [] }: Plan): readonly string[] {
  const lasting = ignoredForGood(ignored);
  return [
    ...acknowledgedSummary({ ignored }),
    ...(lasting.length > 0 ? [counted(lasting.length, "ignored field")] : []),
    ...(unmanaged.length > 0 ? [count(unmanaged.length, "unmanaged")] : []),
  ];
}

function count(value: number, words: string): string {
  return `${grouped(value)} ${words}`;
}

function closing(plan: Plan, { withheld }: PlanScreenOptions, style: Style): readonly string[] {
  const sentences = (texts: readonly string[]) => texts.flatMap((text) => wrap(text, style.width));
  return [
    // That nothing is sent is what the words about the withheld calls say.
    ...sentences([
      ...consentWords(plan),
      ...(withheld?.size && plan.calls.length === 0 ? [] : [forecast(plan, style)]),
    ]),
    ...quotaWords(plan).flatMap(({ text, suffices }) =>
      wrap(text, style.width).map((line) => style.paint(suffices ? "dim" : legend.risk.paint, line)),
    ),
    ...sentences([
      ...execWords(plan),
      ...withheldWords(withheld),
      ...divisionWords(plan),
      ...triggerWords(plan),
      ...(plan.unknown.length > 0 ? ["Unknown resources are left alone until they can be read."] : []),
    ]),
  ];
}

function forecast({ about, refusals, changes, calls, forecast: { writes } }: Plan, { symbols }: Style): string {
  if (refusals.length > 0) return `Refused for ${counted(refusals.length, "reason")}: an apply would make no call.`;
  if (calls.length === 0) return "An apply would make no call.";
  const names = Object.entries(writes).map(([name, number]) => together(`${grouped(number)} ${symbols.times} ${name}`));
  const total = `${counted(calls.length, "call")}: ${names.join(", ")}.`;
  if (about.command === "plan") return `Apply would make ${total}`;
  const isUndone = changes.every(({ happened }) => happened !== undefined);
  return isUndone
    ? `An apply would undo this with ${total}`
    : `An apply would make everything as desired with ${total}`;
}

function divisionWords({ refusals, calls }: Plan): readonly string[] {
  const parts = calls.reduce((sum, call) => sum + (call.parts?.length ?? 0), 0);
  if (refusals.length > 0 || parts === 0) return [];
  return [`A joint call that is refused is sent in parts: ${counted(parts, "more call")} at most.`];
}

/** The most unmanaged objects of one kind to list; the rest are counted. */
const mostUnmanaged = 10;

/** The lines for live objects of one service that no manifest declares, by kind. */
function unmanagedLines(addresses: readonly Address[], all: boolean, style: Style): readonly string[] {
  const kinds = Map.groupBy(addresses, (address) => addressParts(address).kind);
  return [...kinds].flatMap(([kind, group]) =>
    listLines(group, { most: mostUnmanaged, all, indent: continuation }, style, (address) =>
      row(`  o ${kind} ${addressParts(address).key}`, "unmanaged", style),
    ),
  );
}

/** How many resources have an acknowledged difference, and until when; empty if none has. */
function acknowledgedSummary(plan: Pick<Plan, "ignored">): readonly string[] {
  const [first, ...later] = [...new Set(acknowledgedOf(plan).map(({ until }) => until))].sort(inOrder);
  if (first === undefined) return [];
  return [`${acknowledgedCount(plan)} acknowledged${later.length === 0 ? "" : ", the first"} until ${first}`];
}

/** What is acknowledged about one resource: fields for the same reason together. */
function acknowledgementWords(fields: readonly AcknowledgedField[]): readonly string[] {
  return groupsBy(fields, ({ until, by, reason }) => [until, by, reason]).map(({ first, all }) =>
    acknowledgementText({ ...first, field: all.map(({ field }) => field).join(" and ") }),
  );
}

/** The lines for a resource that needs no action, with the reason. */
function calmLines(address: Address, words: readonly string[], style: Style): readonly string[] {
  const { kind, key } = addressParts(address);
  const unpainted = { ...style, paint: (_paint: unknown, text: string) => text };
  return row(`  = ${kind} ${key}`, words.join(", "), unpainted).map((line) => style.paint("dim", line));
}

function newlySaidLines({ title, entries }: ReturnType<typeof newlySaid>[number], style: Style): readonly string[] {
  return [
    style.paint("bold", `${title}:`),
    ...entries.flatMap(({ address, words }) => [
      ...wrap(address, style.width, "  ", continuation),
      ...wrap(words, style.width, continuation),
    ]),
  ];
}
