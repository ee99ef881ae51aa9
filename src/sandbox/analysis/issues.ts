import { own } from "../../core/text/json.ts";
import type { Answers, Asked } from "../exchange.ts";
import { nextId, replace, without } from "../lists.ts";
import { foundIn, notModelled, Refusal } from "../refusal.ts";
import { defaultLimit, find, findOf, of, projectOf, readForm, requireAbsent, within } from "./form.ts";
import type { AnalysisIssue, AnalysisProject, AnalysisState, AnalysisView } from "./state.ts";

const severities = ["Critical", "Error", "Warning", "Review"] as const;

/** The properties by which a report can count issues. */
const dimensions: Readonly<Record<string, (issue: AnalysisIssue) => string>> = {
  Severity: ({ severity }) => severityName(severity),
  State: ({ state }) => state,
  Status: ({ status }) => status,
  "Error Code": ({ code }) => code,
  Owner: ({ owner }) => owner,
};

/** The view that every project has and that no one can delete. @see docs/facts.md, analysis */
const builtIn = "*default*";

/** Issues, statistics about them, and views, which are named queries of projects. */
export const issueAnswers = {
  search(asked) {
    const { query = "", view, limit = defaultLimit, summary } = readForm(asked);
    const owner = projectOf(asked);
    const asView = view === undefined ? "" : find("View", viewsOf(asked.state, owner), view).query;
    const tests = [matching(query), matching(asView)];
    const hits = of(owner, asked.state.issues).filter((issue) => tests.every((test) => test(issue)));
    const shown = hits.slice(0, limit);
    const about = { query, project: owner.name, view: view ?? builtIn, limit, total: hits.length, warnings: [] };
    const issues = shown.map((issue) => viewIssue(asked, owner.name, issue));
    return { body: summary ? [...issues, { summary: about }] : issues };
  },

  issueDetails(asked) {
    const { id } = readForm(asked, "id");
    const issue = requireIssue(asked, id);
    const { code, title: name, file, line, builds, severity, owner, state, status, history } = issue;
    const told = { code, name, location: `${file}:${line}`, build: builds.at(-1), owner, state, status, history };
    return { body: [{ id: String(id), severity: severityName(severity), ...told }] };
  },

  updateStatus(asked) {
    const { ids, comment = "", status, owner } = readForm(asked, "ids");
    const { issues, users } = asked.state;
    if (owner !== undefined) find("User", users, owner);
    const wanted = ids.split(",").map((id) => requireIssue(asked, Number(id)));
    const userid = asked.account?.username ?? "";
    const after = (issue: AnalysisIssue): AnalysisIssue => {
      const sent = { status: status ?? issue.status, owner: owner ?? issue.owner };
      return { ...issue, ...sent, history: [...issue.history, { userid, comment, ...sent }] };
    };
    return { changes: { issues: issues.map((issue) => (wanted.includes(issue) ? after(issue) : issue)) } };
  },

  metrics(asked) {
    const matches = matching(readForm(asked).query ?? "");
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
    const { component, project } = readForm(asked);
    // The real server requires a project, which its documentation does not mention.
    if (project !== undefined) projectOf(asked);
    return { body: asked.state.churns.filter((churn) => component === undefined || churn.component === component) };
  },

  report(asked) {
    const { build, x = "Severity", y = "State" } = readForm(asked);
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

  views(asked) {
    const owner = projectOf(asked);
    return { body: within(owner, viewsOf(asked.state, owner)) };
  },

  createView(asked) {
    const { views } = asked.state;
    const owner = projectOf(asked);
    const { name } = readForm(asked, "name");
    requireAbsent("View", viewsOf(asked.state, owner), name);
    const { query } = readForm(asked, "query");
    matching(query);
    const creator = asked.account?.username ?? "";
    const view = { project: owner.id, id: nextId(views), name, query, creator, is_public: false, tags: [] };
    return { changes: { views: [...views, view] } };
  },

  updateView(asked) {
    const { views } = asked.state;
    const view = requireOwnView(asked);
    const { new_name: name = view.name, ...sent } = readForm(asked);
    const { query = view.query, is_public = view.is_public, tags = view.tags } = sent;
    requireAbsent("View", without(viewsOf(asked.state, projectOf(asked)), view), name);
    matching(query);
    return { changes: { views: replace(views, view, { ...view, name, query, is_public, tags }) } };
  },

  deleteView: (asked) => ({ changes: { views: without(asked.state.views, requireOwnView(asked)) } }),
} satisfies Answers<AnalysisState>;

/** Returns the views of a project, the built-in one first. */
function viewsOf({ views }: AnalysisState, project: AnalysisProject): readonly AnalysisView[] {
  const first = { project: project.id, id: 0, name: builtIn, query: "", creator: "", is_public: true, tags: [] };
  return [first, ...of(project, views)];
}

/** Returns the view that a request names. Throws `Refusal` for the built-in view, which no one can change. */
function requireOwnView(asked: Asked<AnalysisState>): AnalysisView {
  if (readForm(asked, "name").name === builtIn) throw new Refusal(400, `View ${builtIn} cannot be changed`);
  return findOf(asked, "View", asked.state.views);
}

function requireIssue(asked: Asked<AnalysisState>, id: number): AnalysisIssue {
  return foundIn(of(projectOf(asked), asked.state.issues), (issue) => issue.id === id, `Issue ${id} does not exist`);
}

function severityName(severity: number): string {
  return severities[severity - 1] ?? String(severity);
}

/** Returns an issue as a search shows it. @see docs/facts.md, Analysis: the id of an issue is a number in a search */
function viewIssue({ base }: Asked, project: string, issue: AnalysisIssue) {
  const { id, code, title, message, file, method, severity, state, status, owner, taxonomy, originated } = issue;
  return {
    id,
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

type Searched = Pick<AnalysisIssue, "builds" | "file" | "state" | "severity">;

/** A test for each term: whether an issue matches one of the term's values, which is in lower case. */
const terms: Readonly<Record<string, (issue: Searched, value: string, exact: boolean) => boolean>> = {
  build: ({ builds }, value, exact) =>
    builds.map((name) => name.toLowerCase()).some((name) => (exact ? name === value : name.includes(value))),
  file: ({ file }, value) => file.toLowerCase().includes(value),
  state: ({ state }, value) => state.toLowerCase() === value,
  severity: ({ severity }, value) => {
    const [from = Number.NaN, to = from] = value.split("-").map(Number);
    return severity >= from && severity <= to;
  },
};

/** Terms of the product that the sandbox does not model. */
const termsOfProduct =
  "category code component date diff grouping id language message method module owner status taxonomy";

/** `name:value`, `name:'value'` and `name:+'value'`, separated by spaces. */
const term = /^(\w+):(\+?)(?:'([^']*)'|([^\s']+))(?=\s|$)/;

