import { artifactsOperations } from "../../clients/artifacts/operations.ts";
import { authorized } from "../accounts.ts";
import type { Answer, Answered, Reply, ServiceRequest, StandIn } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { routesOf } from "../route.ts";
import type { World } from "../world.ts";
import { buildAnswers } from "./builds.ts";
import { queryAnswers } from "./query.ts";
import { registryAnswers } from "./registry.ts";
import { storageAnswers } from "./storage.ts";
import { accountOfToken, tokenAnswers } from "./tokens.ts";
import { writeAnswers } from "./writes.ts";

/** Where the token service is, below the repository's own address. */
const tokenRoot = "/access";

const answers = {
  ...storageAnswers,
  ...queryAnswers,
  ...registryAnswers,
  ...buildAnswers,
  ...writeAnswers,
  ...tokenAnswers,
} satisfies Record<keyof typeof artifactsOperations, Answer>;

/** The artifact repository with its token service (Artifactory). @see docs/facts.md, artifacts */
export const artifactsStandIn: StandIn = {
  routes: routesOf(artifactsOperations, { authUrl: tokenRoot }),
  answers,
  takesFiles: true,
  identify,
  encode,
  refuse,
};

/** Basic, Bearer with a secret or an issued token, or an API key; the token service takes Bearer alone. */
function identify(world: World, request: ServiceRequest) {
  const { headers, path } = request;
  const authorization = headers.authorization ?? "";
  const forTokens = path.startsWith(`${tokenRoot}/`);
  const key = forTokens ? undefined : (headers["x-jfrog-art-api"] ?? headers["x-vendor-art-api"]);
  const account =
    authorized(world.accounts, authorization, forTokens ? ["bearer"] : ["basic", "bearer"]) ??
    accountOfToken(world, request, /^Bearer +(.*)$/i.exec(authorization)?.[1] ?? "") ??
    world.accounts.find(({ secret }) => secret === key);
  if (account === undefined) throw new Refusal(401, "Bad credentials");
  return account;
}

/** Text as text, anything else as JSON. */
function encode(_world: World, { status = 200, headers, body }: Answered): Reply {
  const type = typeof body === "string" ? "text/plain" : "application/json";
  const content = { "content-type": `${type};charset=utf-8` };
  if (body === undefined) return { status, headers: { ...headers }, body: "" };
  return { status, headers: { ...content, ...headers }, body: typeof body === "string" ? body : JSON.stringify(body) };
}

function refuse(_world: World, { status, message, headers }: Refusal): Reply {
  return {
    status,
    headers: {
      ...headers,
      ...(status === 401 ? { "www-authenticate": 'Basic realm="Artifacts"' } : {}),
      "content-type": "application/json;charset=utf-8",
    },
    body: JSON.stringify({ errors: [{ status, message: message || (defaultMessages[status] ?? "Server error") }] }),
  };
}

const defaultMessages: Readonly<Record<number, string>> = {
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  413: "Payload Too Large",
};
