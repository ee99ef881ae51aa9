import type { Account } from "../accounts.ts";
import type { World } from "../world.ts";
import { type Issue, projectOf } from "./state.ts";

/** The preferences that other answers show. */
export const localeKey = "jira.user.locale";
const timezoneKey = "jira.user.timezone";
const defaultLocale = "en_US";

/** The key of an account, which is not its name. */
export function userKey({ accounts }: World, { username }: Account): string {
  return `JIRAUSER${10100 + accounts.findIndex((account) => account.username === username)}`;
}

/** The caller's own preferences; none for an account that has set none. */
export function preferencesOf(world: World, account: Account | undefined): Readonly<Record<string, string>> {
  const { preferences } = world.tracker;
  const name = account?.username ?? "";
  return Object.hasOwn(preferences, name) ? (preferences[name] ?? {}) : {};
}

/** An account's locale. */
export function localeOf(world: World, account: Account | undefined): string {
  return preferencesOf(world, account)[localeKey] ?? defaultLocale;
}

export function viewUser(world: World, account: Account, base: string) {
  const key = userKey(world, account);
  return {
    self: `${base}/rest/api/2/user?key=${key}`,
    key,
    name: account.username,
    emailAddress: `${account.username}@example.com`,
    displayName: account.name,
    active: true,
    timeZone: preferencesOf(world, account)[timezoneKey] ?? "Etc/UTC",
    locale: localeOf(world, account),
  };
}

/** An issue with those of its fields that are `wanted`: names, `*all`, `*navigable`, and names to leave out after a minus. */
export function viewIssue(world: World, issue: Issue, wanted: readonly string[], base: string) {
  const id = String(10000 + world.tracker.issues.findIndex(({ key }) => key === issue.key));
  const project = world.tracker.projects.find(({ key }) => key === projectOf(issue));
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