/**
 * Compiles a search query, which selects the issues that match every keyword with one of its values: those of all its terms,
 * each with commas between. A quoted value is one value. Throws `Refusal`: 501 for a term that is not modelled, 400 for an
 * invalid one.
 * @see docs/api/analysis.md, search query; docs/facts.md, Analysis: terms with the same keyword
 */
export function matching(query: string): (issue: Searched) => boolean {
  const tests = new Map<string, ((issue: Searched) => boolean)[]>();
  for (let rest = query.trim(); rest !== ""; ) {
    const [text, name = "", plus, quoted, word] = term.exec(rest) ?? [];
    const test = own(terms, name);
    const [, other = ""] = /^[-+]?(\w+):/.exec(rest) ?? [];
    if (termsOfProduct.split(" ").includes(other) || /^[-+]\w+:/.test(rest)) throw notModelled(`the term ${rest}`);
    if (text === undefined || test === undefined) throw new Refusal(400, `Invalid query at ${rest}`);
    const values = quoted === undefined ? (word ?? "").split(",") : [quoted];
    const some = values.map((value) => (issue: Searched) => test(issue, value.toLowerCase(), plus === "+"));
    tests.set(name, [...(tests.get(name) ?? []), ...some]);
    rest = rest.slice(text.length).trimStart();
  }
  return (issue) => [...tests.values()].every((some) => some.some((test) => test(issue)));
}
