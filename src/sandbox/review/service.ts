import { reviewOperations } from "../../clients/review/operations.ts";
import { sameJson } from "../../core/text/json.ts";
import { authorized, isAdmin, known, readsAll } from "../accounts.ts";
import type { Answers, Asked } from "../exchange.ts";
import { foundIn, Refusal } from "../refusal.ts";
import { standIn } from "../stand-in.ts";
import { changeAccess } from "./access-change.ts";
import { findGroup, type InputSection, readAccessInput } from "./access-input.ts";
import { capabilitiesSection, checkRefPattern, isCapability, isPermission, requireExample } from "./access-names.ts";
import { formEncode, viewAccess, viewCommit } from "./access-view.ts";
import { changeAnswers } from "./changes.ts";
import { reviewContents } from "./default-contents.ts";
import { projectAnswers, requireProject } from "./projects.ts";
import { lineOf, type ReviewProject, ReviewState, rootProject } from "./state.ts";

const accessAnswers = {
  getProjectAccess: (asked) => ({ body: viewAccess(asked, asked.params.projectName ?? "", requireProject(asked)) }),

  listAccess(asked) {
    const { query } = asked;
    const names = [...query.getAll("project"), ...query.getAll("p")].map(decodeAsId).filter((name) => name !== "");
    // In the order of the request, since the answer names the first missing project.
    const views = names.map((name) => [name, viewAccess(asked, name, requireProject(asked, name, name))] as const);
    return { body: Object.fromEntries(views.sort(([a], [b]) => (a < b ? -1 : 1))) };
  },

  getCommit(asked) {
    const { account, params } = asked;
    const project = requireProject(asked);
    if (!readsAll(account)) throw new Refusal(404, `Not found: ${params.commitId}`);
    return { body: viewCommit(asked, project) };
  },

  modifyProjectAccess(asked) {
    const { account, params, state, now } = asked;
    const { projectName: name = "" } = params;
    const project = requireProject(asked);
    const { remove, add, message, parent } = readAccessInput(asked, state.groups);
    const reparents = parent !== undefined && parent !== project.parent;
    requireOwner(asked, [...add, ...remove]);
    if (state.requireChange) throw new Refusal(405, "Updating project config without review is disabled");
    for (const { ref } of [...add, ...remove])
      if (ref === capabilitiesSection && name !== rootProject)
        throw new Refusal(400, `Cannot edit global capabilities for projects other than ${rootProject}`);
    for (const section of add) checkSection(section);
    if (reparents) requireParent(asked, name, parent);
    const changed: ReviewProject = {
      ...project,
      ...(reparents ? { parent } : {}),
      access: changeAccess(project.access, remove, add, state.groups),
    };
    if (sameJson(changed, project)) return { body: viewAccess(asked, name, project) };
    const commit = {
      message: message ? message.trim() : "Modify access rules",
      author: account?.username ?? "",
      date: new Date(now).toISOString(),
    };
    const committed = { ...changed, commits: [...project.commits, commit] };
    return {
      body: viewAccess(asked, name, committed),
      changes: { projects: { ...state.projects, [name]: committed } },
    };
  },
} satisfies Answers<ReviewState>;

/** Groups, which every signed-in user may see. */
const groupAnswers = {
  getGroup({ state: { groups }, params: { groupId = "" } }) {
    const uuid = findGroup(groups, groupId);
    const group = foundIn(groups, (one) => one.uuid === uuid, groupId);
    return { body: { id: formEncode(group.uuid), name: group.name, group_id: group.number } };
  },

  listGroups({ state: { groups } }) {
    const own = groups.filter(({ uuid }) => !uuid.startsWith("global:")).sort((a, b) => (a.name < b.name ? -1 : 1));
    return { body: Object.fromEntries(own.map(({ uuid, name }) => [name, { id: formEncode(uuid) }])) };
  },
} satisfies Answers<ReviewState>;

