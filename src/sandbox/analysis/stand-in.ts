import { analysisOperations } from "../../clients/analysis/operations.ts";
import type { Answer, Answered, Reply, ServiceRequest, StandIn } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { routesOf } from "../route.ts";
import type { World } from "../world.ts";
import { accountAnswers } from "./accounts.ts";
import { buildAnswers } from "./builds.ts";
import { formFields } from "./form.ts";
import { issueAnswers } from "./issues.ts";
import { projectAnswers } from "./projects.ts";
import { roleAnswers } from "./roles.ts";
import { serverAnswers } from "./server.ts";
import { viewAnswers } from "./views.ts";

const answers = {
  ...serverAnswers,
  ...roleAnswers,
  ...accountAnswers,
  ...projectAnswers,
  ...buildAnswers,
  ...issueAnswers,
  ...viewAnswers,
} satisfies Record<keyof typeof analysisOperations, Answer>;

/** The static analysis server (Klocwork). @see docs/facts.md, analysis */
export const analysisStandIn: StandIn = { routes: routesOf(analysisOperations), answers, identify, encode, refuse };

/** The server behind the one endpoint asks for `user` and `ltoken` among the form's fields. */
function identify(world: World, request: ServiceRequest) {
  if (request.path !== "/review/api" || request.method !== "POST") return undefined;
  const form = formFields(request);
  const user = form.get("user");
  if (user === null) throw new Refusal(401, "Parameter user is missing: send a form");
  const account = world.accounts.find(({ username, secret }) => username === user && secret === form.get("ltoken"));
  if (account === undefined) throw new Refusal(401, "Incorrect login or token");
  return account;
}

/** One JSON object a line; an empty list is an empty body. */
function encode(_world: World, { status, body }: Answered): Reply {
  const records = Array.isArray(body) ? body : [];
  return {
    status: status ?? 200,
    headers: { "content-type": "application/json;charset=utf-8" },
    body: records.map((record) => `${JSON.stringify(record)}\n`).join(""),
  };
}

/** The endpoint's errors are objects on one HTTP status; everything else is the web server's own page. */
function refuse(world: World, { status, message, headers }: Refusal, { path }: ServiceRequest): Reply {
  if (path !== "/review/api" || message === "")
    return {
      status,
      headers: { ...headers, "content-type": "text/html;charset=utf-8" },
      body: `<!doctype html><html><head><title>HTTP Status ${status}</title></head><body></body></html>`,
    };
  return {
    status: world.analysis.errorStatus,
    headers: { "content-type": "application/json;charset=utf-8" },
    body: `${JSON.stringify({ status, message })}\n`,
  };
}
