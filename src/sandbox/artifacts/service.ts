import { artifactsOperations } from "../../clients/artifacts/operations.ts";
import { authorized, known } from "../accounts.ts";
import { notModelled } from "../refusal.ts";
import { standIn } from "../stand-in.ts";
import { buildAnswers } from "./builds.ts";
import { artifactsContents } from "./default-contents.ts";
import { queryAnswers } from "./query.ts";
import { registryAnswers } from "./registry.ts";
import { ArtifactsState } from "./state.ts";
import { storageAnswers } from "./storage.ts";
import { accountOfToken, tokenAnswers } from "./tokens.ts";
import { writeAnswers } from "./writes.ts";

/** The path of the token service, below the repository's own URL. */
const tokenRoot = "/access";

/** The artifact repository with its token service (Artifactory). @see docs/facts.md, artifacts */
export const artifactsStandIn = standIn({
  state: ArtifactsState,
  contents: artifactsContents,
  operations: artifactsOperations,
  answers: {
    ...storageAnswers,
    ...queryAnswers,
    ...registryAnswers,
    ...buildAnswers,
    ...writeAnswers,
    ...tokenAnswers,
  },
  urls: { auth: tokenRoot },
  signIn: "token",
  realm: "Artifacts",

  /** Accepts Basic, Bearer with a secret or an issued token, or an API key; the token service accepts only Bearer. */
  identify(request) {
    const { accounts, headers, path } = request;
    const forTokens = path.startsWith(`${tokenRoot}/`);
    const key = forTokens ? undefined : (headers["x-jfrog-art-api"] ?? headers["x-vendor-art-api"]);
    const account =
      authorized(accounts, headers.authorization, forTokens ? ["bearer"] : ["basic", "bearer"]) ??
      accountOfToken(request) ??
      accounts.find(({ secret }) => secret === key);
    return known(account, "Bad credentials");
  },

  /** @see docs/facts.md, artifacts: matrix parameters */
  before({ path }) {
    if (path.includes(";")) throw notModelled("matrix parameters: properties after a ; in the path");
    return undefined;
  },

  /** Sends a string as text, anything else as JSON. */
  encode({ status = 200, headers = {}, body }) {
    if (body === undefined) return { status, headers, body: "" };
    const isText = typeof body === "string";
    const type = `${isText ? "text/plain" : "application/json"};charset=utf-8`;
    return { status, headers: { "content-type": type, ...headers }, body: isText ? body : JSON.stringify(body) };
  },

  refuse: ({ status, message, headers }, { path }) => ({
    status,
    headers: { ...headers, "content-type": "application/json;charset=utf-8" },
    body: JSON.stringify(
      path.startsWith(`${tokenRoot}/`) ? tokenError(status, message) : { errors: [{ status, message }] },
    ),
  }),
});

const tokenCodes: Readonly<Record<number, string>> = { 401: "UNAUTHORIZED", 403: "FORBIDDEN", 404: "NOT_FOUND" };

/** Returns an error of the token service; only a refused sign-in is in a list. @see docs/facts.md, Artifacts: an error of the token service */
function tokenError(status: number, message?: string) {
  const error = { code: tokenCodes[status] ?? "BAD_REQUEST", message };
  return status === 401 ? { errors: [error] } : error;
}
