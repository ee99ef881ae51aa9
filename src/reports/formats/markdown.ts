import type { Problem } from "../../core/problem.ts";
import type { Basis, Plan, RuleChange, Trusted } from "../../core/run/plan.ts";
import { counted, grouped, someOf } from "../../core/text/words.ts";
import { acknowledgedOf, acknowledgementText, newlySaid } from "../acknowledged.ts";
import { lineText, problemWhere } from "../places.ts";
import { summaryOf } from "../result-counts.ts";
import { basisWords } from "../text/basis-text.ts";
import { answersOf, firstSeenIn, sinceWords } from "../text/drift-text.ts";
import { consentWords, execWords, partWords, quotaWords, triggerWords, withheldWords } from "../text/plan-notes.ts";
import { isRisky, reviewFirst } from "../text/risks.ts";
import { type PlannedRun, type ResourceRow, type RunResult, resourceRows } from "../text/summary.ts";
import { judgedDifferently, rulesWords } from "../text/trusted-text.ts";
import { unknownByProblem } from "../text/unknown-text.ts";
import { valueTexts } from "../values.ts";
import { resultTitles } from "../verdict-titles.ts";
import { codeSpan, commandSpan, longest, type MarkdownEntry, markdownPage, type Section } from "./markdown-page.ts";
import { rowEntry } from "./markdown-row.ts";

/** The most entries of a list to show; the rest are counted. */
const mostListed = 20;

/** Renders a comment or a summary page: what to review first, then the changes with folded details. `most` is in characters. */
export function renderMarkdown(result: RunResult, most = longest): string {
  const sections = "problems" in result ? [problemSection("", result.problems, Infinity)] : planSections(result);
  return markdownPage(`### ${summaryOf(result)}`, sections, most);
}

function planSections(subject: PlannedRun): readonly Section[] {
  const { plan, report } = subject;
  const { refusals, warnings = [], trusted, orphans = [], unmanaged = [], changes, about } = plan;
  const risks = about.command === "drift" ? [] : reviewFirst(changes);
  const rows = resourceRows(subject);
  const riskSection = listSection(
    report === undefined ? "**Review first**" : "**Risks**",
    risks.flatMap(({ words, addresses }) => addresses.map((address) => `${words}: ${codeSpan(address)}`)),
  );
  return [
    problemSection("**The run itself had problems**", report?.problems ?? []),
    problemSection("**Refused**", refusals),
    ...(report === undefined ? [riskSection] : []),
    ...newlySaid(plan).map(({ title, entries }) =>
      listSection(
        `**${title}**`,
        entries.map(({ address, words }) => `${codeSpan(address)}: ${codeSpan(words)}`),
      ),
    ),
    problemSection("**Something might be missing here**", warnings),
    ...trustedSections(trusted, plan),
    ...basisSections(plan.basis),
    listSection("**Not looked at: its service left the workspace**", orphans.map(codeSpan)),
    listSection("", [...partWords(plan), ...consentWords(plan)].map(codeSpan).concat(withheldWords(subject.withheld))),
    ...changeSections(subject, rows),
    ...(report === undefined ? [] : [riskSection]),
    listSection("**How to answer**", about.command === "drift" ? answers(subject) : []),
    unknownSection(plan),
    listSection(
      "**Left alone until a date**",
      acknowledgedOf(plan).map((one) => `${codeSpan(one.address)}: ${codeSpan(acknowledgementText(one))}`),
    ),
    listSection("**Live, but declared nowhere**", unmanaged.map(codeSpan)),
    listSection("", report === undefined && about.command === "plan" ? callLines(plan) : []),
  ];
}

/** The sections of changes. An apply has one for each result, the gravest first; other runs separate the manifests' changes from drift. */
function changeSections({ plan, report, history }: PlannedRun, rows: readonly ResourceRow[]): readonly Section[] {
  const changing = rows.filter(({ change }) => change !== undefined);
  const { command, at } = plan.about;
  const isDrift = command === "drift";
  const since = firstSeenIn(history);
  const entryOf = (row: ResourceRow) => rowEntry(row, sinceWords(since.get(row.address), at));
  const part = (title: string, own: readonly ResourceRow[]) => rowSection(title, own, entryOf);
  if (report !== undefined) {
    const groups = Map.groupBy(changing, ({ result = "check" }) => (result === "unknown" ? "unknown result" : result));
    const { applied, ...left } = resultTitles;
    const titles = Object.entries({ ...left, check: "Needs a person", applied });
    return titles.map(([result, title]) => part(`**${title}**`, groups.get(result) ?? []));
  }
  if (plan.base === undefined && !isDrift) return [part("**Changes**", changing)];
  const isDrifted = ({ verdict }: ResourceRow) => verdict === "drift" || (isDrift && verdict === "conflict");
  const drifted = changing.filter(isDrifted);
  const declared = changing.filter((row) => !isDrifted(row));
  return isDrift
    ? [part("**What happened to the services**", drifted), part("**What only the manifests changed**", declared)]
    : [part("**What this change does**", declared), part("**What had drifted before**", drifted)];
}

