import { analysisOperations } from "../../clients/analysis/operations.ts";
import { isAdmin, known } from "../accounts.ts";
import { notModelled, Refusal } from "../refusal.ts";
import { standIn } from "../stand-in.ts";
import { accountAnswers } from "./accounts.ts";
import { buildAnswers } from "./builds.ts";
import { analysisContents } from "./default-contents.ts";
import { formFields } from "./form.ts";
import { issueAnswers } from "./issues.ts";
import { projectAnswers } from "./projects.ts";
import { roleAnswers } from "./roles.ts";
import { serverAnswers } from "./server.ts";
import { AnalysisState } from "./state.ts";
import { viewAnswers } from "./views.ts";

const endpoint = "/review/api";
const json = { "content-type": "application/json;charset=utf-8" };

/** The static analysis server (Klocwork). @see docs/facts.md, analysis */
export const analysisStandIn = standIn({
  state: AnalysisState,
  contents: analysisContents,
  operations: analysisOperations,
  answers: {
    ...serverAnswers,
    ...roleAnswers,
    ...accountAnswers,
    ...projectAnswers,
    ...buildAnswers,
    ...issueAnswers,
    ...viewAnswers,
  },
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
