import { z } from "zod";
import type { Answer } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { CountField, FlagField, readForm } from "./form.ts";
import { matching } from "./query.ts";
import { changed, find, findIn, findProject, requireAdmin, within } from "./records.ts";
import type { AnalysisIssue, AnalysisProject, AnalysisState } from "./state.ts";
import { viewsOf } from "./views.ts";

/** Without a limit a search ends here. @see docs/facts.md, analysis: so do users and groups */
const defaultLimit = 1000;

const severities = ["Critical", "Error", "Warning", "Review"] as const;

/** What issues can be counted by. */
const dimensions: Readonly<Record<string, (issue: AnalysisIssue) => string>> = {
  Severity: ({ severity }) => severityName(severity),
  State: ({ state }) => state,
  Status: ({ status }) => status,
  Code: ({ code }) => code,
  Owner: ({ owner }) => owner,
};

/** Issues, and figures about them. */
export const issueAnswers = {
  search(world, asked) {
    const { project, query, view, limit, summary } = readForm(asked, {
      project: z.string(),
      query: z.string().default(""),
      view: z.string().optional(),
      limit: CountField.default(defaultLimit),
      summary: FlagField.default(false),
    });
    const { analysis } = world;
    const owner = findProject(analysis, project);
    const asView = view === undefined ? "" : find("View", viewsOf(analysis, owner), view).query;
    const tests = [matching(query), matching(asView)];
    const found = issuesOf(analysis, owner).filter((issue) => tests.every((test) => test(issue)));
    const shown = found.slice(0, limit);
    return { body: [...(summary ? [{ found: found.length, shown: shown.length }] : []), ...shown.map(viewIssue)] };
  },

  issueDetails(world, asked) {
    const { project, id } = readForm(asked, { project: z.string(), id: CountField });
    const issue = findIssue(world.analysis, findProject(world.analysis, project), id);
    return { body: [{ ...viewIssue(issue), builds: issue.builds, history: issue.history }] };
  },

  updateStatus(world, asked) {
    requireAdmin(asked);
    const { project, ids, status, comment, owner } = readForm(asked, {
      project: z.string(),
      ids: z.string().regex(/^\d+(,\d+)*$/, "expected numbers with commas between"),
      status: z.string().optional(),
      comment: z.string().default(""),
      owner: z.string().optional(),
    });
    const { analysis } = world;
    const holder = findProject(analysis, project);
    if (owner !== undefined) find("User", analysis.users, owner);
    const wanted = ids.split(",").map((id) => findIssue(analysis, holder, Number(id)));
    const after = (issue: AnalysisIssue): AnalysisIssue => {
      const changes = { status: status ?? issue.status, owner: owner ?? issue.owner };
      const entry = { userid: asked.account?.username ?? "", comment, ...changes };
      return { ...issue, ...changes, history: [...issue.history, entry] };
    };
    return changed(world, { issues: analysis.issues.map((issue) => (wanted.includes(issue) ? after(issue) : issue)) });
  },

  metrics(world, asked) {
    const { project, query } = readForm(asked, { project: z.string(), query: z.string().default("") });
    const { analysis } = world;
    const matches = matching(query);
    const metrics = within(findProject(analysis, project), analysis.metrics);
    // A metric knows nothing but its file, so only that term can leave it out.
    const found = metrics.filter(({ filePath }) => matches({ file: filePath, builds: [], state: "", severity: 0 }));
    return { body: found };
  },

  fchurns(world, asked) {
    const { component } = readForm(asked, { component: z.string().optional() });
    return { body: world.analysis.churns.filter((churn) => component === undefined || churn.component === component) };
  },

  report(world, asked) {
    const { project, build, x, y } = readForm(asked, {
      project: z.string(),
      build: z.string().optional(),
      x: z.string().default("Severity"),
      y: z.string().default("State"),
    });
    const { analysis } = world;
    const owner = findProject(analysis, project);
    const named = build === undefined ? undefined : findIn("Build", owner, analysis.builds, build).name;
    const issues = issuesOf(analysis, owner).filter(({ builds }) => named === undefined || builds.includes(named));
    const [across, down] = [dimension(x), dimension(y)];
    const columns = namesOf(issues, across);
    const rows = namesOf(issues, down);
    const data = rows.map((row) =>
      columns.map((column) => issues.filter((issue) => down(issue) === row && across(issue) === column).length),
    );
    return { body: [{ rows: rows.map(entry), columns: columns.map(entry), data, warnings: [] }] };
  },
} satisfies Record<string, Answer>;

function issuesOf({ issues }: AnalysisState, { id }: AnalysisProject): readonly AnalysisIssue[] {
  return issues.filter(({ project }) => project === id);
}

function findIssue(analysis: AnalysisState, project: AnalysisProject, id: number): AnalysisIssue {
  const issue = issuesOf(analysis, project).find((other) => other.id === id);
  if (issue === undefined) throw new Refusal(404, `Issue ${id} does not exist`);
  return issue;
}

function severityName(severity: number): string {
  return severities[severity - 1] ?? String(severity);
}

function viewIssue({ project: _project, builds: _builds, history: _history, severity, id, ...issue }: AnalysisIssue) {
  return { id: String(id), ...issue, severity: severityName(severity), severityCode: severity };
}

function dimension(name: string): (issue: AnalysisIssue) => string {
  const of = Object.hasOwn(dimensions, name) ? dimensions[name] : undefined;
  if (of === undefined) throw new Refusal(400, `Unknown ${name}: use ${Object.keys(dimensions).join(", ")}`);
  return of;
}

function namesOf(issues: readonly AnalysisIssue[], of: (issue: AnalysisIssue) => string): readonly string[] {
  return [...new Set(issues.map(of))].sort();
}

function entry(name: string, index: number) {
  return { id: index + 1, name };
}
