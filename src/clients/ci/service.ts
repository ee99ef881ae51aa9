import { describeService } from "../service.ts";
import { ciChecks, ciVersions } from "./checks.ts";
import { ciOperations } from "./operations.ts";
import { ciProtocol } from "./protocol.ts";
import { restartAndAwait } from "./restart.ts";

/** The CI server (Jenkins). */
export const ciService = describeService({
  role: "ci",
  types: ["jenkins"],
  roots: {
    updates: { description: "of a CI server's update site", default: () => "https://updates.jenkins.io" },
  },
  credentials: {
    accepted: [
      ["USERNAME", "TOKEN"],
      ["USERNAME", "PASSWORD"],
    ],
  },
  protocol: ciProtocol,
  operations: ciOperations,
  checks: ciChecks,
  versions: ciVersions,
  awaited: { restart: restartAndAwait, safeRestart: restartAndAwait },
});
