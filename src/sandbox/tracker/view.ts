import { own } from "../../core/text/json.ts";
import { zonedTime } from "../../core/text/moment.ts";
import type { Account } from "../accounts.ts";
import type { Asked } from "../exchange.ts";
import { type Issue, projectOf, type TrackerState } from "./state.ts";

/** The keys of the preferences that other answers show. */
export const localeKey = "jira.user.locale";
const timezoneKey = "jira.user.timezone";
const defaultLocale = "en_US";

/** Returns the key of an account, which differs from its name. */
export function userKey({ username }: Account, accounts: readonly Account[]): string {
  return `JIRAUSER${10100 + accounts.findIndex((account) => account.username === username)}`;
}

/** Returns an account's own preferences; empty if it has set none. */
export function preferencesOf({ preferences }: TrackerState, account: Account | undefined) {
  return own(preferences, account?.username ?? "") ?? {};
}

export function localeOf(state: TrackerState, account: Account | undefined): string {
  return preferencesOf(state, account)[localeKey] ?? defaultLocale;
}

export function viewUser({ state, accounts, base }: Asked<TrackerState>, account: Account) {
  const key = userKey(account, accounts);
  return {
    self: `${base}/rest/api/2/user?key=${key}`,
    key,
    name: account.username,
    emailAddress: `${account.username}@example.com`,
    displayName: account.name,
    active: true,
    timeZone: preferencesOf(state, account)[timezoneKey] ?? "Etc/UTC",
    locale: localeOf(state, account),
  };
}

/** Returns a user as shown in other records; a user who no longer exists has only a name. */
function viewAuthor(asked: Asked<TrackerState>, name: string) {
  const account = asked.accounts.find(({ username }) => username === name);
  if (account === undefined) return { name };
  const { locale: _locale, ...user } = viewUser(asked, account);
  return user;
}

/** Returns an issue with its `wanted` fields: names, `*all`, `*navigable`, and names to omit after a minus. */
export function viewIssue(asked: Asked<TrackerState>, issue: Issue, wanted: readonly string[]) {
  const { state, base } = asked;
  const id = String(10000 + state.issues.findIndex(({ key }) => key === issue.key));
  const project = state.projects.find(({ key }) => key === projectOf(issue));
  const fields = {
    summary: issue.summary,
    status: { name: issue.status },
    issuetype: { name: issue.issuetype },
    project,
    created: zonedTime(issue.created),
    updated: zonedTime(issue.updated),
    attachment: issue.attachments.map((attachment) => ({
      self: `${base}/rest/api/2/attachment/${attachment.id}`,
      id: attachment.id,
      filename: attachment.filename,
      author: viewAuthor(asked, attachment.author),
      created: zonedTime(attachment.created ?? issue.created),
      size: Buffer.byteLength(attachment.content),
      mimeType: attachment.mimeType,
      content: `${base}/secure/attachment/${attachment.id}/${encodeURIComponent(attachment.filename)}`,
    })),
  };
  const named = (name: string) =>
    !wanted.includes(`-${name}`) &&
    (wanted.includes(name) || wanted.includes("*all") || (wanted.includes("*navigable") && name !== "attachment"));
  return {
    id,
    self: `${base}/rest/api/2/issue/${id}`,
    key: issue.key,
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => named(name))),
  };
}

/** The fields that issues have, as the tracker lists them. */
export const issueFields = [
  ["summary", "Summary", "string", ["summary"]],
  ["status", "Status", "status", ["status"]],
  ["issuetype", "Issue Type", "issuetype", ["issuetype", "type"]],
  ["project", "Project", "project", ["project"]],
  ["created", "Created", "datetime", ["created", "createdDate"]],
  ["updated", "Updated", "datetime", ["updated", "updatedDate"]],
  ["attachment", "Attachment", "array", ["attachments"]],
].map(([id, name, type, clauseNames]) => ({
  id,
  name,
  custom: false,
  orderable: true,
  navigable: id !== "attachment",
  searchable: true,
  clauseNames,
  schema: { type, system: id },
}));
