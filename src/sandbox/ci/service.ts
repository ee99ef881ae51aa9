import { escapeUTF8 } from "entities/escape";
import { z } from "zod";
import { ciOperations } from "../../clients/ci/operations.ts";
import { get, read } from "../../clients/table.ts";
import { authorized, known } from "../accounts.ts";
import type { Answered, Answers, Asked } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { standIn } from "../stand-in.ts";
import { crumbAnswers, requireAdministrator, requireCrumb, requireReader } from "./access.ts";
import { ciContents } from "./default-contents.ts";
import { viewFolder } from "./job-view.ts";
import { jobAnswers, requireBuild, requireShallow } from "./jobs.ts";
import { scriptAnswers } from "./scripts.ts";
import { CiState, isBusy, restarted } from "./state.ts";
import { selectTree } from "./tree.ts";

/** The path of the update site, below the server's own URL. */
const updatesPath = "/updates";
const stableSite = `${updatesPath}/dynamic-stable/latestCore.txt`;

const text = { "content-type": "text/plain" };

const serverAnswers = {
  getVersion(asked) {
    const { state, base, query } = asked;
    requireShallow(asked);
    const { crumbs: useCrumbs } = state;
    const server = { _class: "hudson.model.Hudson", mode: "NORMAL", useCrumbs, ...viewFolder(state, "", base) };
    return { body: selectTree(server, query.get("tree") ?? "*,jobs[name,url,color]") };
  },

  getDashboard: () => page("Dashboard"),

  getBuildPage: (asked) => page(`${asked.params.job} #${requireBuild(asked).build.number}`),

  getMe({ account, base }) {
    const { username = "", name = "" } = account ?? {};
    return {
      body: { _class: "hudson.model.User", absoluteUrl: `${base}/user/${username}`, fullName: name, id: username },
    };
  },

  safeRestart: (asked) => restart(asked, isBusy(asked.state)),
  restart: (asked) => restart(asked, false),

  /** Lists the plugins. They are one level down, so without `depth` they have no fields. */
  listPlugins(asked) {
    requireReader(asked, "Overall/SystemRead");
    const { plugins: installed, updates } = asked.state;
    const plugins = installed.map(({ upgrade: _upgrade, needs: _needs, ...plugin }) => ({
      ...plugin,
      active: plugin.enabled,
      hasUpdate: (updates.plugins[plugin.shortName] ?? plugin.version) !== plugin.version,
    }));
    const shown = Number(asked.query.get("depth") ?? 0) > 0 ? "plugins[*]" : "plugins";
    return { body: selectTree({ _class: "hudson.LocalPluginManager", plugins }, asked.query.get("tree") ?? shown) };
  },

  /** The update site redirects to its newest stable site. @see docs/facts.md, ci */
  getLatestStableCore: ({ base }) => ({ status: 302, body: "", headers: { location: `${base}${stableSite}` } }),
  getStableSite: ({ state }) => ({ body: state.updates.stable, headers: text }),
  getLatestWeeklyCore: ({ state }) => ({ body: state.updates.weekly, headers: text }),
} satisfies Answers<CiState>;

/** Restarts the server, immediately or when no build is running. */
function restart(asked: Asked<CiState>, later: boolean) {
  requireAdministrator(asked, "Overall/Administer");
  const changes = later ? { restartPending: true } : restarted(asked.state, asked.now);
  return { status: 302, body: "", headers: { location: `${asked.base}/` }, changes };
}

/** Requests that other clients send when they start, and the targets of redirects. */
const otherRows = {
  getDashboard: read(get("/"), { summary: "The first page.", result: z.unknown() }),
  getBuildPage: read(get("/job/{job}/{build_number}/"), {
    summary: "The page of a build.",
    nested: { job: "/job/" },
    args: z.object({ job: z.string(), buildNumber: z.int() }),
    result: z.unknown(),
  }),
  getStableSite: read(get(stableSite), { summary: "The newest long-term support version.", result: z.unknown() }),
  getMe: read(get("/me/api/json?depth"), {
    summary: "The user of the credentials.",
    args: z.object({ depth: z.int().optional() }),
    result: z.unknown(),
  }),
};

/** The CI server (Jenkins) and its update site. @see docs/facts.md, ci */
export const ciStandIn = standIn({
  state: CiState,
  contents: ciContents,
  operations: ciOperations,
  // A build's URL is a path below its job. Every JSON view of the server takes a depth.
  rowOf: (row) => ({
    ...row,
    path: row.path.replace("{build_url}", "/job/{job}/{build_number}"),
    nested: { job: "/job/" },
    query: row.path.endsWith("/api/json?tree") ? ["depth"] : [],
  }),
  otherOperations: otherRows,
  freeQueries: ["buildJobWithParameters"],
  answers: { ...serverAnswers, ...crumbAnswers, ...jobAnswers, ...scriptAnswers },
  urls: { updates: updatesPath },
  signIn: "password",
  realm: "Jenkins",

  identify(request) {
    const { accounts, headers, method, path, state } = request;
    if (path.startsWith(`${updatesPath}/`) || state.starting > 0) return undefined;
    if (headers.authorization === undefined) throw new Refusal(403, "Authentication required");
    const account = known(authorized(accounts, headers.authorization, ["basic"]));
    if (method === "POST") requireCrumb(request, account);
    return account;
  },

  /** Answers with a page until the server has started. @see docs/facts.md, ci */
  before({ path, state: { starting } }) {
    if (starting === 0 || path.startsWith(`${updatesPath}/`)) return undefined;
    return {
      status: 503,
      body: "<!DOCTYPE html><html><head><title>Starting Jenkins</title></head><body><h1>Please wait while Jenkins is getting ready to work</h1></body></html>",
      headers: { "content-type": "text/html;charset=utf-8" },
      changes: { starting: starting - 1 },
    };
  },

  encode: ({ status = 200, body, headers }, { state }) => ({
    status,
    headers: { "content-type": "application/json;charset=utf-8", ...identity(state), ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  }),

  /** Answers errors with a page of the server's access control or of its web server; XPath errors are plain sentences. */
  refuse({ status, message, headers }, { state }) {
    const said = escapeUTF8(message);
    return {
      status,
      headers: { ...identity(state), ...headers, "content-type": "text/html;charset=utf-8" },
      body: /^XPath /.test(message)
        ? message
        : / is missing the /.test(said)
          ? `<!DOCTYPE html><html><head><title>Access Denied [Jenkins]</title></head><body><h1>Access Denied</h1><p class="error">${said}</p></body></html>`
          : `<html>\n<head>\n<title>Error ${status} ${said}</title>\n</head>\n<body><h2>HTTP ERROR ${status} ${said}</h2></body>\n</html>\n`,
    };
  },
});

/** Returns a page for people; programs read only its header fields. */
function page(title: string): Answered<CiState> {
  return {
    body: `<!DOCTYPE html><html><head><title>${escapeUTF8(title)} [Jenkins]</title></head><body></body></html>`,
    headers: { "content-type": "text/html;charset=utf-8" },
  };
}

/** Returns the header fields that identify the server in every answer: its version and its current session. */
function identity({ version, starts }: CiState): Readonly<Record<string, string>> {
  return { "x-jenkins": version, "x-jenkins-session": (0x4a0000 + starts).toString(16) };
}
