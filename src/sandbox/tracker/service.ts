import { z } from "zod";
import { get, read } from "../../clients/table.ts";
import { trackerOperations } from "../../clients/tracker/operations.ts";
import { own } from "../../core/text/json.ts";
import { known } from "../accounts.ts";
import type { Answered, Answers, Asked } from "../exchange.ts";
import { found, foundIn, notModelled, Refusal } from "../refusal.ts";
import { countIn, mediaType, readJsonBody } from "../request.ts";
import { standIn } from "../stand-in.ts";
import { encodings, pluginTokenAnswers, signedIn } from "../tokens/answers.ts";
import { trackerContents } from "./default-contents.ts";
import { parseJql } from "./jql.ts";
import { TrackerState } from "./state.ts";
import { issueFields, localeKey, localeOf, preferencesOf, userKey, viewIssue, viewUser } from "./view.ts";

/** The default number of issues per page of a search. @see docs/facts.md, tracker */
const defaultPage = 50;

const answers = {
  getMyself: (asked) => ({ body: viewUser(asked, known(asked.account)) }),

  getServerInfo: ({ state: { version }, base }) => ({
    body: {
      baseUrl: base,
      version,
      versionNumbers: version.split(".").map(Number),
      deploymentType: "Server",
      serverTitle: "Issues",
    },
  }),

  getUser(asked) {
    const { query, accounts } = asked;
    const [name, key] = [query.get("username"), query.get("key")];
    if (name === null && key === null)
      throw new Refusal(400, "Either the 'username' or the 'key' query parameters need to be provided");
    const user =
      key === null
        ? foundIn(accounts, ({ username }) => username === name, `The user named '${name}' does not exist`)
        : foundIn(accounts, (one) => userKey(one, accounts) === key, `The user with the key '${key}' does not exist`);
    return { body: viewUser(asked, user) };
  },

  /** @see docs/facts.md, Tracker: A preference is written and read as the text itself */
  getPreference({ state, query, account }) {
    const key = provided("key", query.get("key"));
    const body = found(own(preferencesOf(state, account), key), `key not found: '${key}'`);
    return { headers: { "cache-control": "no-cache, no-store, no-transform" }, body };
  },

  setPreference(asked) {
    if (mediaType(asked) !== "application/json") throw new Refusal(415);
    return prefer(asked, provided("key", asked.query.get("key")), provided("value", asked.body));
  },

  getLocale: ({ state, account }) => ({ body: { locale: localeOf(state, account) } }),

  setLocale: (asked) => prefer(asked, localeKey, readJsonBody(asked, z.object({ locale: z.string() })).locale),

  getIssue(asked) {
    const { state, params, query } = asked;
    const issue = foundIn(state.issues, ({ key }) => key === params.issueKey?.toUpperCase(), "Issue Does Not Exist");
    return { body: viewIssue(asked, issue, wantedFields(query, "*all")) };
  },

  listProjects: ({ state, base }) => ({
    body: state.projects.map(({ key, name }) => ({ self: `${base}/rest/api/2/project/${key}`, key, name })),
  }),

  searchIssues(asked) {
    const { query, state } = asked;
    const more = ["expand", "properties"].find((name) => query.getAll(name).some((value) => value !== ""));
    if (more !== undefined) throw notModelled(`${more} of a search`);
    if (!/^true$/i.test(query.get("validateQuery") ?? "true")) throw notModelled("a search without validation");
    const { finds, order } = parseJql(query.get("jql") ?? "", state);
    const hits = state.issues.filter(finds).sort(order);
    const maxResults = Math.min(readCount(asked, "maxResults", defaultPage), state.largestPage);
    const startAt = readCount(asked, "startAt", 0);
    const fields = wantedFields(query, "*navigable");
    const issues = hits.slice(startAt, startAt + maxResults).map((issue) => viewIssue(asked, issue, fields));
    return { body: { expand: "names,schema", startAt, maxResults, total: hits.length, issues } };
  },

  listFields: () => ({ body: issueFields }),

  downloadAttachment({ state, params }) {
    const { mimeType, content } = foundIn(
      state.issues.flatMap(({ attachments }) => attachments),
      ({ id, filename }) => id === params.attachmentId && filename === params.filename,
      `The attachment with id '${params.attachmentId}' does not exist`,
    );
    return { headers: { "content-type": mimeType, "content-disposition": "attachment" }, body: content };
  },

  ...pluginTokenAnswers(userKey),
} satisfies Answers<TrackerState>;

/** The path of attachments in the tracker; clients take their URLs from the issue. */
const downloadAttachment = {
  ...trackerOperations.downloadAttachment,
  path: "/secure/attachment/{attachment-id}/{filename}",
};

/** A request that other clients send before they search, to learn how JQL names the fields. */
const listFields = read(get("/rest/api/2/field"), { summary: "The fields of issues.", result: z.unknown() });

/** The issue tracker (Jira). @see docs/facts.md, tracker */
export const trackerStandIn = standIn({
  state: TrackerState,
  contents: trackerContents,
  operations: { ...trackerOperations, downloadAttachment },
  otherOperations: { listFields },
  answers,
  signIn: "password",
  realm: "Tracker",

  /** Requires an account even for reads. An account that must solve a CAPTCHA is denied whatever it sends. */
  identify(request) {
    const said = "You are not authenticated. Authentication required to perform this operation.";
    const account = known(signedIn(request), said);
    if (request.state.captcha.includes(account.username))
      throw new Refusal(403, "Basic Authentication Failure - Reason : AUTHENTICATION_DENIED", {
        "x-authentication-denied-reason": `CAPTCHA_CHALLENGE; login-url=${request.base}/login.jsp`,
      });
    return account;
  },

  ...encodings("application/json;charset=UTF-8", (message) => ({ errorMessages: [message], errors: {} })),
});

function provided(name: string, value: string | null): string {
  if (value) return value;
  throw new Refusal(404, `input parameter '${name}' must be provided`);
}

function prefer({ state, account }: Asked<TrackerState>, key: string, value: string): Answered<TrackerState> {
  const own = { ...preferencesOf(state, account), [key]: value };
  return { status: 204, changes: { preferences: { ...state.preferences, [account?.username ?? ""]: own } } };
}

/** Returns the wanted fields, given as repeated or comma-separated names; `unless` if none are named. */
function wantedFields(query: URLSearchParams, unless: string): readonly string[] {
  const wanted = query.getAll("fields").flatMap((names) => names.split(","));
  if (wanted.length === 0) return [unless];
  return wanted.every((name) => name.startsWith("-")) ? [unless, ...wanted] : wanted;
}

function readCount(asked: Asked, name: string, unless: number): number {
  return countIn(asked, name, unless, (text) => new Refusal(400, `${name} is not a number: '${text}'`));
}
