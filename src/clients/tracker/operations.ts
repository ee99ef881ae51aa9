import { z } from "zod";
import type { Paging, Reader } from "../../core/operation.ts";
import { ProblemError } from "../../core/problem.ts";
import { pageList } from "../http/pages.ts";
import { get, read, send, write } from "../table.ts";
import { pluginTokenOperations } from "../tokens.ts";

/** The documents name no field of a user, so few are required here. @see docs/api/tracker.md, users */
const TrackerUserRecord = z.object({
  name: z.string(),
  key: z.string().optional(),
  displayName: z.string().optional(),
  emailAddress: z.string().optional(),
  active: z.boolean().optional(),
  timeZone: z.string().optional(),
  locale: z.string().optional(),
});

const Named = z.object({ name: z.string() });

/** An issue. The caller chooses the fields; those that the documents do not name are kept as they are. */
const IssueRecord = z.object({
  id: z.string().optional(),
  key: z.string(),
  fields: z
    .looseObject({
      summary: z.string().nullish(),
      status: Named.nullish(),
      issuetype: Named.nullish(),
      updated: z.string().nullish(),
      created: z.string().nullish(),
      attachment: z
        .array(
          z.object({
            id: z.string().optional(),
            content: z.string(),
            filename: z.string().optional(),
            size: z.int().optional(),
            mimeType: z.string().optional(),
          }),
        )
        .nullish(),
    })
    .optional(),
});

/** One page of a search. `maxResults` is the length of a page that the service gives, whatever was requested. */
const SearchResult = z.object({
  startAt: z.int().min(0),
  maxResults: z.int().min(0),
  total: z.int().min(0),
  issues: z.array(IssueRecord),
});
type SearchResult = z.infer<typeof SearchResult>;

const ProjectRecord = z.object({ id: z.string().optional(), key: z.string(), name: z.string() });

const SearchArgs = z.object({
  jql: z.string(),
  maxResults: z.int().min(0).optional().describe("The maximum number of issues; default: all."),
  startAt: z.int().min(0).optional().describe("Issues to skip."),
  validateQuery: z.string().optional().describe("Whether the query must be valid: `true`, or anything else for no."),
  fields: z.array(z.string()).optional(),
  expand: z.string().optional(),
  properties: z.array(z.string()).optional(),
  fieldsByKeys: z.boolean().optional(),
});

/**
 * Steps by the answer's own page length, which may be less than was requested. Throws `ProblemError` SP3104 for a page
 * without issues before the end. @see docs/facts.md, tracker
 */
const searchPages: Paging<z.output<typeof SearchArgs>, SearchResult> = {
  cap: "maxResults",
  next(args, { startAt, maxResults, total, issues }) {
    const next = startAt + maxResults;
    if (args.maxResults === 0 || startAt >= total) return undefined;
    if (issues.length > 0) return next >= total ? undefined : { ...args, startAt: next };
    throw new ProblemError({
      code: "SP3104",
      message: `The service counts ${total} issues, but sends none from number ${startAt} on.`,
      hint: "Nothing that was read is used. Try again; if it persists, the service's search index is out of date.",
    });
  },
  list: (first) =>
    pageList(first, {
      entries: ({ issues }) => issues,
      identify: ({ key }) => key,
      whole: (issues, { total }) => ({ ...first, total, issues }),
    }),
};

/** Operations of the issue tracker (Jira) and its token plugin. @see docs/api/tracker.md */
export const trackerOperations = {
  getMyself: read(get("/rest/api/2/myself"), { summary: "The user of the credentials.", result: TrackerUserRecord }),
  getServerInfo: read(get("/rest/api/2/serverInfo"), {
    summary: "The server itself, with its version.",
    result: z.looseObject({ version: z.string().min(1) }),
    ext: "docs/decisions/versions.md: the product's own reference",
  }),
  getUser: read(get("/rest/api/2/user?username&key"), {
    summary: "A user, by name or by key.",
    args: z.object({ username: z.string().optional(), key: z.string().optional() }),
    result: TrackerUserRecord,
  }),
  getPreference: read(get("/rest/api/2/mypreferences?key"), {
    summary: "A preference of the caller. An unset key is not found.",
    args: z.object({ key: z.string() }),
    answer: "text",
    result: z.string(),
  }),
  /** @see docs/facts.md, Tracker: A preference is written and read as the text itself */
  setPreference: write(send("PUT", "/rest/api/2/mypreferences?key", "value"), {
    summary: "Sets a preference of the caller.",
    productBody: "text",
    type: "application/json",
    args: z.object({ key: z.string(), value: z.string() }),
  }),
  getLocale: read(get("/rest/api/2/mypreferences/locale"), {
    summary: "The caller's locale, such as `en_US`.",
    result: z.object({ locale: z.string() }),
  }),
  setLocale: write(send("PUT", "/rest/api/2/mypreferences/locale", "json"), {
    summary: "Sets the caller's locale.",
    args: z.object({ locale: z.string() }),
  }),
  getIssue: read(get("/rest/api/2/issue/{issue-key}?fields"), {
    summary: "An issue with the given fields, or all; attachments have download URLs.",
    args: z.object({ issueKey: z.string(), fields: z.array(z.string()).optional() }),
    result: IssueRecord,
  }),
  listProjects: read(get("/rest/api/2/project"), {
    summary: "Projects that the account can see.",
    result: z.array(ProjectRecord),
  }),
  searchIssues: read(get(`/rest/api/2/search?${Object.keys(SearchArgs.shape).join("&")}`), {
    summary: "Issues that match a JQL query.",
    args: SearchArgs,
    result: SearchResult,
    paging: searchPages,
  }),
  downloadAttachment: read(get("{attachment_url}"), {
    summary: "Downloads an attachment to a file, from the `content` URL in its issue.",
    args: z.object({ attachmentUrl: z.url(), to: z.string().min(1).describe("The file to write.") }),
    answer: "file",
    result: z.object({ path: z.string(), bytes: z.int() }),
    ext: "docs/api/tracker.md, issues: an attachment's content is its download URL",
  }),
  ...pluginTokenOperations,
} as const;
export type TrackerOperations = typeof trackerOperations;

/** The reading half of the issue tracker's client. */
export type TrackerReader = Reader<TrackerOperations>;
