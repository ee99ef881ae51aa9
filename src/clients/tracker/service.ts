import { type RoleChecks, type Supported, signedInAs, versionCheck } from "../check.ts";
import { describeService } from "../service.ts";
import { type TrackerReader, trackerOperations } from "./operations.ts";
import { trackerProtocol } from "./protocol.ts";

/** @see docs/decisions/versions.md: tracker */
const trackerVersions: Supported = { since: "7.0", why: "the REST API has the preferences of the caller" };

const trackerChecks: RoleChecks<TrackerReader> = [
  {
    check: "account",
    async find(read) {
      const { name, active } = await read.getMyself({});
      if (active !== false) return signedInAs(name);
      return { says: `${name} is not active`, wrong: { hint: "Activate the account, or use another." } };
    },
  },
  versionCheck(trackerVersions, async (read) => (await read.getServerInfo({})).version),
];

/** The issue tracker with its token plugin (Jira). */
export const trackerService = describeService({
  role: "tracker",
  types: ["jira"],
  credentials: {
    accepted: [["USERNAME", "TOKEN"], ["USERNAME", "PASSWORD"], ["TOKEN"]],
    source: "your picture > Profile > Personal Access Tokens > Create token",
  },
  protocol: trackerProtocol,
  get operations() {
    return trackerOperations;
  },
  liveLists: [{ operation: "listProjects", row: "listProjects", args: {}, naturalName: "key" }],
  checks: trackerChecks,
  proof: { product: "getMyself", documented: "getMyself" },
  versions: trackerVersions,
});
