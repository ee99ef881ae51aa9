import { reviewOperations } from "../../clients/review/operations.ts";
import { sameJson } from "../../core/json.ts";
import { authorized } from "../accounts.ts";
import type { Answer, Answered, Asked, Reply, ServiceRequest, StandIn } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { routesOf } from "../route.ts";
import type { World } from "../world.ts";
import { changeAccess } from "./access-change.ts";
import { type InputSection, readAccessInput } from "./access-input.ts";
import { viewAccess } from "./access-view.ts";
import { changeAnswers } from "./changes.ts";
import { isCapability, isPermission } from "./permission-names.ts";
import { projectAnswers, requireProject } from "./projects.ts";
import { checkRefPattern, exampleOf } from "./ref-pattern.ts";
import { type ReviewProject, rootProject } from "./state.ts";

const capabilitiesSection = "GLOBAL_CAPABILITIES";

const answers = {
  ...changeAnswers,
  ...projectAnswers,

  getServerVersion: ({ review }) => ({ body: review.version }),

  getProjectAccess(world, { params, account }) {
    const name = params.projectName ?? "";
    return { body: viewAccess(world.review, name, requireProject(world, name, `Not found: ${name}`), account) };
  },

  listAccess(world, { query, account }) {
    const names = [...query.getAll("project"), ...query.getAll("p")].map(decodeAsId).filter((name) => name !== "");
    const views = names.map((name) => [
      name,
      viewAccess(world.review, name, requireProject(world, name, name), account),
    ]);
    return { body: Object.fromEntries(views.sort(([a = ""], [b = ""]) => (a < b ? -1 : a > b ? 1 : 0))) };
  },

  modifyProjectAccess(world, asked) {
    const { account, params } = asked;
    const name = params.projectName ?? "";
    const project = requireProject(world, name, `Not found: ${name}`);
    const { remove, add, message, parent } = readAccessInput(asked, world.review.groups);
    const reparents = parent !== undefined && parent !== project.parent;
    requireOwner(asked, [...add, ...remove]);
    for (const { ref } of [...add, ...remove])
      if (ref === capabilitiesSection && name !== rootProject)
        throw new Refusal(400, `Cannot edit global capabilities for projects other than ${rootProject}`);
    for (const section of add) checkSection(section);
    if (reparents) requireParent(world, asked, name, parent);
    const changed: ReviewProject = {
      ...project,
      ...(reparents ? { parent } : {}),
      access: changeAccess(project.access, remove, add, world.review.groups),
    };
    if (sameJson(changed, project)) return { body: viewAccess(world.review, name, project, account) };
    const commit = { message: message ? message.trim() : "Modify access rules", author: account?.username ?? "" };
    const committed = { ...changed, commits: [...project.commits, commit] };
    const review = { ...world.review, projects: { ...world.review.projects, [name]: committed } };
    return { body: viewAccess(review, name, committed, account), world: { ...world, review } };
  },
} satisfies Record<keyof typeof reviewOperations, Answer>;

/** The code review service (Gerrit). @see docs/facts.md, review */
export const reviewStandIn: StandIn = {
  routes: routesOf(reviewOperations),
  answers,
  plusIsSpace: true,
  identify,
  encode,
  refuse,
};

/** A query's value, already decoded once, is decoded again as an identifier. */
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
    if (!isCapabilities) exampleOf(ref);
    if (account?.rights !== "admin")
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

function requireParent(world: World, { account }: Asked, child: string, parent: string): void {
  if (account?.rights !== "admin") throw new Refusal(403, notAdministrator);
  for (let name: string | undefined = parent; name !== undefined; name = world.review.projects[name]?.parent) {
    if (!Object.hasOwn(world.review.projects, name)) throw new Refusal(409, `parent project ${name} not found`);
    if (name === child) throw new Refusal(409, `cycle exists between ${child} and ${parent}`);
  }
}

/** Paths without `/a` are for everybody; credentials that come all the same are looked at, as the documents have them. */
function identify(world: World, { path, headers }: ServiceRequest) {
  if (!path.startsWith("/a/") && headers.authorization === undefined) return undefined;
  const account = authorized(world.accounts, headers.authorization ?? "", ["basic"]);
  if (account === undefined) throw new Refusal(401);
  return account;
}

/** Behind a guard line, and with what HTML could mistake written as escapes. */
function encode(_world: World, { status, body }: Answered): Reply {
  const json = JSON.stringify(body).replace(
    /[&=<>']/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return {
    status: status ?? 200,
    headers: {
      "content-type": "application/json;charset=utf-8",
      "content-disposition": "attachment",
      "cache-control": "no-cache, no-store, max-age=0, must-revalidate",
      "x-content-type-options": "nosniff",
    },
    body: `)]}'\n${json}\n`,
  };
}

/** Errors are plain text; a method that a view does not have is not found. */
function refuse(world: World, { status, message, headers }: Refusal, { path }: ServiceRequest): Reply {
  if (status === 401)
    return {
      status,
      headers: {
        "content-type": "text/plain;charset=iso-8859-1",
        "www-authenticate": 'Basic realm="Gerrit Code Review"',
      },
      body: "Unauthorized",
    };
  const text = message || defaultMessage(world, status, path);
  return {
    status: status === 405 ? 404 : status,
    headers: { ...headers, "content-type": "text/plain;charset=utf-8" },
    body: `${text}\n`,
  };
}

function defaultMessage(world: World, status: number, path: string): string {
  switch (status) {
    case 404: {
      const [, project, view] = /^\/a\/projects\/([^/]+)\/([^/]+)/.exec(path) ?? [];
      if (project === undefined || view === undefined) return "Not Found";
      const name = decodeAsId(project);
      return `Not found: ${Object.hasOwn(world.review.projects, name) ? view : name}`;
    }
    case 405:
      return "Not Found";
    case 413:
      return "Request Entity Too Large";
    case 500:
      return "Internal server error";
    default:
      return "Bad Request";
  }
}
