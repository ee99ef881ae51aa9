import { readFileSync } from "node:fs";
import { ProblemError } from "../../core/problem.ts";
import { Secret } from "../../core/secret.ts";
import { type Service, variableOf } from "../../core/service.ts";
import { isObject } from "../../core/text/json.ts";
import { reasonOf } from "../../core/text/reason.ts";
import { signedInAs } from "../check.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { type Answer, expectedText, isHtml, jsonIfAny, jsonLines, lineReader, parseJson } from "../http/answer.ts";
import type { Failure } from "../http/outcome.ts";
import { describeService } from "../service.ts";
import { analysisOperations } from "./operations.ts";
import type { LicenseRecord } from "./records.ts";

function identity(credentials: Credentials): Readonly<Record<string, string>> {
  if (credentials.is !== "token" || credentials.username === undefined) return {};
  return { user: credentials.username, ltoken: credentials.token.reveal() };
}

/**
 * Errors are an object with a number as `status`, on any HTTP status; an issue record's `status` is text. One that comes
 * after records, in the last line, says that the list before it is not whole.
 * @see docs/facts.md, analysis
 */
function analysisFailure(answer: Answer): Failure | undefined {
  // Of a list, the body is the last line.
  const body = jsonIfAny(answer);
  if (isObject(body) && typeof body.status === "number" && typeof body.message === "string")
    return {
      status: body.status >= 400 && body.status < 600 ? body.status : Math.max(400, answer.status),
      said: body.message,
      own: true,
    };
  if (answer.status < 300) return undefined;
  return { status: answer.status, said: isHtml(answer) ? undefined : answer.body.toString("utf8") };
}

/**
 * Returns the credentials that an ltoken file has for a static analysis server: lines `host;port;user;token`. If several
 * users have a line for the server, `username` selects one; otherwise the first one is used.
 *
 * Throws `ProblemError` SP3001 if the file cannot be read or has no line for the server; the message shows no token.
 */
function ltokenFor(service: Service, file: string, username: string | undefined): Credentials {
  const { protocol, hostname, port } = new URL(service.url);
  const server = { host: hostname, port: port || (protocol === "https:" ? "443" : "80") };
  for (const line of readLines(service, file)) {
    const [host = "", number, user = "", token = ""] = line.trim().split(";");
    const matches = host.toLowerCase() === server.host && number === server.port;
    if (matches && user !== "" && token !== "" && (username ?? user) === user)
      return { is: "token", username: user, token: new Secret(token) };
  }
  const who = username === undefined ? "" : ` and user ${username}`;
  throw missing(service, `The ltoken file ${file} has no line for ${server.host}, port ${server.port}${who}.`);
}

function readLines(service: Service, file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch (error) {
    throw missing(service, `The ltoken file ${file} cannot be read: ${reasonOf(error)}.`);
  }
}

function missing(service: Service, message: string): ProblemError {
  const named = `${variableOf(service, "LTOKEN_FILE")} names the file.`;
  const hint = `${named} Its lines are host;port;user;token, as the server's own sign-in tool writes them.`;
  return new ProblemError({ code: "SP3001", service: service.name, message, hint });
}

/** Returns how many licences of a feature there are, and for how long. */
function licencesOf({ feature, count, permanent, days_to_expiry: days }: LicenseRecord): readonly string[] {
  if (feature === undefined || count === undefined) return [];
  return [`${count} of ${feature}${permanent === false && days !== undefined ? ` for ${days} days` : ""}`];
}

/** The static analysis server (Klocwork). @see docs/api/analysis.md, requests */
export const analysisService = describeService({
  role: "analysis",
  types: ["klocwork"],
  credentials: {
    accepted: [["USERNAME", "TOKEN"]],
    login: (username, token) => ({ is: "token", token, username }),
    file: { variable: "LTOKEN_FILE", read: ltokenFor },
    source: "kwauth, which signs in and writes the ltoken file ~/.klocwork/ltoken, since 2024.3 only with --insecure",
  },
  protocol: {
    headers: () => ({ accept: "application/json" }),
    fields: identity,
    failure: analysisFailure,
    // Called for what does not begin with JSON. The media type is not documented, so any but HTML will do.
    decode: (answer) => parseJson(expectedText(answer, jsonLines, /./), jsonLines),
    readBody: lineReader,
  },
  get operations() {
    return analysisOperations;
  },
  liveLists: [{ operation: "listProjects", row: "projects", args: {}, naturalName: "name" }],
  checks: {
    async account(read, { username }) {
      await read.version({});
      return signedInAs(username);
    },
    optional: {
      async version(read) {
        const [record] = await read.version({});
        const parts = [record?.majorVersion, record?.minorVersion].filter((part) => part !== undefined);
        return parts.length === 0 ? undefined : { says: parts.join(".") };
      },
      async licences(read) {
        const there = (await read.licenseCount({})).flatMap(licencesOf);
        return there.length === 0 ? undefined : { says: there.join(", ") };
      },
    },
  },
  proof: { product: "version", documented: "version" },
});
