import type { Account } from "../accounts.ts";
import type { Asked } from "../exchange.ts";
import { memberOf } from "../refusal.ts";
import { type Issue, projectOf, type TrackerState } from "./state.ts";

/** The preferences that other answers show. */
export const localeKey = "jira.user.locale";
const timezoneKey = "jira.user.timezone";
const defaultLocale = "en_US";

/** The key of an account, which is not its name. */
export function userKey(accounts: readonly Account[], { username }: Account): string {
  return `JIRAUSER${10100 + accounts.findIndex((account) => account.username === username)}`;
}

/** An account's own preferences; none for one that has set none. */
export function preferencesOf({ preferences }: TrackerState, account: Account | undefined) {
  return memberOf(preferences, account?.username) ?? {};
}

/** An account's locale. */
export function localeOf(state: TrackerState, account: Account | undefined): string {
  return preferencesOf(state, account)[localeKey] ?? defaultLocale;
}

export function viewUser({ state, accounts, base }: Asked<TrackerState>, account: Account) {
  const key = userKey(accounts, account);
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

/** An issue with those of its fields that are `wanted`: names, `*all`, `*navigable`, and names to leave out after a minus. */
export function viewIssue({ state, base }: Asked<TrackerState>, issue: Issue, wanted: readonly string[]) {
  const id = String(10000 + state.issues.findIndex(({ key }) => key === issue.key));
  const project = state.projects.find(({ key }) => key === projectOf(issue));
  const fields = {
    summary: issue.summary,
    status: { name: issue.status },
    issuetype: { name: issue.issuetype },
    project,
    created: issue.created,
    updated: issue.updated,
    attachment: issue.attachments.map((attachment) => ({
      id: attachment.id,
      filename: attachment.filename,
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
