import { describeService } from "../service.ts";
import { reviewChecks, reviewVersions } from "./checks.ts";
import { joinedAccess } from "./joined-access.ts";
import { reviewOperations } from "./operations.ts";
import { reviewProtocol } from "./protocol.ts";

/** The code review service (Gerrit). */
export const reviewService = describeService({
  role: "review",
  types: ["gerrit"],
  credentials: { accepted: [["USERNAME", "PASSWORD"]] },
  protocol: reviewProtocol,
  operations: reviewOperations,
  liveLists: [{ operation: "listProjects", row: "listProjects", args: {}, naturalName: "name" }],
  checks: reviewChecks,
  versions: reviewVersions,
  joinReads: joinedAccess,
});
