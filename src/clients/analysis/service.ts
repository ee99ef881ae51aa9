import { readFileSync } from "node:fs";
import { ProblemError } from "../../core/problem.ts";
import { Secret } from "../../core/secret.ts";
import { type Service, variableOf } from "../../core/service.ts";
import { reasonOf } from "../../core/text/reason.ts";
import { type RoleChecks, signedInAs } from "../check.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { describeService } from "../service.ts";
import { type AnalysisReader, analysisOperations } from "./operations.ts";
import { analysisProtocol } from "./protocol.ts";
import type { LicenseRecord } from "./records.ts";

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

const analysisChecks: RoleChecks<AnalysisReader> = [
  {
    check: "account",
    async find(read, { username }) {
      await read.version({});
      return signedInAs(username);
    },
  },
  {
    check: "version",
    async find(read) {
      const [record] = await read.version({});
      const parts = [record?.majorVersion, record?.minorVersion].filter((part) => part !== undefined);
      return parts.length === 0 ? undefined : { says: parts.join(".") };
    },
  },
  {
    check: "licences",
    optional: true,
    async find(read) {
      const there = (await read.licenseCount({})).flatMap(licencesOf);
      return there.length === 0 ? undefined : { says: there.join(", ") };
    },
  },
];

/** Returns how many licences of a feature there are, and for how long. */
function licencesOf({ feature, count, permanent, days_to_expiry: days }: LicenseRecord): readonly string[] {
  if (feature === undefined || count === undefined) return [];
  return [`${count} of ${feature}${permanent === false && days !== undefined ? ` for ${days} days` : ""}`];
}

/** The static analysis server (Klocwork). */
export const analysisService = describeService({
  role: "analysis",
  types: ["klocwork"],
  credentials: {
    accepted: [["USERNAME", "TOKEN"]],
    login: (username, token) => ({ is: "token", token, username }),
    file: { variable: "LTOKEN_FILE", read: ltokenFor },
    source: "kwauth, which signs in and writes the ltoken file ~/.klocwork/ltoken, since 2024.3 only with --insecure",
  },
  protocol: analysisProtocol,
  get operations() {
    return analysisOperations;
  },
  liveLists: [{ operation: "listProjects", row: "projects", args: {}, naturalName: "name" }],
  checks: analysisChecks,
  proof: { product: "version", documented: "version" },
});
