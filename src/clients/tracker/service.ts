import { describeService } from "../service.ts";
import { trackerChecks, trackerVersions } from "./checks.ts";
import { trackerOperations } from "./operations.ts";
import { trackerProtocol } from "./protocol.ts";

/** The issue tracker with its token plugin (Jira). */
export const trackerService = describeService({
  role: "tracker",
  types: ["jira"],
  credentials: { accepted: [["USERNAME", "TOKEN"], ["USERNAME", "PASSWORD"], ["TOKEN"]] },
  protocol: trackerProtocol,
  operations: trackerOperations,
  liveLists: [{ operation: "listProjects", row: "listProjects", args: {}, naturalName: "key" }],
  checks: trackerChecks,
  versions: trackerVersions,
});
