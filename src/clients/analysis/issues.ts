import { z } from "zod";
import { commaList, read, write } from "../table.ts";
import { action, wholeList } from "./action.ts";
import {
  beyond,
  ChurnRecord,
  Id,
  IssueRecord,
  MetricRecord,
  NameList,
  ReportRecord,
  SearchRecord,
  ViewRecord,
} from "./records.ts";

/** Text that can be put between single quotes. No way to write a quote inside is documented. */
const Text = z.string().regex(/^[^'\r\n]+$/, "expected text without single quotes and line breaks");

const Severity = z.union([z.int(), z.strictObject({ from: z.int(), to: z.int() })]);

/** What issues are searched for; all given terms must hold. A search covers one build at a time. */
const SearchTerms = z.strictObject({
  build: z
    .union([Text, z.strictObject({ contains: Text })])
    .optional()
    .describe("The build's name, or part of it."),
  file: Text.optional(),
  state: Text.optional().describe("For example `New`."),
  severity: Severity.optional().describe("One severity, or a range with both ends; 1 is the worst."),
});
type SearchTerms = z.infer<typeof SearchTerms>;

/** A query as an argument: text in the service's own language, or the terms it is composed of. */
export const SearchQuery = z.union([z.string(), SearchTerms.transform(searchQuery)]);

/**
 * Writes a query: `build:+'rel 2.4' file:main.c state:New severity:1-3`.
 * @see docs/api/analysis.md, search query
 */
function searchQuery({ build, file, state, severity }: SearchTerms): string {
  return [
    build !== undefined && (typeof build === "string" ? `build:+'${build}'` : `build:'${build.contains}'`),
    file !== undefined && `file:${word(file)}`,
    state !== undefined && `state:${word(state)}`,
    severity !== undefined && `severity:${range(severity)}`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** A word is sent as it is; what could be read as syntax is quoted. */
function word(text: string): string {
  return /^[\w/][\w./-]*$/.test(text) ? text : `'${text}'`;
}

function range(severity: z.infer<typeof Severity>): string {
  return typeof severity === "number" ? String(severity) : `${severity.from}-${severity.to}`;
}

/** Actions on issues. @see docs/api/analysis.md */
export const issueOperations = {
  issueDetails: read(action("issue_details"), {
    summary: "One issue of a project.",
    args: z.object({ project: z.string(), id: z.union([z.string(), z.int()]) }),
    result: z.array(IssueRecord),
  }),
  search: read(action("search"), {
    summary: "Issues of a project that match a query, a view or both. Cut at `limit` (default 1000).",
    args: z.object({
      project: z.string(),
      query: SearchQuery.optional(),
      view: z.string().optional(),
      limit: z.int().optional(),
      summary: z.boolean().optional().describe("Whether to include a summary record."),
    }),
    result: z.array(SearchRecord),
    paging: wholeList,
  }),
  updateStatus: write(action("update_status"), {
    summary: "Changes the status, the owner or both of issues, with a comment.",
    args: z.object({
      project: z.string(),
      ids: commaList(z.array(Id)),
      status: z.string().optional(),
      comment: z.string().optional(),
      owner: z.string().optional(),
    }),
  }),
} as const;

/** Actions on views and figures. @see docs/api/analysis.md */
export const reportOperations = {
  views: read(action("views"), {
    summary: "Views of a project: named queries.",
    args: z.object({ project: z.string() }),
    result: z.array(ViewRecord),
  }),
  createView: write(action("create_view"), {
    summary: "Creates a view of a project.",
    args: z.object({ project: z.string(), name: z.string(), query: SearchQuery }),
  }),
  deleteView: write(action("delete_view"), {
    summary: "Deletes a view of a project.",
    args: z.object({ project: z.string(), name: z.string() }),
  }),
  updateView: write(action("update_view"), {
    summary: "Changes the given fields of a view: its tags and, on the real server, name, query and visibility.",
    args: z.object({
      project: z.string(),
      name: z.string(),
      tags: NameList.optional(),
      new_name: z.string().optional().meta(beyond),
      query: SearchQuery.optional().meta(beyond),
      is_public: z.boolean().optional().meta(beyond),
    }),
  }),
  fchurns: read(action("fchurns"), {
    summary: "How often the files of a component changed. The shape is unconfirmed.",
    args: z.object({
      component: z.string().optional(),
      project: z.string().optional().describe("The real server needs it.").meta(beyond),
    }),
    result: z.array(ChurnRecord),
  }),
  metrics: read(action("metrics"), {
    summary: "Metrics of a project's files, functions and classes. The shape is unconfirmed.",
    args: z.object({ project: z.string(), query: SearchQuery.optional() }),
    result: z.array(MetricRecord),
  }),
  report: read(action("report"), {
    summary: "Numbers of issues by two of their properties: `x` across, `y` down. The shape is unconfirmed.",
    args: z.object({
      project: z.string(),
      build: z.string().optional(),
      x: z.string().optional(),
      y: z.string().optional(),
    }),
    result: z.array(ReportRecord),
  }),
} as const;
