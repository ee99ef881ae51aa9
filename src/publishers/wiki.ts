import { hash } from "node:crypto";
import { type WikiOperations, wikiOperations } from "../clients/wiki/operations.ts";
import { type Problem, ProblemError } from "../core/problem.ts";
import { formatAddress } from "../core/resource.ts";
import { momentText } from "../core/text/moment.ts";
import { counted, grouped, quote } from "../core/text/words.ts";
import { neutralXml } from "../reports/neutral.ts";
import { lineText } from "../reports/places.ts";
import { riskWords } from "../reports/text/risks.ts";
import { type PlannedRun, type ResourceRow, resourceRows } from "../reports/text/summary.ts";
import { fieldChange } from "../reports/values.ts";
import { verdictTitles } from "../reports/verdict-titles.ts";
import { countLine } from "./counts.ts";
import { clientOf, type Edition, type News, type PermitOf, type Publisher, runTitle } from "./publisher.ts";

/** The version message of a report: a digest of its content, and the title of its edition. */
const mark = /^setpoint-report:([0-9a-f]{12}) (.*)$/;

/** Publishes the report as a page of the wiki. @see docs/decisions/publishing.md */
export function wikiPublisher(edition: Edition, service: string | undefined, pageId: string): Publisher {
  return {
    to: {
      role: "wiki",
      service,
      writes: [{ operation: "updatePage", args: { pageId, id: pageId } }] satisfies PermitOf<WikiOperations>[],
    },
    where: `wiki page ${pageId}`,
    needs: "permission to edit the page",
    async publish(door, news) {
      if (news.is === "started") return;
      for (const name of door.services) {
        const address = formatAddress(name, "WikiPage", pageId);
        if ((await door.isDeclared(address)) || isPlanned(news, address))
          throw taken({
            address,
            message: `${address} is declared by a manifest, so no report is written over it.`,
            hint: "Name another page: a report replaces the whole page.",
          });
      }
      const client = clientOf(door, wikiOperations);
      const { type, title, space, version, ancestors = [] } = await client.getPage({ pageId });
      if (type !== "page") throw taken({ message: `${pageId} is a ${type}, not a page.` });
      const [, digest, owner] = mark.exec(version.message ?? "") ?? [];
      // The service cuts the message of a version. @see docs/facts.md, Wiki: the version message is cut
      const name = runTitle(edition).slice(0, 226);
      if (owner !== undefined && owner !== name)
        throw taken({
          message: `Page ${pageId} has the report of another run: ${quote(owner)}, and this is ${quote(name)}.`,
          hint: "Name another page: each run would replace the other's report.",
        });
      // The server rewrites markup, so digests are compared. Any edit since has made a version with another message.
      const markup = wikiMarkup({ ...edition, at: "" }, news);
      const says = hash("sha256", markup).slice(0, 12);
      if (digest === says) return;
      const parent = ancestors.at(-1)?.id;
      await client.updatePage({
        pageId,
        id: pageId,
        type: "page",
        title,
        space: { key: space.key },
        version: { number: version.number + 1, message: `setpoint-report:${says} ${name}`, minorEdit: true },
        body: { storage: { value: wikiMarkup(edition, news), representation: "storage" } },
        ...(parent === undefined ? {} : { ancestors: [{ id: parent }] }),
      });
    },
  };
}

/** Whether the plan has the address: only the plan knows what a document that is repeated over a live list declares. */
function isPlanned(news: News, address: string): boolean {
  if (news.is !== "made") return false;
  const { changes, inSync, unknown } = news.subject.plan;
  return inSync.includes(address) || [...changes, ...unknown].some((one) => one.address === address);
}

function taken(problem: Omit<Problem, "code">): ProblemError {
  return new ProblemError({ code: "SP1016", ...problem });
}

/** The most rows of a table or entries of a list. The rest are counted, to keep the page small enough to open. */
const most = 300;
/** The most fields of a resource. */
const mostFields = 20;

/** The report as storage markup: refusals and errors first, then what this change does, what had drifted, and what is unknown. */
export function wikiMarkup(edition: Edition, news: News): string {
  const { at, facts } = edition;
  const link = facts.link === undefined || at === "" ? "" : ` <a href="${neutralXml(facts.link)}">Its log</a>.`;
  return [
    `<h1>setpoint ${neutralXml(runTitle(edition))}</h1>`,
    `<p><strong>${neutralXml(countLine(news, edition.command))}.</strong></p>`,
    `<p>From the run of ${neutralXml(momentText(at))}.${link} Later runs with the same result leave this page as it is.</p>`,
    ...(news.is === "made" ? sections(news.subject, edition.command) : []),
    ...(news.is === "wrong"
      ? section(
          "Errors",
          news.problems.map(({ code, message, place }) => {
            const where = place === undefined ? "" : ` ${coded(lineText(place))}`;
            return `${code}:${where} ${coded(message)}`;
          }),
        )
      : []),
  ].join("\n");
}

function sections(subject: PlannedRun, command: Edition["command"]): readonly string[] {
  const rows = resourceRows(subject);
  const of = (...verdicts: readonly ResourceRow["verdict"][]) =>
    rows.filter(({ verdict }) => verdicts.includes(verdict));
  const refused = subject.plan.refusals.map(({ code, message }) => `${code}: ${coded(message)}`);
  const titles = verdictTitles({ command, hasBase: subject.plan.base !== undefined });
  return [
    ...section("Refused", refused),
    ...table(titles.conflict, of("conflict")),
    ...table(titles.pending, of("pending")),
    ...table(titles.drift, of("drift")),
    ...table(titles.unknown, of("unknown")),
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

function row({ address, action, risks, result, problem, where, fields }: ResourceRow): string {
  const details = [
    ...(problem === undefined ? [] : [`${problem.code}: ${coded(problem.message)}`]),
    ...fields.slice(0, mostFields).map((field) => fieldChange(field, coded)),
    ...(fields.length > mostFields ? [`… and ${counted(fields.length - mostFields, "more field")}.`] : []),
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

function more(count: number): readonly string[] {
  return count > 0 ? [`<p>… and ${grouped(count)} more.</p>`] : [];
}

function coded(text: string): string {
  return `<code>${neutralXml(text)}</code>`;
}
