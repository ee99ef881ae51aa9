import { hash } from "node:crypto";
import { canonicalJson, type JsonObject } from "../../core/text/json.ts";
import { isAdmin, readsAll } from "../accounts.ts";
import type { Asked } from "../exchange.ts";
import { found } from "../refusal.ts";
import { labelOf } from "./access-names.ts";
import { viewAccount, viewTime } from "./account-view.ts";
import type { ReviewAccess, ReviewProject, ReviewState } from "./state.ts";

/**
 * Returns a project's access as an account sees it. False booleans are omitted, except `config_visible` and a rule's
 * `force`. An account that may not read the configuration sees only sections for branches that have rules, and these
 * without their permissions.
 *
 * @see docs/facts.md, review; measured on a real server
 */
export function viewAccess({ state, account }: Asked<ReviewState>, name: string, project: ReviewProject): JsonObject {
  const owner = isAdmin(account);
  const configVisible = readsAll(account);
  const sections = Object.entries(project.access).filter(
    ([ref, permissions]) =>
      configVisible || (isPublic(ref) && Object.values(permissions).some(({ rules }) => rules.length > 0)),
  );
  const refs = sections.map(([ref]) => ref);
  return {
    revision: revisionOf(name, project),
    inherits_from: project.parent === undefined ? undefined : viewParent(state, project.parent),
    local: Object.fromEntries(
      sections.map(([ref, permissions]) => [ref, { permissions: configVisible ? viewPermissions(permissions) : {} }]),
    ),
    is_owner: owner || undefined,
    owner_of: !owner ? [] : refs.length === 0 ? ["refs/*"] : refs,
    can_upload: configVisible || undefined,
    can_add: owner || undefined,
    can_add_tags: owner || undefined,
    config_visible: configVisible,
    require_change_for_config_update: state.requireChange || undefined,
    groups: viewGroups(state, sections),
    config_web_links: [],
  };
}

function isPublic(ref: string): boolean {
  return /^\^?refs\/heads\//.test(ref);
}

function viewParent(state: ReviewState, name: string): JsonObject {
  const project = state.projects[name];
  return {
    id: formEncode(name),
    name,
    parent: project?.parent,
    description: project?.description,
    state: project?.state,
  };
}

/** Returns permissions by name; of several rules for a group they show only the first. */
function viewPermissions(permissions: ReviewAccess[string]): JsonObject {
  const views = Object.entries(permissions).map(([name, { exclusive, rules }]) => {
    const shown = new Map<string, JsonObject>();
    for (const { group, ...rule } of rules) if (!shown.has(group)) shown.set(group, rule);
    return [name, { label: labelOf(name), exclusive: exclusive || undefined, rules: Object.fromEntries(shown) }];
  });
  return Object.fromEntries(views);
}

function viewGroups(state: ReviewState, sections: readonly (readonly [string, ReviewAccess[string]])[]): JsonObject {
  const used = new Set(
    sections.flatMap(([, permissions]) =>
      Object.values(permissions).flatMap(({ rules }) => rules.map(({ group }) => group)),
    ),
  );
  return Object.fromEntries(
    state.groups
      .filter(({ uuid }) => used.has(uuid))
      .map(({ uuid, name }) => [
        uuid,
        uuid.startsWith("global:") ? { name } : { url: `#/admin/groups/uuid-${uuid}`, name },
      ]),
  );
}

/** Encodes a name for use in an id: a slash becomes `%2F`, a space becomes a plus. */
export function formEncode(text: string): string {
  return encodeURIComponent(text).replaceAll("%20", "+");
}

/** Returns the id of the newest commit of a project's configuration. */
function revisionOf(name: string, project: ReviewProject): string {
  return hash("sha1", canonicalJson([name, project]));
}

/**
 * Returns a commit of a project's configuration; the first one created the project. Throws `Refusal` 404 for an unknown id.
 * @see docs/facts.md, Review: the revision is a commit; measured on a real server
 */
export function viewCommit({ accounts, params }: Asked<ReviewState>, project: ReviewProject): JsonObject {
  const { projectName: name = "", commitId = "" } = params;
  const made = [{ message: "Created project", author: "admin", date: "2026-01-01T00:00:00Z" }, ...project.commits];
  const idOf = (count: number) =>
    count === made.length ? revisionOf(name, project) : hash("sha1", canonicalJson([name, made.slice(0, count)]));
  const log = made.map((commit, index) => ({ ...commit, id: idOf(index + 1) }));
  const at = log.findIndex(({ id }) => id === commitId);
  const { message, author, date } = found(log[at], `Not found: ${commitId}`);
  const parent = log[at - 1];
  const { name: fullName = author, email } = viewAccount(accounts, author, true);
  const when = { date: viewTime(date), tz: 0 };
  return {
    commit: commitId,
    parents: parent === undefined ? [] : [{ commit: parent.id, subject: subjectOf(parent.message) }],
    author: { name: fullName, email, ...when },
    committer: { name: "Gerrit Code Review", email: "root@localhost", ...when },
    subject: subjectOf(message),
    message: `${message}\n`,
  };
}

/** Returns the first paragraph of a message, on one line. */
function subjectOf(message: string): string {
  return (message.split("\n\n")[0] ?? "").replaceAll("\n", " ");
}
