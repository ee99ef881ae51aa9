import { neutralHtml } from "../neutral.ts";
import { summaryOf } from "../result-counts.ts";
import { renderRecorded } from "./basis-text.ts";
import { renderPlan } from "./plan-text.ts";
import { renderProblems } from "./problems.ts";
import { renderReport } from "./report-text.ts";
import type { ScreenOptions } from "./style.ts";
import type { RunResult, Unplanned } from "./summary.ts";

/** Renders a run as on a terminal: the plan and the report of an apply, or the problems. */
export function renderText(result: RunResult, options: ScreenOptions & { readonly all: boolean }): string {
  if ("problems" in result) return renderProblems(result.problems, { ...options, summary: summaryOf(result) });
  const { plan, report, ...known } = result;
  const shown = renderPlan(plan, { ...options, ...known });
  if (report === undefined) return shown;
  const { recorded } = report;
  const note = recorded === undefined ? "" : `\n${renderRecorded(recorded, options)}`;
  return `${shown}\n\n${renderReport(report, { ...options, ...known })}${note}`;
}

/** Renders a page of problems for a run without a plan. The page runs and loads nothing. */
export function renderProblemPage(result: Unplanned): string {
  const title = neutralHtml(summaryOf(result));
  const text = renderProblems(result.problems, { width: 100, color: false, summary: "" });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'">
<title>${title}</title>
</head>
<body>
<h1>${title}</h1>
<pre>${text.split("\n").map(neutralHtml).join("\n")}</pre>
</body>
</html>
`;
}
