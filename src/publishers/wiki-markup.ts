import type { Problem } from "../core/problem.ts";
import { momentText } from "../core/text/moment.ts";
import { counted, grouped } from "../core/text/words.ts";
import { neutralXml } from "../reports/neutral.ts";
import { lineText } from "../reports/places.ts";
import { eventText } from "../reports/text/change-text.ts";
import { recentEvents } from "../reports/text/drift-text.ts";
import { riskWords } from "../reports/text/risks.ts";
import { unbounded } from "../reports/text/style.ts";
import { type PlannedRun, type ResourceRow, resourceRows } from "../reports/text/summary.ts";
import { fieldChange } from "../reports/values.ts";
import { verdictTitles } from "../reports/verdict-titles.ts";
import { countLine } from "./counts.ts";
import { type Edition, type News, runTitle } from "./publisher.ts";

/** The most rows of a table or entries of a list. The rest are counted, to keep the page small enough to open. */
const most = 300;
const mostFields = 20;
const mostEvents = 3;

/** The report as storage markup: refusals and errors first, then what this change does, what had drifted, and what is unknown. */
export function wikiMarkup(edition: Edition, news: News): string {
  const { at, facts } = edition;
  const link = facts.link === undefined || at === "" ? "" : ` <a href="${neutralXml(facts.link)}">Its log</a>.`;
  return [
    `<h1>setpoint ${neutralXml(runTitle(edition))}</h1>`,
    `<p><strong>${neutralXml(countLine(news, edition.command))}.</strong></p>`,
    `<p>From the run of ${neutralXml(momentText(at))}.${link} Later runs with the same result leave this page as it is.</p>`,
    ...(news.is === "made" ? sections(news.subject, edition) : []),
    ...(news.is === "wrong" ? section("Errors", news.problems.map(problemItem)) : []),
  ].join("\n");
}

function sections(subject: PlannedRun, { command, at }: Edition): readonly string[] {
  const rows = resourceRows(subject).map((one) => ({
    ...one,
    // That a token is used every day is no news.
    events: recentEvents(one.events, subject.plan.basis).filter(({ what }) => at !== "" || what !== "used"),
  }));
  const of = (wanted: ResourceRow["verdict"]) => rows.filter(({ verdict }) => verdict === wanted);
  const titles = verdictTitles({ command, hasBase: subject.plan.base !== undefined });
  return [
    ...section("Refused", subject.plan.refusals.map(problemItem)),
    ...(["conflict", "pending", "drift", "unknown"] as const).flatMap((one) => table(titles[one], of(one))),
  ];
}

function section(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  const shown = items.slice(0, most).map((item) => `<li>${item}</li>`);
  return [`<h2>${title}</h2>`, `<ul>${shown.join("")}</ul>`, ...more(items.length - shown.length)];
}

function table(title: string, rows: readonly ResourceRow[]): readonly string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, most).map(row);
  const head = ["Resource", "Action", "Risks", "Result", "Fields", "Declared"].map((name) => `<th>${name}</th>`);
  return [
    `<h2>${title}</h2>`,
    `<table><tbody><tr>${head.join("")}</tr>${shown.join("")}</tbody></table>`,
    ...more(rows.length - shown.length),
  ];
}

function row({ address, action, risks, result, problem, where, fields, events }: ResourceRow): string {
  const details = [
    ...(problem === undefined ? [] : [`${problem.code}: ${coded(problem.message)}`]),
    ...fields.slice(0, mostFields).map((field) => fieldChange(field, coded)),
    ...(fields.length > mostFields ? [`… and ${counted(fields.length - mostFields, "more field")}.`] : []),
    ...events.slice(0, mostEvents).map((event) => coded(eventText(event, unbounded))),
  ];
  const cells = [
    coded(address),
    action,
    risks.map(riskWords).join(", "),
    result ?? "",
    details.map((line) => `<p>${line}</p>`).join(""),
    where === "" ? "" : coded(where),
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function problemItem({ code, message, place }: Problem): string {
  const where = place === undefined ? "" : ` ${coded(lineText(place))}`;
  return `${code}:${where} ${coded(message)}`;
}

function more(count: number): readonly string[] {
  return count > 0 ? [`<p>… and ${grouped(count)} more.</p>`] : [];
}

function coded(text: string): string {
  return `<code>${neutralXml(text)}</code>`;
}
