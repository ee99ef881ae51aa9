import { z } from "zod";
import { own } from "../../core/text/json.ts";
import type { Answers, Asked } from "../exchange.ts";
import { found, notModelled, Refusal } from "../refusal.ts";
import { CountField, FlagField, find, of, projectOf, readForm } from "./form.ts";
import { matching } from "./query.ts";
import type { AnalysisIssue, AnalysisState } from "./state.ts";
import { viewsOf } from "./views.ts";

/** The default limit of a search. @see docs/facts.md, analysis: so do users and groups */
const defaultLimit = 1000;

const severities = ["Critical", "Error", "Warning", "Review"] as const;

/** The properties by which a report can count issues. */
const dimensions: Readonly<Record<string, (issue: AnalysisIssue) => string>> = {
  Severity: ({ severity }) => severityName(severity),
  State: ({ state }) => state,
  Status: ({ status }) => status,
  "Error Code": ({ code }) => code,
  Owner: ({ owner }) => owner,
};

/** Issues, and statistics about them. */
export const issueAnswers = {
  search(asked) {
    const { query, view, limit, summary } = readForm(asked, {
      query: z.string().default(""),
      view: z.string().optional(),
      limit: CountField.default(defaultLimit),
      summary: FlagField.default(false),
    });
    const owner = projectOf(asked);
    const asView = view === undefined ? "" : find("View", viewsOf(asked.state, owner), view).query;
    const tests = [matching(query), matching(asView)];
    const hits = of(owner, asked.state.issues).filter((issue) => tests.every((test) => test(issue)));
    const shown = hits.slice(0, limit);
    const sums = summary ? [{ found: hits.length, shown: shown.length }] : [];
    return { body: [...sums, ...shown.map((issue) => viewIssue(asked, owner.name, issue))] };
  },

  issueDetails(asked) {
    const { id } = readForm(asked, { id: CountField });
    const issue = requireIssue(asked, id);
    const { code, title: name, file, line, builds, severity, owner, state, status, history } = issue;
    const told = { code, name, location: `${file}:${line}`, build: builds.at(-1), owner, state, status, history };
    return { body: [{ id: String(id), severity: severityName(severity), ...told }] };
  },

  updateStatus(asked) {
    const { ids, comment, ...sent } = readForm(asked, {
      ids: z.string().regex(/^\d+(,\d+)*$/, "expected numbers with commas between"),
      status: z.string().exactOptional(),
      comment: z.string().default(""),
      owner: z.string().exactOptional(),
    });
    const { issues, users } = asked.state;
    if (sent.owner !== undefined) find("User", users, sent.owner);
    const wanted = ids.split(",").map((id) => requireIssue(asked, Number(id)));
    const userid = asked.account?.username ?? "";
    const after = (issue: AnalysisIssue): AnalysisIssue => {
      const { status, owner } = { ...issue, ...sent };
      return { ...issue, status, owner, history: [...issue.history, { userid, comment, status, owner }] };
    };
    return { changes: { issues: issues.map((issue) => (wanted.includes(issue) ? after(issue) : issue)) } };
  },

  metrics(asked) {
    const matches = matching(readForm(asked, { query: z.string().default("") }).query);
    const owner = projectOf(asked);
    // A metric has only a file, so only the term `file` can exclude it.
    const metrics = of(owner, asked.state.metrics)
      .map(({ filePath, entity = filePath, tag, metricValue }, index) => {
        return { project: owner.name, filePath, entity, entity_id: index + 1, tag, metricValue };
      })
      .filter(({ filePath }) => matches({ file: filePath, builds: [], state: "", severity: 0 }));
    return { body: metrics };
  },

  fchurns(asked) {
    const { component, project } = readForm(asked, {
      component: z.string().optional(),
      project: z.string().optional(),
    });
    // The real server requires a project, which its documentation does not mention.
    if (project !== undefined) projectOf(asked);
    return { body: asked.state.churns.filter((churn) => component === undefined || churn.component === component) };
  },

  report(asked) {
    const { build, x, y } = readForm(asked, {
      build: z.string().optional(),
      x: z.string().default("Severity"),
      y: z.string().default("State"),
    });
    const owner = projectOf(asked);
    if (build !== undefined) find("Build", of(owner, asked.state.builds), build);
    const issues = of(owner, asked.state.issues).filter(({ builds }) => build === undefined || builds.includes(build));
    const [across, down] = [dimension(x), dimension(y)];
    const columns = namesOf(issues, across);
    const rows = namesOf(issues, down);
    const data = rows.map((row) =>
      columns.map((column) => issues.filter((issue) => down(issue) === row && across(issue) === column).length),
    );
    return { body: [{ rows: rows.map(entry), columns: columns.map(entry), data, warnings: [] }] };
  },
} satisfies Answers<AnalysisState>;

function requireIssue(asked: Asked<AnalysisState>, id: number): AnalysisIssue {
  const issue = of(projectOf(asked), asked.state.issues).find((other) => other.id === id);
  return found(issue, `Issue ${id} does not exist`);
}

function severityName(severity: number): string {
  return severities[severity - 1] ?? String(severity);
}

/** Returns an issue as a search shows it. @see docs/facts.md, analysis: issues */
function viewIssue({ base }: Asked, project: string, issue: AnalysisIssue) {
  const { id, code, title, message, file, method, severity, state, status, owner, taxonomy, originated } = issue;
  return {
    id: String(id),
    status,
    severity: severityName(severity),
    severityCode: severity,
    state,
    code,
    title,
    message,
    file,
    method,
    owner,
    taxonomyName: taxonomy,
    dateOriginated: originated,
    url: `${base}/review/insight-review.html#issuedetails_goto:problemid=${id},project=${project},searchquery=`,
    issueIds: [id],
  };
}

function dimension(name: string): (issue: AnalysisIssue) => string {
  if (["Module", "Category"].includes(name)) throw notModelled(`reports by ${name}`);
  const read = own(dimensions, name);
  if (read === undefined) throw new Refusal(400, `Unknown ${name}: use ${Object.keys(dimensions).join(", ")}`);
  return read;
}

function namesOf(issues: readonly AnalysisIssue[], read: (issue: AnalysisIssue) => string): readonly string[] {
  return [...new Set(issues.map(read))].sort();
}

function entry(name: string, index: number) {
  return { id: index + 1, name };
}
