import type { PlannedCall } from "../../core/call.ts";
import type { Problem } from "../../core/problem.ts";
import { addressParts } from "../../core/resource.ts";
import type { Plan } from "../../core/run/plan.ts";
import { groupsBy } from "../../core/text/groups.ts";
import { canonicalJson } from "../../core/text/json.ts";
import { counted, inOrder, shellWord, shortCommit } from "../../core/text/words.ts";
import { ignoredForGood, newlySaid } from "../acknowledged.ts";
import { basisLines } from "../text/basis-text.ts";
import { mutedUntil } from "../text/drift-text.ts";
import {
  consentWords,
  execWords,
  partWords,
  quotaWords,
  sentOf,
  triggerText,
  withheldWords,
} from "../text/plan-notes.ts";
import { reviewFirst } from "../text/risks.ts";
import { unbounded, visible, visibleStrings } from "../text/style.ts";
import { commandOf, type PlannedRun } from "../text/summary.ts";
import { trustedLines } from "../text/trusted-text.ts";
import { unknownByProblem } from "../text/unknown-text.ts";
import type { PageCalls, PageData, PageGroup, PageLane, PageNote, PageNoteItem, PageRow } from "./page-data.ts";
import { dayAndTime, dayText, pageRows } from "./rows.ts";
import { countedOfServices, isCalm, sentenceOf } from "./sentence.ts";

const mostRuns = 90;

export function pageData(whole: PlannedRun): PageData {
  const facts = factsOf(whole);
  const subject = visibleStrings(shownPart(whole));
  const { plan, history = [] } = subject;
  const labels = labelIndex(plan);
  const since = sinceWords(subject);
  const rows = pageRows(subject, labels.of, hiddenIn(whole.plan));
  const listed = new Set(rows.map(({ address }) => address));
  return {
    command: commandOf(subject),
    hasBase: plan.base !== undefined,
    title: titleOf(subject),
    when: dayAndTime(plan.about.at),
    facts,
    sentence: sentenceOf(subject),
    isCalm: isCalm(subject),
    services: plan.services.map(({ name, reads }) => ({ name, reads })),
    notes: pageNotes(subject, withheldWords(whole.withheld)),
    rows,
    inSync: groupsOf(
      plan.inSync.filter((address) => !listed.has(visible(address))),
      labels.of,
    ),
    labels: labels.sets,
    ignored: ignoredForGood(plan.ignored).map(({ address, field }) => ({ address: visible(address), field })),
    unmanaged: (plan.unmanaged ?? []).map(visible),
    calls: pageCalls(subject, rows),
    mutedUntil: mutedUntil(plan),
    given: (subject.given ?? []).map((word) => ` ${shellWord(word)}`).join(""),
    history: history.slice(-mostRuns).map(({ at, counts }) => ({ at: dayAndTime(at), counts })),
    since,
  };
}

const titles = { plan: "Plan for", drift: "Drift of", apply: "Apply to" } as const;

function titleOf(subject: PlannedRun): string {
  const { workspace, environment } = subject.plan.about;
  return `${titles[commandOf(subject)]} ${workspace}${environment === undefined ? "" : `, ${environment}`}`;
}

/** The subject with only the calls that are sent, and without its many hashes, which only machines need. */
function shownPart({ withheld, ...subject }: PlannedRun): PlannedRun {
  const { plan, report } = subject;
  const bare = (one: Plan): Plan => {
    const { saved: _saved, ...rest } = sentOf(one, withheld);
    return { ...rest, fingerprints: {} };
  };
  return { ...subject, plan: bare(plan), report: report && { ...report, plan: bare(report.plan) } };
}

function factsOf({ plan, report }: PlannedRun): readonly string[] {
  const { base, basis, trusted, saved } = plan;
  const short = (commit: string | undefined) => (commit === undefined ? "" : ` ${shortCommit(commit)}`);
  const facts = [
    basis ? `base ${basis.ref}${short(basis.commit)}, ${basis.age} old` : base && `base ${base}`,
    trusted && `rules of ${trusted.ref}${short(trusted.commit)}`,
    saved?.manifests.commit && `made from commit${short(saved.manifests.commit)}`,
    saved && `can be applied until ${dayAndTime(saved.expires)}`,
    report && `run ${report.run}`,
  ];
  return facts.flatMap((fact) => (fact ? visible(fact) : []));
}

/** The addresses that have invisible characters, in their visible form. */
function hiddenIn({ changes }: Plan): ReadonlySet<string> {
  return new Set(changes.flatMap(({ address }) => (visible(address) === address ? [] : [visible(address)])));
}

/** The different sets of labels, and which of them a resource has. */
function labelIndex({ labels = {} }: Plan) {
  const groups = groupsBy(Object.entries(labels), ([, set]) => canonicalJson(set));
  const indexes = new Map(groups.flatMap(({ all }, index) => all.map(([address]) => [address, index] as const)));
  return { sets: groups.map(({ first: [, set] }) => set), of: (address: string) => indexes.get(visible(address)) };
}

function groupsOf(
  addresses: readonly string[],
  labelsOf: (address: string) => number | undefined,
): readonly PageGroup[] {
  const parts = addresses.map((address) => ({ ...addressParts(address), label: labelsOf(address) ?? -1 }));
  return groupsBy(parts, ({ service, kind }) => [service, kind]).map(({ first: { service, kind }, all }) => {
    const labels = all.map(({ label }) => label);
    return {
      service: visible(service),
      kind: visible(kind),
      keys: all.map(({ key }) => visible(key)),
      labels: labels.some((index) => index >= 0) ? labels : undefined,
    };
  });
}

