import { describeService } from "../service.ts";
import { bulkReads } from "./bulk.ts";
import { artifactsChecks, artifactsVersions } from "./checks.ts";
import { artifactsOperations } from "./operations.ts";
import { artifactsProtocol } from "./protocol.ts";

/** The artifact repository with its token service (Artifactory). */
export const artifactsService = describeService({
  role: "artifacts",
  types: ["artifactory"],
  roots: {
    auth: {
      description: "of an artifact repository's tokens",
      default: (url) => url.replace(/\/artifactory$/, "").concat("/access"),
    },
  },
  credentials: { accepted: [["TOKEN"], ["USERNAME", "PASSWORD"], ["USERNAME", "API_KEY"], ["API_KEY"]] },
  protocol: artifactsProtocol,
  operations: artifactsOperations,
  liveLists: [{ operation: "listRepositories", row: "listRepositories", args: {}, naturalName: "key" }],
  checks: artifactsChecks,
  versions: artifactsVersions,
  joinReads: bulkReads,
});
