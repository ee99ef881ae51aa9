import { ciOperations } from "../../clients/ci/operations.ts";
import { authorized } from "../accounts.ts";
import type { Answer, Answered, Reply, ServiceRequest, StandIn } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { routesOf } from "../route.ts";
import type { World } from "../world.ts";
import { crumbAnswers, requireCrumb } from "./crumb.ts";
import { jobAnswers } from "./jobs.ts";
import { isBusy, restarted } from "./restart.ts";
import { requireAdministrator, requireReader } from "./rights.ts";
import { scriptAnswers } from "./scripts.ts";
import { selectTree } from "./tree.ts";
import { escapeMarkup } from "./xml.ts";

/** Where the update site stands, below the server's own URL. */
const updatesPath = "/updates";

const serverAnswers = {
  ...crumbAnswers,
  ...jobAnswers,
  ...scriptAnswers,

  getVersion: (_world, { query }) => ({
    body: selectTree({ _class: "hudson.model.Hudson", mode: "NORMAL" }, query.get("tree") ?? "*"),
  }),

  safeRestart(world, asked) {
    requireAdministrator(asked, "Overall/Administer");
    const ci = isBusy(world.ci) ? { ...world.ci, restartPending: true } : restarted(world.ci, asked.now);
    return { status: 302, body: "", headers: { location: `${asked.base}/` }, world: { ...world, ci } };
  },

  restart(world, asked) {
    requireAdministrator(asked, "Overall/Administer");
    const after = { ...world, ci: restarted(world.ci, asked.now) };
    return { status: 302, body: "", headers: { location: `${asked.base}/` }, world: after };
  },

  /** Plugins are one level down: without `depth` they have no fields. */
  listPlugins(world, asked) {
    requireReader(asked, "Overall/SystemRead");
    const plugins = world.ci.plugins.map(({ upgrade: _upgrade, ...plugin }) => ({
      ...plugin,
      active: plugin.enabled,
      hasUpdate: (world.ci.updates.plugins[plugin.shortName] ?? plugin.version) !== plugin.version,
    }));
    const shown = Number(asked.query.get("depth") ?? 0) > 0 ? "plugins[*]" : "plugins";
    return { body: selectTree({ _class: "hudson.LocalPluginManager", plugins }, asked.query.get("tree") ?? shown) };
  },
} satisfies Record<string, Answer>;

const updateAnswers = {
  getLatestStableCore: (world) => plainText(world.ci.updates.stable),
  getLatestWeeklyCore: (world) => plainText(world.ci.updates.weekly),
} satisfies Record<string, Answer>;

const answers = {
  ...serverAnswers,
  ...updateAnswers,
} satisfies Record<keyof typeof ciOperations, Answer>;

/** Rows on a build's URL, as the server has it: below the job. */
const rows = Object.fromEntries(
  Object.entries(ciOperations).map(([name, row]) => [
    name,
    { ...row, path: row.path.replace("{build_url}", "/job/{job}/{build_number}"), nested: { job: "/job/" } },
  ]),
);

/** The CI server (Jenkins) and its update site. @see docs/facts.md, ci */
export const ciStandIn: StandIn = {
  routes: routesOf(rows, { updatesUrl: updatesPath }),
  answers: Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [name, name in updateAnswers ? answer : onceStarted(answer)]),
  ),
  identify,
  encode,
  refuse,
};

/** Until the server has started, requests get a page. @see docs/facts.md, ci */
function onceStarted(answer: Answer): Answer {
  return (world, asked) => {
    const { starting } = world.ci;
    if (starting === 0) return answer(world, asked);
    return {
      status: 503,
      body: "<!DOCTYPE html><html><head><title>Starting Jenkins</title></head><body><h1>Please wait while Jenkins is getting ready to work</h1></body></html>",
      headers: { "content-type": "text/html;charset=utf-8" },
      world: { ...world, ci: { ...world.ci, starting: starting - 1 } },
    };
  };
}

function plainText(body: string): Answered {
  return { body, headers: { "content-type": "text/plain" } };
}

function identify(world: World, request: ServiceRequest) {
  if (request.path.startsWith(`${updatesPath}/`) || world.ci.starting > 0) return undefined;
  const { authorization } = request.headers;
  if (authorization === undefined) throw new Refusal(403, "Authentication required");
  const account = authorized(world.accounts, authorization, ["basic"]);
  if (account === undefined) throw new Refusal(401, "Unauthorized");
  if (request.method === "POST") requireCrumb(world, request, account);
  return account;
}

function encode(world: World, { status, body, headers }: Answered): Reply {
  return {
    status: status ?? 200,
    headers: { "content-type": "application/json;charset=utf-8", ...server(world), ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

/** What every answer says about the server: its version, and its run since the last start. */
function server({ ci }: World): Readonly<Record<string, string>> {
  return { "x-jenkins": ci.version, "x-jenkins-session": (0x4a0000 + ci.starts).toString(16) };
}

/** Errors are pages: those of the server's access control, and those of its web server. */
function refuse(world: World, { status, message, headers }: Refusal): Reply {
  const said = escapeMarkup(message || (defaultMessages[status] ?? "Server Error"));
  const body = / is missing the /.test(said)
    ? `<!DOCTYPE html><html><head><title>Access Denied [Jenkins]</title></head><body><h1>Access Denied</h1><p class="error">${said}</p></body></html>`
    : `<html>\n<head>\n<title>Error ${status} ${said}</title>\n</head>\n<body><h2>HTTP ERROR ${status} ${said}</h2></body>\n</html>\n`;
  return {
    status,
    headers: {
      ...server(world),
      ...headers,
      ...(status === 401 ? { "www-authenticate": 'Basic realm="Jenkins"' } : {}),
      "content-type": "text/html;charset=utf-8",
    },
    body,
  };
}

const defaultMessages: Readonly<Record<number, string>> = {
  404: "Not Found",
  405: "Method Not Allowed",
  413: "Request Entity Too Large",
};