function pageCalls({ plan, report }: PlannedRun, rows: readonly PageRow[]): PageCalls {
  const { calls, triggers = [], forecast } = plan;
  const outcomes = new Map(report?.calls.map(({ id, result }) => [id, result]));
  const positions = new Map(rows.map(({ address }, position) => [address, position]));
  const phases = Map.groupBy(calls, ({ phase }) => phase);
  const total = counted(calls.length, "call");
  const objects = new Set(calls.map(({ lane }) => lane)).size;
  const parts = `${counted(objects, "object")} in ${counted(phases.size, "phase")}`;
  return {
    summary: calls.length === 0 ? "" : `${total} on ${parts}`,
    counts: Object.entries(forecast.writes),
    phases: [...phases].sort(([a], [b]) => a - b).map(([_phase, inner]) => lanesOf(inner, positions, outcomes)),
    triggers: triggers.map(triggerText),
    quotas: report === undefined ? quotaWords(plan, visible) : [],
  };
}

function lanesOf(
  calls: readonly PlannedCall[],
  positions: ReadonlyMap<string, number>,
  outcomes: ReadonlyMap<number, string>,
): readonly PageLane[] {
  return [...Map.groupBy(calls, ({ lane }) => lane)].map(([lane, inner]) => ({
    lane: visible(lane),
    calls: inner.map(({ id, service, operation, carries }) => ({
      name: visible(`${service}.${operation}`),
      carries: carries.flatMap((address) => positions.get(visible(address)) ?? []),
      result: outcomes.get(id),
    })),
  }));
}

/** How long the oldest finding of the last run has existed. */
function sinceWords({ history = [] }: PlannedRun): string | undefined {
  const [first] = (history.at(-1)?.findings ?? []).map(({ firstSeen }) => firstSeen).sort(inOrder);
  if (first === undefined) return undefined;
  const runs = history.filter(({ at }) => at >= first).length;
  return `the oldest finding has existed since ${dayText(first)}, for ${counted(runs, "run")}`;
}

/** The most items of one note; the rest are counted. */
const mostItems = 20;

/** The notes to read before the rows, the most serious first. */
function pageNotes({ plan, report }: PlannedRun, withheld: readonly string[]): readonly PageNote[] {
  const { refusals, warnings = [], orphans = [], trusted, changes, about, basis } = plan;
  const rules =
    trusted === undefined
      ? []
      : trustedLines({ trusted: { ...trusted, onceMerged: [] }, unknown: [] }, true, unbounded);
  const quotas = report === undefined ? quotaWords(plan, visible) : [];
  const exceeded = quotas.flatMap(({ text, suffices }) => (suffices ? [] : [{ text }]));
  const risks = about.command === "plan" ? reviewFirst(changes) : [];
  return [
    note("bad", "The run itself had problems", (report?.problems ?? []).map(problemItem)),
    note("bad", "An apply refuses this plan", refusals.map(problemItem)),
    note("bad", "Could not be read", causes(plan)),
    ...risks.map(({ words, addresses }) =>
      note(
        "care",
        `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
        addresses.map((address) => ({ text: "", address: visible(address) })),
      ),
    ),
    ...newlySaid(plan).map(({ title, entries }) =>
      note(
        "care",
        title,
        entries.map(({ address, words }) => ({ text: `${visible(address)}: ${words}` })),
      ),
    ),
    note("care", "An apply sends more requests than the quota has left", exceeded),
    note("care", "Something might be missing here", warnings.map(problemItem)),
    note("care", "Once merged, this is judged differently", (trusted?.onceMerged ?? []).map(problemItem)),
    titled(rules),
    titled(basisLines(basis, true, unbounded)),
    note(
      "care",
      `Not looked at: ${counted(orphans.length, "resource")} of services that left the workspace`,
      orphans.map((address) => ({ text: visible(address) })),
    ),
    ...[...partWords(plan), ...consentWords(plan), ...(report === undefined ? execWords(plan) : []), ...withheld].map(
      (title): PageNote => ({ tone: "plain", title, items: [], more: 0 }),
    ),
  ].filter(({ title, items, tone }) => items.length > 0 || (tone === "plain" && title !== ""));
}

/** Why resources are unknown, without those that only need another unknown one. */
function causes({ unknown }: Plan): readonly PageNoteItem[] {
  const themselves = unknown.filter(({ problem }) => problem.code !== "SP2003");
  return unknownByProblem(themselves).map(({ first, all }) => {
    const { text, hint } = problemItem(first.problem);
    const address = all.length === 1 ? visible(first.address) : undefined;
    return { text: `${countedOfServices(all)}: ${text}`, hint, address };
  });
}

function note(tone: PageNote["tone"], title: string, items: readonly PageNoteItem[]): PageNote {
  return { tone, title, items: items.slice(0, mostItems), more: Math.max(0, items.length - mostItems) };
}

/** A note from lines for the terminal, the first of which is the title. */
function titled([title = "", ...lines]: readonly string[]): PageNote {
  return note(
    "plain",
    title.replace(/:$/, ""),
    lines.map((line) => ({ text: line.trim() })),
  );
}

function problemItem({ code, message, hint, address }: Problem): PageNoteItem {
  return { text: `${code} ${message}`, hint, address: address && visible(address) };
}
