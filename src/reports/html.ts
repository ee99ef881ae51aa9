import { createHash } from "node:crypto";
import { riskWords } from "./change-text.ts";
import { neutralHtml } from "./neutral.ts";
import { reviewFirst } from "./risks.ts";
import { type ResourceRow, resourceRows, type Subject, summaryOf, valueText } from "./summary.ts";

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top}
code{overflow-wrap:anywhere}.risk{color:#a40}`;

/** The page may apply its own style and load or run nothing. */
const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/** One page that needs nothing else and runs nothing. */
export function renderHtml(subject: Subject): string {
  const rows = resourceRows(subject);
  const title = neutralHtml(summaryOf(subject));
  const risks = reviewFirst(subject.plan.changes).flatMap(({ words, addresses }) =>
    addresses.map((address) => `<li class="risk">${words}: ${code(address)}</li>`),
  );
  const refusals = subject.plan.refusals.map(({ code: name, message }) => `<li>${name}: ${code(message)}</li>`);
  const shown = rows.filter(({ verdict }) => verdict !== "in sync");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<h1>${title}</h1>
${list("Refused", refusals)}${list("Risks", risks)}<table>
<thead><tr><th>action</th><th>resource</th><th>verdict</th><th>risks</th><th>result</th><th>fields</th></tr></thead>
<tbody>
${shown.map(tableRow).join("")}</tbody>
</table>
</body>
</html>
`;
}

function list(title: string, items: readonly string[]): string {
  return items.length === 0 ? "" : `<h2>${title}</h2>\n<ul>\n${items.join("\n")}\n</ul>\n`;
}

function tableRow({ address, action, verdict, risks, result, problem, fields }: ResourceRow): string {
  const details = [
    ...(problem === undefined ? [] : [`${problem.code}: ${code(problem.message)}`]),
    ...fields.map(
      ({ path, live, desired }) => `${code(path.join("."))}: ${code(valueText(live))} → ${code(valueText(desired))}`,
    ),
  ];
  const cells = [action, code(address), verdict, risks.map(riskWords).join(", "), result ?? "", details.join("<br>")];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>\n`;
}

function code(text: string): string {
  return `<code>${neutralHtml(text)}</code>`;
}