function answers({ plan, given = [] }: PlannedRun): readonly string[] {
  return answersOf(plan, given, "…").map(({ label, text, remark }) =>
    [`${label}: ${commandSpan(text)}`, ...(remark === "" ? [] : [remark])].join(" · "),
  );
}

function rowSection(
  title: string,
  rows: readonly ResourceRow[],
  entryOf: (row: ResourceRow) => MarkdownEntry,
): Section {
  const ordered = [0, 1, 2].flatMap((rank) => rows.filter((row) => rankOf(row) === rank));
  return {
    title: `${title} (${grouped(rows.length)})`,
    entries: ordered.map(entryOf),
    most: Infinity,
    left: (start) => {
      const rest = ordered.slice(start);
      const risky = rest.filter(isRisky).length;
      return `… and ${counted(rest.length, "more change")}${risky > 0 ? `, ${grouped(risky)} of them with risks` : ""}.`;
    },
  };
}

/** The rank of a row: conflicts first, then risky changes. */
function rankOf(row: ResourceRow): number {
  return row.verdict === "conflict" ? 0 : isRisky(row) ? 1 : 2;
}

function listSection(title: string, lines: readonly string[], most = mostListed, total = lines.length): Section {
  return {
    title,
    entries: lines.map((line): MarkdownEntry => ({ line: () => `- ${line}` })),
    most,
    left: (start) => `… and ${grouped(total - start)} more.`,
  };
}

function problemSection(title: string, problems: readonly Problem[], most = mostListed): Section {
  return listSection(title, problems.map(problemLine), most);
}

function problemLine(problem: Problem): string {
  const { code, message, hint, address } = problem;
  const where = problemWhere(problem);
  return [
    ...(where === "" ? [] : [codeSpan(where)]),
    `${code} ${codeSpan(message)}`,
    ...(address === undefined || message.includes(address) ? [] : [codeSpan(address)]),
    ...(hint === undefined ? [] : [`hint: ${codeSpan(hint)}`]),
  ].join(" · ");
}

function trustedSections(trusted: Trusted | undefined, { unknown }: Plan): readonly Section[] {
  if (trusted === undefined) return [];
  const words = rulesWords(trusted, codeSpan);
  if (trusted.changes.length === 0) return [listSection("", [words])];
  return [
    listSection(`**${words}**`, trusted.changes.map(ruleLine)),
    problemSection("**Once merged, this is judged differently**", judgedDifferently(trusted, unknown)),
  ];
}

function ruleLine({ file, path, trusted, head, place }: RuleChange): string {
  const where = lineText(place) || file;
  const name = path.length === 0 ? "the whole file" : codeSpan(path.join("."));
  return `${codeSpan(where)} ${name}: ${valueTexts(trusted, head).map(codeSpan).join(" → ")}`;
}

function basisSections(basis: Basis | undefined): readonly Section[] {
  const words = basisWords(basis, codeSpan);
  if (basis === undefined || words === "") return [];
  const { commits, subjects, relation } = basis;
  return [relation === "before" ? listSection(words, subjects.map(codeSpan), 3, commits) : listSection("", [words])];
}

/** The unknown resources, grouped by reason. */
function unknownSection({ unknown }: Plan): Section {
  const lines = unknownByProblem(unknown).map(({ first, all }) => {
    const addresses = all.map(({ address }) => codeSpan(address));
    const { code, message, hint } = first.problem;
    const what = `${code} ${codeSpan(message)}: ${someOf(addresses, 3)}`;
    return hint === undefined ? what : `${what} · hint: ${codeSpan(hint)}`;
  });
  return listSection(`**Unknown: could not be read** (${grouped(unknown.length)})`, lines);
}

function callLines(plan: Plan): readonly string[] {
  const { calls, refusals, forecast } = plan;
  if (refusals.length > 0) return ["An apply would make no call."];
  if (calls.length === 0) return [];
  const names = Object.entries(forecast.writes).map(([name, count]) => `${grouped(count)} × ${codeSpan(name)}`);
  const shown = names.slice(0, mostListed);
  const more = names.length - shown.length;
  const rest = more > 0 ? ` and ${counted(more, "more operation")}` : "";
  const quotas = quotaWords(plan, codeSpan).map(({ text, suffices }) => (suffices ? text : `**${text}**`));
  return [
    `Apply would make ${counted(calls.length, "call")}: ${shown.join(", ")}${rest}.`,
    ...quotas,
    ...[...execWords(plan), ...triggerWords(plan)].map(codeSpan),
  ];
}