/** The code review service (Gerrit). @see docs/facts.md, review */
export const reviewStandIn = standIn({
  state: ReviewState,
  contents: reviewContents,
  operations: reviewOperations,
  answers: {
    ...groupAnswers,
    getServerVersion: ({ state }) => ({ body: state.version }),
    ...accessAnswers,
    ...changeAnswers,
    ...projectAnswers,
  },
  signIn: "password",
  realm: "Gerrit Code Review",
  plusIsSpace: true,

  /** Requires no credentials for paths without `/a`, but checks any that are sent, as documented. */
  identify({ accounts, path, headers }) {
    if (!path.startsWith("/a/") && headers.authorization === undefined) return undefined;
    return known(authorized(accounts, headers.authorization, ["basic"]));
  },

  /** Encodes JSON behind a guard line, with the characters that are special in HTML escaped. */
  encode({ status = 200, body }) {
    const json = JSON.stringify(body).replace(
      /[&=<>']/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    return {
      status,
      headers: {
        "content-type": "application/json;charset=utf-8",
        "content-disposition": "attachment",
        "cache-control": "no-cache, no-store, max-age=0, must-revalidate",
        "x-content-type-options": "nosniff",
      },
      body: `)]}'\n${json}\n`,
    };
  },

  /** Answers errors as plain text; a method that a view does not have is "Not Found". */
  refuse({ status, said, message, headers }, { path, state }) {
    const isElsewhere = status === 404 && said === undefined && !/^\/a\/projects\/[^/]+\/[^/]/.test(path);
    if (status === 401 || isElsewhere)
      return { status, headers: { "content-type": "text/plain;charset=iso-8859-1" }, body: message };
    const words: Readonly<Record<number, () => string>> = {
      404: () => missing(state, path),
      405: () => "Not Found",
      500: () => "Internal server error",
    };
    return {
      status: status === 405 ? 404 : status,
      headers: { ...headers, "content-type": "text/plain;charset=utf-8" },
      body: `${said ?? words[status]?.() ?? message}\n`,
    };
  },
});

/** Decodes a query's value, already decoded once, again as an identifier. */
function decodeAsId(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll("+", "%20"));
  } catch {
    throw new Refusal(400);
  }
}

const notAdministrator = "administrate server not permitted";

function requireOwner({ account }: Asked, sections: readonly InputSection[]): void {
  for (const { ref } of sections) {
    const isCapabilities = ref === capabilitiesSection;
    if (!isCapabilities) requireExample(ref);
    if (!isAdmin(account))
      throw new Refusal(403, isCapabilities ? notAdministrator : `not permitted: write ref config on ${ref}`);
  }
}

function checkSection({ ref, permissions }: InputSection): void {
  const isCapabilities = ref === capabilitiesSection;
  if (!isCapabilities) checkRefPattern(ref);
  for (const { name } of permissions)
    if (!(isCapabilities ? isCapability(name) : isPermission(name)))
      throw new Refusal(400, `Unknown ${isCapabilities ? "global capability" : "permission"}: ${name}`);
}

function requireParent({ state, account }: Asked<ReviewState>, child: string, parent: string): void {
  if (!isAdmin(account)) throw new Refusal(403, notAdministrator);
  for (const name of lineOf(state.projects, parent)) {
    if (!Object.hasOwn(state.projects, name)) throw new Refusal(409, `parent project ${name} not found`);
    if (name === child) throw new Refusal(409, `cycle exists between ${child} and ${parent}`);
  }
}

/** Returns the message for a path without a row, which names the missing project or view. */
function missing({ projects }: ReviewState, path: string): string {
  const [, project, view] = /^\/a\/projects\/([^/]+)\/([^/]+)/.exec(path) ?? [];
  if (project === undefined || view === undefined) return "Not Found";
  const name = decodeAsId(project);
  return `Not found: ${Object.hasOwn(projects, name) ? view : name}`;
}
