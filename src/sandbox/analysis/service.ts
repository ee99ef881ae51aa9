import { analysisOperations } from "../../clients/analysis/operations.ts";
import { own } from "../../core/text/json.ts";
import { isAdmin, known } from "../accounts.ts";
import type { Answers } from "../exchange.ts";
import { nextId } from "../lists.ts";
import { foundIn, notModelled, Refusal } from "../refusal.ts";
import { standIn } from "../stand-in.ts";
import { accessAnswers } from "./access.ts";
import { analysisContents } from "./default-contents.ts";
import { formFields, readForm, requireAbsent } from "./form.ts";
import { issueAnswers } from "./issues.ts";
import { projectAnswers } from "./projects.ts";
import { AnalysisState } from "./state.ts";

/** The server as a whole, and imports from other servers, which end immediately. */
const serverAnswers = {
  version: ({ state }) => ({ body: [state.version] }),

  licenseCount(asked) {
    const { feature } = readForm(asked);
    const { licenses } = asked.state;
    if (feature === undefined) return { body: licenses };
    const isIt = (license: { readonly feature: string }) => license.feature === feature;
    return { body: [foundIn(licenses, isIt, `Feature ${feature} is not licensed`)] };
  },

  taskStatus: ({ state }) => ({ body: state.tasks }),

  importStatus: ({ state }) => ({ body: state.imports }),

  importServerConfiguration(asked) {
    const { sourceURL } = readForm(asked, "sourceURL", "sourceAdmin");
    const { sources, imports, users, groups, roles } = asked.state;
    const { users: more = [], groups: moreGroups = [], roles: moreRoles = [] } = own(sources, sourceURL) ?? {};
    return {
      changes: {
        imports: [...imports, { source: sourceURL, status: "Completed" }],
        users: withMissing(users, more),
        groups: withMissing(groups, moreGroups),
        roles: withMissing(
          roles.map((role) => moreRoles.find(({ name }) => name === role.name) ?? role),
          moreRoles,
        ),
      },
    };
  },

  importProject(asked) {
    const { project: name, sourceURL } = readForm(asked, "project", "sourceURL", "sourceAdmin");
    const { projects, imports } = asked.state;
    requireAbsent("Project", projects, name);
    return {
      changes: {
        projects: [...projects, { id: String(nextId(projects)), name, creator: asked.account?.username }],
        imports: [...imports, { project: name, source: sourceURL, status: "Completed" }],
      },
    };
  },
} satisfies Answers<AnalysisState>;

/** Returns the records together with those of `others` whose names are missing among them. */
function withMissing<R extends { readonly name: string }>(records: readonly R[], others: readonly R[]): R[] {
  return [...records, ...others.filter(({ name }) => !records.some((record) => record.name === name))];
}

const endpoint = "/review/api";
const json = { "content-type": "application/json;charset=utf-8" };

/** The static analysis server (Klocwork). @see docs/facts.md, analysis */
export const analysisStandIn = standIn({
  state: AnalysisState,
  contents: analysisContents,
  operations: analysisOperations,
  answers: { ...serverAnswers, ...accessAnswers, ...projectAnswers, ...issueAnswers },
  signIn: "token",

  /** The server's only endpoint takes the credentials from the form fields `user` and `ltoken`. */
  identify(request) {
    if (request.path !== endpoint || request.method !== "POST") return undefined;
    const form = formFields(request);
    const user = form.get("user");
    if (user === null) throw new Refusal(401, "Parameter user is missing: send a form");
    const ltoken = form.get("ltoken");
    const account = request.accounts.find(({ username, secret }) => username === user && secret === ltoken);
    return known(account, "Incorrect login or token");
  },

  /** Refuses writes of accounts other than administrators, and form fields that the operation lacks. */
  before(asked, { effect, args }) {
    const { account } = asked;
    if (effect === "write" && !isAdmin(account))
      throw new Refusal(403, `User ${account?.username} is not permitted to do this`);
    const fields = [...Object.keys(args.shape), "action", "ltoken", "user"];
    const unknown = [...formFields(asked).keys()].filter((name) => !fields.includes(name));
    if (unknown.length > 0) throw notModelled(`${unknown.join(", ")} in the form`);
    return undefined;
  },

  /** Writes one JSON object per line. The body is empty for an empty list and for the answer to a change. */
  encode({ body }) {
    const records = Array.isArray(body) ? body : [];
    return { status: 200, headers: json, body: records.map((record) => `${JSON.stringify(record)}\n`).join("") };
  },

  /** Errors of the endpoint are objects, all with one HTTP status. Every other error is a page of the web server. */
  refuse({ status, said, headers }, { path, state }) {
    if (path === endpoint && said !== undefined)
      return {
        status: status === 501 ? status : state.errorStatus,
        headers: json,
        body: `${JSON.stringify({ status, message: said })}\n`,
      };
    return {
      status,
      headers: { ...headers, "content-type": "text/html;charset=utf-8" },
      body: `<!doctype html><html><head><title>HTTP Status ${status}</title></head><body></body></html>`,
    };
  },
});
