import { type RoleChecks, signedInAs } from "../check.ts";
import { describeService } from "../service.ts";
import { ltokenFor } from "./ltoken.ts";
import { type AnalysisReader, analysisOperations } from "./operations.ts";
import { analysisProtocol } from "./protocol.ts";
import type { LicenseRecord } from "./records.ts";

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
