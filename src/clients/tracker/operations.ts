import { z } from "zod";
import type { Paging, Reader } from "../../core/operation.ts";
import { read, write } from "../table.ts";
import { tokenOperations } from "../tokens.ts";
import { IssueRecord, PreferenceValue, ProjectRecord, SearchResult, TrackerUserRecord } from "./records.ts";

const SearchArgs = z.object({
  jql: z.string(),
  maxResults: z.int().min(0).optional().describe("Issues on a page; all pages are read."),
  startAt: z.int().min(0).optional().describe("Issues to skip."),
  validateQuery: z.string().optional().describe("`strict`, `warn` or `none`."),
  fields: z.array(z.string()).optional(),
  expand: z.string().optional(),
  properties: z.array(z.string()).optional(),
  fieldsByKeys: z.boolean().optional(),
});

/** Steps by the answer's own page length, which may be less than was asked for. @see docs/facts.md, tracker */
const searchPages: Paging<z.output<typeof SearchArgs>, SearchResult> = {
  next(args, { startAt, maxResults, total }) {
    const next = startAt + maxResults;
    return maxResults === 0 || next >= total ? undefined : { ...args, startAt: next };
  },
  join(earlier, page) {
    const known = new Set(earlier.issues.map(({ key }) => key));
    return {
      ...earlier,
      total: page.total,
      issues: [...earlier.issues, ...page.issues.filter(({ key }) => !known.has(key))],
    };
  },
};

/** Operations of the issue tracker (Jira) and its token plugin. @see docs/api/tracker.md */
export const trackerOperations = {
  getMyself: read({
    summary: "The user that the credentials belong to.",
    method: "GET",
    path: "/rest/api/2/myself",
    args: z.object({}),
    result: TrackerUserRecord,
  }),
  getServerInfo: read({
    summary: "The server itself, with its version.",
    method: "GET",
    path: "/rest/api/2/serverInfo",
    args: z.object({}),
    result: z.looseObject({ version: z.string().min(1) }),
    ext: "docs/decisions/versions.md: the product's own reference",
  }),
  getUser: read({
    summary: "A user, by name or by key.",
    method: "GET",
    path: "/rest/api/2/user?username&key",
    args: z.object({ username: z.string().optional(), key: z.string().optional() }),
    result: TrackerUserRecord,
  }),
  getPreference: read({
    summary: "A preference of the caller. A key that is not set is not found.",
    method: "GET",
    path: "/rest/api/2/mypreferences?key",
    args: z.object({ key: z.string() }),
    answer: "text",
    result: PreferenceValue,
  }),
  setPreference: write({
    summary: "Sets a preference of the caller.",
    method: "PUT",
    path: "/rest/api/2/mypreferences?key",
    body: "value",
    repeatable: true,
    args: z.object({ key: z.string(), value: z.string() }),
    result: z.unknown(),
  }),
  getLocale: read({
    summary: "The caller's locale, such as `en_US`.",
    method: "GET",
    path: "/rest/api/2/mypreferences/locale",
    args: z.object({}),
    result: z.object({ locale: z.string() }),
  }),
  setLocale: write({
    summary: "Sets the caller's locale.",
    method: "PUT",
    path: "/rest/api/2/mypreferences/locale",
    body: "json",
    repeatable: true,
    args: z.object({ locale: z.string() }),
    result: z.unknown(),
  }),
  getIssue: read({
    summary: "An issue with the fields named, or all; attachments are named with their download URLs.",
    method: "GET",
    path: "/rest/api/2/issue/{issue-key}?fields",
    args: z.object({ issueKey: z.string(), fields: z.array(z.string()).optional() }),
    result: IssueRecord,
  }),
  listProjects: read({
    summary: "Projects that the account may see.",
    method: "GET",
    path: "/rest/api/2/project",
    args: z.object({}),
    result: z.array(ProjectRecord),
  }),
  searchIssues: read({
    summary: "Issues that a JQL query finds, all pages of them.",
    method: "GET",
    path: "/rest/api/2/search?jql&maxResults&startAt&validateQuery&fields&expand&properties&fieldsByKeys",
    args: SearchArgs,
    result: SearchResult,
    paging: searchPages,
  }),
  downloadAttachment: read({
    summary: "Writes an attachment to a file, from the `content` URL that its issue gives.",
    method: "GET",
    path: "{attachment_url}",
    args: z.object({ attachmentUrl: z.url(), to: z.string().min(1).describe("The file to write.") }),
    answer: "file",
    result: z.object({ path: z.string(), bytes: z.int() }),
    ext: "docs/api/tracker.md, issues: an attachment's content is its download URL",
  }),
  ...tokenOperations,
} as const;
export type TrackerOperations = typeof trackerOperations;

/** The reading half of the issue tracker's client. */
export type TrackerReader = Reader<TrackerOperations>;
