import { z } from "zod";
import { trackerOperations } from "../../clients/tracker/operations.ts";
import { describeIssues } from "../../core/issues.ts";
import { authorized } from "../accounts.ts";
import type { Answer, Answered, Asked, Reply, ServiceRequest, StandIn } from "../exchange.ts";
import { jsonBody, mediaType } from "../json-body.ts";
import { Refusal } from "../refusal.ts";
import { routesOf } from "../route.ts";
import { tokenAccounts, tokenAnswers } from "../tokens/answers.ts";
import type { World } from "../world.ts";
import { parseJql } from "./jql.ts";
import { localeKey, localeOf, preferencesOf, userKey, viewIssue, viewUser } from "./view.ts";

/** Issues on a page of a search where the request does not say. @see facts.md, tracker and wiki */
const defaultPage = 50;

const answers = {
  getMyself(world, { account, base }) {
    if (account === undefined) throw new Refusal(401);
    return { body: viewUser(world, account, base) };
  },

  getServerInfo: ({ tracker: { version } }, { base }) => ({
    body: {
      baseUrl: base,
      version,
      versionNumbers: version.split(".").map(Number),
      deploymentType: "Server",
      serverTitle: "Issues",
    },
  }),

  getUser(world, { query, base }) {
    const [name, key] = [query.get("username"), query.get("key")];
    if (name === null && key === null)
      throw new Refusal(400, "Either the 'username' or the 'key' query parameters need to be provided");
    const user = world.accounts.find((account) =>
      key === null ? account.username === name : userKey(world, account) === key,
    );
    if (user === undefined)
      throw new Refusal(404, `The user ${key === null ? "named" : "with the key"} '${key ?? name}' does not exist`);
    return { body: viewUser(world, user, base) };
  },

  getPreference(world, { query, account }) {
    const key = query.get("key") ?? "";
    const preferences = preferencesOf(world, account);
    if (!Object.hasOwn(preferences, key)) throw new Refusal(404, `key not found: '${key}'`);
    return { body: preferences[key] };
  },

  setPreference(world, asked) {
    const key = asked.query.get("key");
    if (!key) throw new Refusal(400, "The key of a preference is required");
    return prefer(world, asked, key, readInput(asked, z.string()));
  },

  getLocale: (world, { account }) => ({ body: { locale: localeOf(world, account) } }),

  setLocale: (world, asked) =>
    prefer(world, asked, localeKey, readInput(asked, z.object({ locale: z.string() })).locale),

  getIssue(world, { params, query, base }) {
    const issue = world.tracker.issues.find(({ key }) => key === params.issueKey?.toUpperCase());
    if (issue === undefined) throw new Refusal(404, "Issue Does Not Exist");
    return { body: viewIssue(world, issue, wantedFields(query, "*all"), base) };
  },

  listProjects: (world, { base }) => ({
    body: world.tracker.projects.map(({ key, name }) => ({ self: `${base}/rest/api/2/project/${key}`, key, name })),
  }),

  searchIssues(world, { query, base }) {
    const { finds, order } = parseJql(query.get("jql") ?? "");
    const found = world.tracker.issues.filter(finds).sort(order);
    const maxResults = Math.min(readCount(query, "maxResults", defaultPage), world.tracker.largestPage);
    const startAt = readCount(query, "startAt", 0);
    const fields = wantedFields(query, "*navigable");
    const issues = found.slice(startAt, startAt + maxResults).map((issue) => viewIssue(world, issue, fields, base));
    return { body: { expand: "names,schema", startAt, maxResults, total: found.length, issues } };
  },

  downloadAttachment(world, { params }) {
    const attachment = world.tracker.issues
      .flatMap(({ attachments }) => attachments)
      .find(({ id, filename }) => id === params.attachmentId && filename === params.filename);
    if (attachment === undefined)
      throw new Refusal(404, `The attachment with id '${params.attachmentId}' does not exist`);
    return {
      headers: { "content-type": attachment.mimeType, "content-disposition": "attachment" },
      body: attachment.content,
    };
  },

  ...tokenAnswers("tracker", userKey),
} satisfies Record<keyof typeof trackerOperations, Answer>;

/** The place of attachments in a tracker; clients take it from the issue. */
const downloadAttachment = {
  ...trackerOperations.downloadAttachment,
  path: "/secure/attachment/{attachment-id}/{filename}",
};

/** The issue tracker (Jira). @see facts.md, tracker and wiki */
export const trackerStandIn: StandIn = {
  routes: routesOf({ ...trackerOperations, downloadAttachment }),
  answers,
  identify,
  encode,
  refuse,
};

function prefer(world: World, { account }: Asked, key: string, value: string): Answered {
  const { preferences } = world.tracker;
  const own = { ...preferencesOf(world, account), [key]: value };
  const changed = { ...preferences, [account?.username ?? ""]: own };
  return { status: 204, world: { ...world, tracker: { ...world.tracker, preferences: changed } } };
}

function readInput<Input>(asked: Asked, schema: z.ZodType<Input>): Input {
  if (mediaType(asked) !== "application/json") throw new Refusal(415, "Unsupported Media Type");
  const body = jsonBody(asked);
  if (body === undefined) throw new Refusal(400, "The body is not JSON");
  const input = schema.safeParse(body.json);
  if (input.success) return input.data;
  throw new Refusal(400, describeIssues(input.error.issues, body.json, "the body"));
}

/** Names given one by one or in a list with commas. */
function wantedFields(query: URLSearchParams, unless: string): readonly string[] {
  const wanted = query.getAll("fields").flatMap((names) => names.split(","));
  if (wanted.length === 0) return [unless];
  return wanted.every((name) => name.startsWith("-")) ? [unless, ...wanted] : wanted;
}

function readCount(query: URLSearchParams, name: string, unless: number): number {
  const text = query.get(name);
  if (text === null) return unless;
  if (!/^\d+$/.test(text)) throw new Refusal(400, `${name} is not a number: '${text}'`);
  return Number(text);
}

/** Reading is not anonymous here. An account with a CAPTCHA before it is denied whatever it sends. */
function identify(world: World, request: ServiceRequest) {
  const known = [...world.accounts, ...tokenAccounts(world, "tracker", request)];
  const account = authorized(known, request.headers.authorization ?? "", ["basic", "bearer"]);
  if (account === undefined)
    throw new Refusal(401, "You are not authenticated. Authentication required to perform this operation.");
  if (world.tracker.captcha.includes(account.username))
    throw new Refusal(403, "Basic Authentication Failure - Reason : AUTHENTICATION_DENIED", {
      "x-authentication-denied-reason": `CAPTCHA_CHALLENGE; login-url=${request.base}/login.jsp`,
    });
  return account;
}

/** Successes carry `Retry-After: 0`; an answer with a type of its own is no JSON. @see facts.md, across services */
function encode(_world: World, { status, headers, body }: Answered): Reply {
  return {
    status: status ?? 200,
    headers: { "retry-after": "0", "content-type": "application/json;charset=UTF-8", ...headers },
    body: typeof body === "string" && headers !== undefined ? body : body === undefined ? "" : JSON.stringify(body),
  };
}

/** The token plugin words its errors itself, and gives them as details. */
function refuse(_world: World, { status, message, headers, details }: Refusal): Reply {
  const errorMessages = [message || (defaultMessages[status] ?? "Internal server error")];
  return {
    status,
    headers: {
      ...headers,
      ...(status === 401 ? { "www-authenticate": 'Basic realm="Tracker"' } : {}),
      "content-type": "application/json;charset=UTF-8",
    },
    body: JSON.stringify(details ?? { errorMessages, errors: {} }),
  };
}

const defaultMessages: Readonly<Record<number, string>> = {
  400: "Bad Request",
  404: "null for uri",
  405: "HTTP 405 Method Not Allowed",
  413: "Request Entity Too Large",
  415: "Unsupported Media Type",
};
